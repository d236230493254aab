"""What the wire format says about objects: pure."""
