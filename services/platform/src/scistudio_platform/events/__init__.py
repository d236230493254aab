"""Events: their models, the streams that keep them, and the ways in and out of NATS JetStream."""
