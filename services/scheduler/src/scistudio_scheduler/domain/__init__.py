"""The rules of a run: pure, without input or output, clock or await."""
