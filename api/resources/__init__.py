"""The HTTP face, one noun a file: decorators and a few lines; the services do the work."""
