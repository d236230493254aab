"""Projects, workflow files and the catalog of blocks and types."""
