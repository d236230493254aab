"""What surrounds every request: who may come in, problems, headers, the page."""
