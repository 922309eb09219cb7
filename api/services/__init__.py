"""The use cases, one noun a file. They know models and rules, but neither Flask nor JSON.

A service takes a session, who acts, and plain values; it never commits.
"""
