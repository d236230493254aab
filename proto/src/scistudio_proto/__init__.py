"""Generated gRPC contracts of SciStudio's services."""
