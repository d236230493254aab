"""Recording what happened, and answering about it."""
