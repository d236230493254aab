"""Rules about workflows and projects: pure, no input or output, no clock, no await."""
