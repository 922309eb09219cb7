"""Unbound extensions, bound by the factory."""

from .http.api import Api
from .schemas.fields import Time

rest = Api()
rest.register_field(Time, "string", "date-time")
