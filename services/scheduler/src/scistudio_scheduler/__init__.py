"""Runs: the graph, block states, dispatch and cancel."""
