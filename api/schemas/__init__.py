"""The shapes of JSON, one noun a file: what a client may send and what it gets."""
