"""The API's own description, taken apart for tests that run over every operation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit

from flask import Flask
from werkzeug.exceptions import HTTPException

from baohuang.api.openapi import document

METHODS = ("get", "post", "put", "patch", "delete")
Json = dict[str, Any]


@cache
def specification() -> Json:
    """The document as it is generated now."""
    made: Json = json.loads(document())
    return made


def resolved(part: Json) -> Json:
    """What a `$ref` points at; anything else as it is."""
    while "$ref" in part:
        found: Any = specification()
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    spec: Json

    def __str__(self) -> str:
        return str(self.spec["operationId"])

    @property
    def parameters(self) -> list[Json]:
        shared = specification()["paths"][self.path].get("parameters", [])
        return [resolved(part) for part in [*shared, *self.spec.get("parameters", [])]]

    def parameters_in(self, place: str) -> dict[str, Json]:
        return {part["name"]: part for part in self.parameters if part["in"] == place}

    @property
    def responses(self) -> dict[int, Json]:
        return {int(status): resolved(part) for status, part in self.spec["responses"].items()}

    @property
    def success(self) -> tuple[int, Json]:
        """What it answers when all goes well; beside it 204 may say that there was nothing."""
        good = [item for item in self.responses.items() if 200 <= item[0] < 300]
        ((status, response),) = [item for item in good if item[0] != 204] or good
        return status, response

    @property
    def body(self) -> Json:
        """The schema of the body; without one, an object that has no fields."""
        if "requestBody" not in self.spec:
            return {"type": "object", "properties": {}, "additionalProperties": False}
        return resolved(self.spec["requestBody"]["content"]["application/json"]["schema"])

    @property
    def public(self) -> bool:
        return {} in self.spec["security"]

    def filled(self, fills: dict[str, str] | None = None) -> str:
        """The path with its parameters filled in, by default with ids that no row has."""
        names = self.parameters_in("path")
        values = {name: _sample(part["schema"]) for name, part in names.items()} | (fills or {})
        return self.path.format(**values)


def operations() -> Iterator[Operation]:
    for path, methods in specification()["paths"].items():
        for method in METHODS:
            if method in methods:
                yield Operation(method.upper(), path, methods[method])


@cache
def by_address() -> dict[tuple[str, str], Operation]:
    """Operations by method and by path as the specification writes it."""
    return {(operation.method, operation.path): operation for operation in operations()}


def operation_at(app: Flask, method: str, path: str) -> Operation | None:
    """The operation that answers there; None where there is none."""
    adapter = app.url_map.bind("localhost")
    try:
        rule, _ = adapter.match(unquote(urlsplit(path).path), method, return_rule=True)
    except HTTPException:
        return None
    written = re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)
    return by_address().get((method, written))


def types(schema: Json) -> set[str]:
    """The JSON types that a schema takes, `null` included."""
    schema = resolved(schema)
    found: set[str] = set()
    for part in schema.get("anyOf", schema.get("oneOf", [])):
        found |= types(part)
    kind = schema.get("type", [])
    found |= {kind} if isinstance(kind, str) else set(kind)
    for value in schema.get("enum", []):
        found.add(_type_of(value))
    return found


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return names.get(type(value), "object" if isinstance(value, dict) else "array")


def _sample(schema: Json) -> str:
    if "integer" in types(schema):
        return str(schema.get("minimum", 1))
    pattern = schema.get("pattern", "")
    return "01ARZ3NDEKTSV4RRFFQ69G5FAV" if "[0-7]" in pattern else "nothing"
