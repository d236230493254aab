"""Readers and writers of the core types' file formats. Each takes a path and the node's parameters."""
