"""Unbound extensions, bound by the factory."""

from . import __doc__ as front_page
from .http.api import Api
from .schemas.fields import Time

rest = Api(
    spec_kwargs={
        "title": "Baohuang Arena",
        "version": "1.0.0",
        "openapi_version": "3.1.0",
        "info": {
            "description": front_page,
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/", "description": "This server"}],
    }
)
rest.register_field(Time, "string", "date-time")
