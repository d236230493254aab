"""What touches the outside: log files and signed credentials."""
