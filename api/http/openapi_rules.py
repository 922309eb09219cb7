"""Last touches to the OpenAPI document, on the finished whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_PREFIX = "#/components/schemas/"


def open_answers(document: dict[str, Any]) -> None:
    """Let answers grow: only what clients send is closed to unknown fields.

    Each schema of marshmallow says what it refuses when it reads, whether or not it ever reads.
    """
    schemas = document["components"]["schemas"]
    sent = _reachable(schemas, [_bodies(document)])
    for name, schema in schemas.items():
        if name not in sent:
            schema.pop("additionalProperties", None)


def plain_arguments(document: dict[str, Any]) -> None:
    """Take `null` out of query arguments: an argument is given or it is not.

    What chooses members is written with commas.
    """
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()) if isinstance(operation, dict) else ():
                if parameter.get("in") == "query":
                    _without_null(parameter["schema"])
                    if parameter["name"] == "fields":
                        parameter["explode"] = False


def settle_constants(document: dict[str, Any]) -> None:
    """Say `const` of what is always the same; a default alone says nothing of what is sent."""
    for schema in document["components"]["schemas"].values():
        for part in schema.get("properties", {}).values():
            if "default" in part and not part.keys() & {"type", "anyOf", "$ref"}:
                value = part.pop("default")
                part["type"] = "integer" if isinstance(value, int) else "string"
                part["const"] = value


def text_is_text(document: dict[str, Any]) -> None:
    """A table or a stream is a text to clients, whatever its lines are."""
    for path in document["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values() if isinstance(operation, dict) else ():
                for kind, content in response.get("content", {}).items():
                    if kind.startswith("text/"):
                        content["schema"] = {"type": "string"}


def _without_null(schema: dict[str, Any]) -> None:
    if schema.get("default", ...) is None:
        del schema["default"]
    if isinstance(schema.get("type"), list):
        schema["type"] = next(kind for kind in schema["type"] if kind != "null")
    if "enum" in schema:
        schema["enum"] = [value for value in schema["enum"] if value is not None]


def _bodies(document: dict[str, Any]) -> list[Any]:
    return [
        operation.get("requestBody")
        for path in document["paths"].values()
        for operation in path.values()
        if isinstance(operation, dict)
    ]


def _reachable(schemas: dict[str, Any], start: list[Any]) -> set[str]:
    """The names of the schemas that are referred to from `start`, directly or not."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        for name in _references(waiting.pop()):
            if name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(_PREFIX):
            yield target.removeprefix(_PREFIX)
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for member in value:
            yield from _references(member)
