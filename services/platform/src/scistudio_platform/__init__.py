"""What every SciStudio service starts from: RPC, events, databases, settings, logs, telemetry."""
