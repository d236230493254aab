"""What a block declares to the engine, and the engine's file helpers that block packages import."""
