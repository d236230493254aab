"""The REST and event routes, and the representations they answer with."""
