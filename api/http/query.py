"""Reading query arguments: unknown ones and repeated ones are refused, types are exact."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError, fields

from ..errors import FieldError, Invalid
from .paged import Names
from .pointers import field_errors

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_CONTROL = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_FLAGS = {"true": True, "false": False}


def load_query(request: Request, schema: Schema | None) -> dict[str, Any]:
    """The arguments by their schema (none without one); raises `Invalid` with `?name`."""
    schema = schema or Schema()
    given = {name: _argument(schema, name, values) for name, values in request.args.lists()}
    try:
        loaded: dict[str, Any] = schema.load(given)
    except ValidationError as error:
        raise Invalid(map(_in_query, field_errors(error.messages))) from None
    return loaded


def _argument(schema: Schema, name: str, values: Sequence[str]) -> object:
    field = schema.load_fields.get(name)
    if any(_CONTROL.search(value) for value in values):
        raise Invalid([(f"?{name}", "character", "Control characters are not allowed.")])
    if isinstance(field, Names):
        return [name for value in values for name in value.split(",")]
    if isinstance(field, fields.List):
        return [_typed(field.inner, value) for value in values]
    if len(values) > 1:
        raise Invalid([(f"?{name}", "duplicate", "The argument is given twice.")])
    return _typed(field, values[0])


def _typed(field: fields.Field[Any] | None, value: str) -> object:
    """The text as JSON would have it, where the field wants a number or a truth value."""
    if isinstance(field, fields.Integer) and _INTEGER.fullmatch(value):
        return int(value)
    if isinstance(field, fields.Boolean):
        return _FLAGS.get(value, value)
    return value


def _in_query(error: FieldError) -> FieldError:
    name = error.pointer.lstrip("/").split("/", 1)[0]
    return error._replace(pointer=f"?{name}")
