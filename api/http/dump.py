"""Showing objects by a schema: what marshmallow's `dump` gives, with the questions asked once.

marshmallow asks every field of every object anew how it is to be shown. Here that is worked out
once an operation. A schema with hooks or with a field of an unknown kind is still shown by
marshmallow itself; a test compares the two for every schema of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import Schema, fields, missing

Convert = Callable[[Any], Any]
Part = tuple[str, str, Convert]  # the name shown, the attribute or key, how its value is shown


def shower(schema: Schema) -> Convert:
    """A function that shows one object as `schema.dump` does."""
    parts = [_part(name, field) for name, field in schema.dump_fields.items()]
    known = [part for part in parts if part is not None]
    if any(schema._hooks.values()) or len(known) < len(parts):
        return lambda thing: schema.dump(thing, many=False)
    return lambda thing: _shown(known, thing)


def _shown(parts: list[Part], thing: Any) -> dict[str, Any]:
    if isinstance(thing, Mapping):
        found = ((key, thing.get(source, missing), convert) for key, source, convert in parts)
    else:
        found = ((key, getattr(thing, source, missing), convert) for key, source, convert in parts)
    return {
        key: None if value is None else convert(value)
        for key, value, convert in found
        if value is not missing
    }


def _part(name: str, field: fields.Field[Any]) -> Part | None:
    source = field.attribute or name
    convert = _converter(field)
    if convert is None or "." in source or field.dump_default is not missing:
        return None
    return field.data_key or name, source, convert


def _converter(field: fields.Field[Any]) -> Convert | None:
    """How a field shows a value that is not None; None for a kind that is not known here."""
    if isinstance(field, fields.Nested):
        show = shower(field.schema)
        return _of_each(show) if field.many or field.schema.many else show
    if isinstance(field, fields.List):
        inner = _converter(field.inner)
        return None if inner is None else _of_each(inner)
    return getattr(field, "show", None) or _KNOWN.get(type(field)._serialize)


def _of_each(convert: Convert) -> Convert:
    return lambda values: [None if value is None else convert(value) for value in values]


def _text(value: Any) -> str:
    return value if type(value) is str else str(value)


def _same(value: Any) -> Any:
    return value


_KNOWN: dict[Any, Convert] = {
    fields.String._serialize: _text,
    fields.Integer._serialize: int,
    fields.Raw._serialize: _same,  # which is Boolean's as well
}
