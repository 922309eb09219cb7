"""Tests that play for a long time; only by `make soak`."""
