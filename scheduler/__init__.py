"""Timers and workers: what happens in a tournament without anybody asking for it."""
