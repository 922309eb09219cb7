"""The game and its tournaments as pure values: no clock, no I/O, no global randomness."""
