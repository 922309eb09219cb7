"""A person at a seat: what he is shown, how he answers, and how both reach the arena.

He plays as a pull agent of his own, so to the table he is one like any other.
"""
