"""The scistudio command, the local launcher and all services."""
