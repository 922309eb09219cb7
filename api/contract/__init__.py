"""The API as a promise: what changed between two OpenAPI documents that breaks clients."""

from .declared import DeclarationError, Declarations, parse, undeclared
from .operations import Change, changes

__all__ = ["Change", "DeclarationError", "Declarations", "changes", "parse", "undeclared"]
