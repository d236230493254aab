"""Blocks: the base classes that authors subclass, the built-in blocks and the registry that finds all of them."""
