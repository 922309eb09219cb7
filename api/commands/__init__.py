"""The commands of `baohuang` that need no scheduler, one a file.

What goes wrong is said in one sentence on standard error: status 1, or 2 for wrong usage.
"""
