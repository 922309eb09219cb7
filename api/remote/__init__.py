"""Bots across HTTP: what is sent, what comes back, and every way in which it can fail."""
