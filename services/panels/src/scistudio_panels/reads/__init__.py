"""One module for each kind of data: what it is, and a bounded part of it."""
