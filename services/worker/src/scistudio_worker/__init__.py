"""The worker host: an agent and a warm parent that forks a process for each block."""
