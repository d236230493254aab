"""Alembic migrations of the lineage database."""
