"""Executions on worker hosts: dispatch, logs, progress, kill."""
