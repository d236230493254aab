"""What the runner does: place executions on hosts and follow them, keep logs, probe."""
