"""Alembic migrations of the scheduler's database."""
