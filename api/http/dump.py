"""Showing objects by a schema: what marshmallow's `dump` gives, with the questions asked once.

marshmallow asks every field of every object anew how it is to be shown. Here that is worked out
once an operation, and written down as a function of Python, as `dataclasses` does: one dictionary
for a thing that has all its members, a slower way for one that lacks some. A schema with hooks or
with a field of an unknown kind is still shown by marshmallow itself; a test compares the two for
every schema of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NamedTuple

from marshmallow import Schema, fields, missing

Convert = Callable[[Any], Any]


class Part(NamedTuple):
    """A member that is shown: its name, the attribute or key it comes from, how it is shown.

    `expression` is the last one in Python, of the variable `v`, which is not None.
    """

    key: str
    source: str
    expression: str


def shower(schema: Schema) -> Convert:
    """A function that shows one object as `schema.dump` does."""
    writer = _Writer()
    parts = [writer.part(name, field) for name, field in schema.dump_fields.items()]
    known = [part for part in parts if part is not None]
    if any(schema._hooks.values()) or len(known) < len(parts):
        return lambda thing: schema.dump(thing, many=False)
    return writer.function(known)


class _Writer:
    """Writes expressions; `names` is what they speak of."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"Mapping": Mapping, "missing": missing}
        self._numbers = count(1)

    def part(self, name: str, field: fields.Field[Any]) -> Part | None:
        """How a field is shown; None for a kind that is not known here."""
        source = field.attribute or name
        expression = self._expression(field, "v")
        if expression is None or not source.isidentifier() or field.dump_default is not missing:
            return None
        return Part(field.data_key or name, source, expression)

    def function(self, parts: list[Part]) -> Convert:
        """All the parts of a mapping or an object."""
        lines = [
            "def show(thing):",
            "    try:",
            "        if thing.__class__ is dict:",
            f"            return {_whole(parts, 'thing[{!r}]')}",
            f"        return {_whole(parts, 'thing.{}')}",
            "    except (AttributeError, KeyError):",
            "        return shown(thing)",
        ]
        converts: list[tuple[str, str, Convert]] = [
            (part.key, part.source, eval(f"lambda v: {part.expression}", self.names))  # noqa: S307 - our own text
            for part in parts
        ]
        names = self.names | {"shown": lambda thing: _shown(converts, thing)}
        exec("\n".join(lines), names)  # noqa: S102 - our own text, made of the schema's names
        made: Convert = names["show"]
        return made

    def _expression(self, field: fields.Field[Any], of: str) -> str | None:
        """How a field shows the variable `of`."""
        if isinstance(field, fields.Nested):
            name = self._named(shower(field.schema))
            many = field.many or field.schema.many
            return self._each(of, "{0}({1})".format, name) if many else f"{name}({of})"
        if isinstance(field, fields.List):
            return self._each(of, self._expression, field.inner)
        if isinstance(field, fields.Dict):
            return self._dict(field, of)
        if (show := getattr(field, "show", None)) is not None:
            return f"{self._named(show)}({of})"
        if isinstance(field, fields.Float):  # its method is Integer's
            return f"float({of})"
        simple = _SIMPLE.get(type(field)._serialize)
        return simple and simple.format(of)

    def _dict(self, field: fields.Dict, of: str) -> str | None:
        key, value = f"k{next(self._numbers)}", f"w{next(self._numbers)}"
        keys = self._expression(field.key_field, key) if field.key_field else key
        values = self._expression(field.value_field, value) if field.value_field else value
        if keys is None or values is None:
            return None
        shown = f"None if {value} is None else {values}"
        return f"{{{keys}: {shown} for {key}, {value} in {of}.items()}}"

    def _each(self, of: str, write: Callable[[Any, str], str | None], what: Any) -> str | None:
        one = f"w{next(self._numbers)}"
        shown = write(what, one)
        return shown and f"[None if {one} is None else {shown} for {one} in {of}]"

    def _named(self, value: Any) -> str:
        name = f"f{next(self._numbers)}"
        self.names[name] = value
        return name


def _whole(parts: list[Part], access: str) -> str:
    members = (
        f"{part.key!r}: None if (v := {access.format(part.source)}) is None else {part.expression}"
        for part in parts
    )
    return f"{{{', '.join(members)}}}"


def _shown(parts: list[tuple[str, str, Convert]], thing: Any) -> dict[str, Any]:
    """A thing that lacks some members, or a mapping that is no `dict`."""
    if isinstance(thing, Mapping):
        found = ((key, thing.get(source, missing), convert) for key, source, convert in parts)
    else:
        found = ((key, getattr(thing, source, missing), convert) for key, source, convert in parts)
    return {
        key: None if value is None else convert(value)
        for key, value, convert in found
        if value is not missing
    }


_SIMPLE: dict[Any, str] = {
    fields.String._serialize: "({0} if {0}.__class__ is str else str({0}))",
    fields.Integer._serialize: "({0} if {0}.__class__ is int else int({0}))",
    fields.Raw._serialize: "{0}",  # which is Boolean's as well
}
