"""Shapes of JSON, one noun a file, as OpenAPI shows them."""
