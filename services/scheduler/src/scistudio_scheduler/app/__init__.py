"""Use cases: load, decide, store, act."""
