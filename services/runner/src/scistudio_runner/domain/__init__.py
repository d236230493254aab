"""The rules of the runner: what an execution has come to, and where the next one goes. No I/O, no clock."""
