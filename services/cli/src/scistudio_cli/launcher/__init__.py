"""The local launcher: forks the services, watches them, ends them.

For its whole life it has one thread and no event loop, gRPC server, numpy or pyarrow: a fork copies only the thread that forks.
"""
