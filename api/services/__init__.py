"""Use cases, one noun a file: plain values and a Session in, values out; no Flask, no commit."""
