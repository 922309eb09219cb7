"""The OpenAPI document without a database: for the command, the tests and the client generators."""

from __future__ import annotations

from cryptography.fernet import Fernet

from .app import create_app
from .config import Config
from .extensions import rest


def document() -> bytes:
    """The document as JSON, the same bytes for the same code."""
    create_app(Config(database_url="sqlite://", secret_key=Fernet.generate_key().decode()))
    return rest.document
