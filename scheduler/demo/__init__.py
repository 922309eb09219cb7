"""`baohuang demo`: a whole tournament on this machine, over the real API, by real processes."""
