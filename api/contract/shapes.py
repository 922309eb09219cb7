"""Two JSON Schemas compared: what is sent must not narrow, what comes must not widen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

Schema = Mapping[str, Any]
Found = tuple[str, str, str]
"""(kind, place below the schema, detail)."""

_NUMBERS = (
    ("minimum", "minLength", "minItems", "exclusiveMinimum"),
    (
        "maximum",
        "maxLength",
        "maxItems",
        "exclusiveMaximum",
    ),
)
_FORMS = ("pattern", "format", "const")
_ANY = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


class Direction(Enum):
    """Which way a value travels."""

    SENT = "sent"  # by the client
    RECEIVED = "received"


class Resolver:
    """Follows `$ref` within one document."""

    def __init__(self, document: Schema) -> None:
        self._document = document

    def __call__(self, value: Any) -> Any:
        while isinstance(value, Mapping) and "$ref" in value:
            target: Any = self._document
            for part in value["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            value = target
        return self._one_of_values(value)

    def _one_of_values(self, value: Any) -> Any:
        """An enumeration with `null` beside it, as one enumeration with `null` in it."""
        match value:
            case {"anyOf": [{"$ref": _} as named, {"type": "null"}]}:
                inner = self(named)
                if "enum" in inner:
                    return {"type": [inner["type"], "null"], "enum": [*inner["enum"], None]}
        return value


Resolvers = tuple[Resolver, Resolver]


def shape_changes(
    resolvers: Resolvers,
    old: Schema,
    new: Schema,
    direction: Direction,
    seen: frozenset[tuple[int, int]] = frozenset(),
) -> Iterator[Found]:
    """Every breaking difference between two schemas, with its place as `.field` or `[]`."""
    old, new = resolvers[0](old), resolvers[1](new)
    if (id(old), id(new)) in seen:
        return
    seen |= {(id(old), id(new))}
    yield from _type_changes(resolvers, old, new, direction)
    yield from _enum_changes(old, new, direction)
    if direction is Direction.SENT:
        yield from _narrowed(old, new)
    yield from _field_changes(resolvers, old, new, direction, seen)
    if "items" in old and "items" in new:
        for kind, at, detail in shape_changes(
            resolvers, old["items"], new["items"], direction, seen
        ):
            yield kind, f"[]{at}", detail
    yield from _member_changes(resolvers, old, new, direction, seen)


def _types(resolver: Resolver, schema: Schema) -> frozenset[str]:
    """The JSON types that a schema allows; `integer` is a `number` too."""
    for word in ("anyOf", "oneOf"):
        if word in schema:
            members = [_types(resolver, resolver(member)) for member in schema[word]]
            return frozenset().union(*members)
    given = schema.get("type")
    types = frozenset([given] if isinstance(given, str) else given or _ANY)
    return types | {"integer"} if "number" in types else types


def _type_changes(
    resolvers: Resolvers, old: Schema, new: Schema, direction: Direction
) -> Iterator[Found]:
    was, now = _types(resolvers[0], old), _types(resolvers[1], new)
    lost, gained = was - now, now - was
    if direction is Direction.SENT and lost:
        yield "type", "", f"{', '.join(sorted(lost))} is not accepted any more"
    if direction is Direction.RECEIVED and gained:
        yield "type", "", f"may be {', '.join(sorted(gained))} now"


def _enum_changes(old: Schema, new: Schema, direction: Direction) -> Iterator[Found]:
    was, now = old.get("enum"), new.get("enum")
    if direction is Direction.SENT and now is not None:
        gone = [value for value in was or [] if value not in now]
        if was is None or gone:
            yield "enum", "", f"only {_listed(now)} is accepted now"
    if direction is Direction.RECEIVED and was is not None:
        more = [value for value in now or [] if value not in was]
        if now is None or more:
            yield "enum", "", f"may be {_listed(more) if now else 'anything'} now"


def _listed(values: list[Any]) -> str:
    return ", ".join(map(str, values))


def _narrowed(old: Schema, new: Schema) -> Iterator[Found]:
    lower, upper = _NUMBERS
    for name in lower:
        if name in new and (name not in old or new[name] > old[name]):
            yield "bounds", "", f"{name} is {new[name]} now"
    for name in upper:
        if name in new and (name not in old or new[name] < old[name]):
            yield "bounds", "", f"{name} is {new[name]} now"
    for name in _FORMS:
        if name in new and new[name] != old.get(name):
            yield "form", "", f"{name} is {new[name]} now"


def _field_changes(
    resolvers: Resolvers,
    old: Schema,
    new: Schema,
    direction: Direction,
    seen: frozenset[tuple[int, int]],
) -> Iterator[Found]:
    was, now = old.get("properties", {}), new.get("properties", {})
    must, must_now = set(old.get("required", [])), set(new.get("required", []))
    for name, schema in was.items():
        if name not in now:
            yield "field_removed", f".{name}", "the field is gone"
            continue
        for kind, at, detail in shape_changes(resolvers, schema, now[name], direction, seen):
            yield kind, f".{name}{at}", detail
    if direction is Direction.SENT:
        for name in sorted(must_now - must):
            yield "required", f".{name}", "the field must be sent now"
    else:
        for name in sorted((must - must_now) & set(now)):
            yield "required", f".{name}", "the field may be missing now"


def _member_changes(
    resolvers: Resolvers,
    old: Schema,
    new: Schema,
    direction: Direction,
    seen: frozenset[tuple[int, int]],
) -> Iterator[Found]:
    """Members of anyOf and oneOf, first with first; types and numbers were compared already."""
    for word in ("anyOf", "oneOf", "allOf"):
        for was, now in zip(old.get(word, []), new.get(word, []), strict=False):
            yield from shape_changes(resolvers, was, now, direction, seen)
