"""Path parameters. What cannot be an id is no address at all: 404 before any database access."""

from __future__ import annotations

from typing import Any

from flask import Flask
from werkzeug.routing import BaseConverter

from ..models.base import ULID
from .api import Api

SLUG = "[a-z0-9][a-z0-9-]{0,59}"


class UlidConverter(BaseConverter):
    """`<ulid:agent_id>`: an identifier of a row."""

    regex = ULID


class SlugConverter(BaseConverter):
    """`<slug:preset>`: a name made of lower-case letters, digits and hyphens."""

    regex = SLUG


class NameOrIdConverter(BaseConverter):
    """`<name_or_id:rule_set_id>`: what goes by a name of ours or by a row's identifier."""

    regex = f"(?:{SLUG}|{ULID})"


def register(app: Flask, api: Api) -> None:
    """Make the converters known to the routes and to the documentation."""
    app.url_map.converters["ulid"] = UlidConverter
    app.url_map.converters["slug"] = SlugConverter
    app.url_map.converters["name_or_id"] = NameOrIdConverter
    api.register_converter(UlidConverter, _ulid_schema)
    api.register_converter(SlugConverter, _slug_schema)
    api.register_converter(NameOrIdConverter, _name_or_id_schema)


def _ulid_schema(_converter: BaseConverter) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{ULID}$", "examples": ["01ARZ3NDEKTSV4RRFFQ69G5FAV"]}


def _slug_schema(_converter: BaseConverter) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{SLUG}$"}


def _name_or_id_schema(_converter: BaseConverter) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^({SLUG}|{ULID})$"}
