"""Rules of the door: pure, no I/O."""
