"""The agents' tools, by family. Each module registers its tools on a server with ``register(server, services)``."""
