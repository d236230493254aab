"""Following a run from a terminal, whether it runs in this process or in a running SciStudio."""
