"""SQL rows and the clients of other services."""
