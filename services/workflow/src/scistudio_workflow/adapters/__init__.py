"""Files, locks, git, SQL and the runner."""
