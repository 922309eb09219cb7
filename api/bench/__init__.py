"""Measurements for `baohuang bench`: ours and those of peers, side by side in one run.

A machine's speed drifts, so nothing here is a promise in seconds: every figure is taken in rounds,
ours and a peer's in turn, and what counts is the median of the ratios.
"""
