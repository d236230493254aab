"""Where payloads live: references, backends and the directory that a block writes to."""
