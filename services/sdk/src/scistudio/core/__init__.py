"""Typed data objects, their metadata and their storage."""
