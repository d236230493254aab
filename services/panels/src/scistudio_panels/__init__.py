"""Bounded reads of stored data."""
