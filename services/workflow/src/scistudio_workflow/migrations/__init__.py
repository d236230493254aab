"""Alembic migrations of the workflow service's tables."""
