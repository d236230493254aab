"""What happened: runs, executions, objects and edges."""
