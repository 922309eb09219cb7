"""Unbound extensions, bound by the factory."""

from .http.api import Api

rest = Api()
