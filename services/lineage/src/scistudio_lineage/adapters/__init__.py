"""SQL rows and the client of the workflow service."""
