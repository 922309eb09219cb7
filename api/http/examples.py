"""Examples for every body of the OpenAPI document, put together from its own schemas.

So they cannot go stale: a field that is added tomorrow is in them. Ids are those of one imagined
arena, the same wherever they stand; `example_values.py` has what people should read. A test holds
every example against its schema, and every body against the code that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from ..errors import STATUS
from ..models.base import ULID
from .example_values import BEGUN, BODIES, NOUNS, VALUES, ulid

Json = dict[str, Any]

_PREFIX = "#/components/schemas/"
_EMPTY = {"absent", "apart", "byes", "forbidden_pairs", "out", "substitutions", "unavoidable"}
"""Lists that are empty more often than not."""

_TEXTS = {
    "text/csv": "position,rank,entry_id,name\r\n1,1,{entry},Careful\r\n",
    "text/event-stream": 'id: 17\ndata: {{"seq": 17, "kind": "round.opened"}}\n\n',
    "application/x-ndjson": '{{"kind": "decide", "seat": 2}}\n',
}


def add_examples(document: Json) -> None:
    """Give every body that is sent or answered an example."""
    maker = Examples(document["components"]["schemas"])
    for path in document["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict):
                _of_operation(maker, operation)
    for name, response in document["components"]["responses"].items():
        for content in response.get("content", {}).values():
            content["example"] = _problem(maker, name)


def _of_operation(maker: Examples, operation: Json) -> None:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        content["example"] = maker.sent(content["schema"])
    for response in operation["responses"].values():
        for kind, content in response.get("content", {}).items():
            content["example"] = maker.answered(kind, content["schema"])


def _problem(maker: Examples, name: str) -> Json:
    """The problem document of an error response, by the response's name."""
    made: Json = maker.of({"$ref": f"{_PREFIX}Problem"}, "")
    kinds = {kind.__name__: (kind, status) for kind, status in STATUS.items()}
    found = kinds.get(name)
    if found is None:
        title = HTTPStatus.INTERNAL_SERVER_ERROR.phrase
        made |= {"type": "about:blank", "title": title, "status": 500}
        made |= {"code": "internal_server_error", "detail": "The server failed; the log says how."}
    else:
        kind, status = found
        made |= {"type": f"/problems/{kind.code}", "title": kind.title, "status": status}
        made |= {"code": kind.code, "detail": f"{kind.title}."}
    if made["status"] != HTTPStatus.UNPROCESSABLE_ENTITY:
        del made["errors"]
    return made


class Examples:
    """Makes examples of the schemas of one document."""

    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas

    def sent(self, schema: Json) -> Any:
        """A body that a client sends."""
        name = schema.get("$ref", "").removeprefix(_PREFIX)
        if name in BODIES:
            return dict(BODIES[name])
        found = self._schemas[name]
        wanted = set(found.get("required", ())) | {
            field for field in found["properties"] if f"{name}.{field}" in VALUES
        }
        wanted = wanted or set(list(found["properties"])[:1])
        return {
            field: self.of(part, field, name)
            for field, part in found["properties"].items()
            if field in wanted
        }

    def answered(self, kind: str, schema: Json) -> Any:
        """A body that the server answers with; of text, what it begins with."""
        if schema.get("type") == "string":
            return _TEXTS[kind].format(entry=ulid("entry"))
        return self.of(schema, "")

    def of(self, schema: Json, field: str, owner: str = "", depth: int = 0) -> Any:
        """A value of a schema that stands as `field` in the schema `owner`."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_PREFIX)
            return self._named(name, field, owner, depth)
        if "const" in schema:
            return schema["const"]
        for place in (f"{owner}.{field}", field):
            if place in VALUES and self._fits(schema, VALUES[place]):
                return VALUES[place]
        if "examples" in schema:
            return schema["examples"][0]
        if "anyOf" in schema:
            return self._one_of(schema["anyOf"], field, owner, depth)
        return self._plain(schema, field, owner, depth)

    def _named(self, name: str, field: str, owner: str, depth: int) -> Any:
        schema = self._schemas[name]
        if "enum" in schema:
            places = (f"{owner}.{field}", field)
            wanted = [VALUES[place] for place in places if place in VALUES]
            return next((value for value in wanted if value in schema["enum"]), schema["enum"][0])
        if field in VALUES and self._fits(schema, VALUES[field]):
            return VALUES[field]
        return self.of(schema, field, name, depth + 1)

    def _one_of(self, members: list[Json], field: str, owner: str, depth: int) -> Any:
        """Null where that is possible and the rest is not worth the space."""
        nullable = {"type": "null"} in members
        return None if nullable and depth > 1 else self.of(members[0], field, owner, depth)

    def _plain(self, schema: Json, field: str, owner: str, depth: int) -> Any:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if "null" in kinds:
            return None
        match kinds[0]:
            case "object":
                return self._object(schema, owner, depth)
            case "array":
                return self._array(schema, field, owner, depth)
            case "string":
                return _text(schema, field, owner)
            case "boolean":
                return schema.get("default", False)
        return schema.get("default", max(schema.get("minimum", 0), 0))

    def _object(self, schema: Json, owner: str, depth: int) -> Json:
        return {
            field: self.of(part, field, owner, depth)
            for field, part in schema.get("properties", {}).items()
        }

    def _array(self, schema: Json, field: str, owner: str, depth: int) -> list[Any]:
        if schema.get("default"):
            return list(schema["default"])
        if field in _EMPTY and not schema.get("minItems"):
            return []
        item = self.of(schema["items"], field, owner, depth + 1)
        return [item] * schema.get("minItems", 1)

    def _fits(self, schema: Json, value: Any) -> bool:
        """Whether a value is of a schema's type, as far as values of ours need asking."""
        if "$ref" in schema:
            return self._fits(self._schemas[schema["$ref"].removeprefix(_PREFIX)], value)
        if "anyOf" in schema:
            return any(self._fits(member, value) for member in schema["anyOf"])
        if value is not None and value not in schema.get("enum", [value]):
            return False
        if _type(value) == "array" and value:
            return "array" in schema.get("type", ()) and self._fits(schema["items"], value[0])
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        if _type(value) in ("integer", "number") and not low <= value <= high:
            return False
        return _type(value) in schema.get("type", ()) and "pattern" not in schema


def _text(schema: Json, field: str, owner: str) -> str:
    if schema.get("format") == "date-time":
        return BEGUN
    if ULID in schema.get("pattern", ""):
        return ulid(_noun(field, owner))
    default = schema.get("default")
    return default if isinstance(default, str) else field.replace("_", " ") or "text"


def _noun(field: str, owner: str) -> str:
    """What an id is an id of: `agent` for `agent_id`, and for `id` of an `AgentCreated`."""
    if field in NOUNS:
        return NOUNS[field]
    if field != "id":
        return field.removesuffix("_id")
    return "_".join(_words(owner))


@cache
def _words(owner: str) -> tuple[str, ...]:
    words = [word.lower() for word in re.findall("[A-Z][a-z]*", owner)]
    kept = [word for word in words if word not in ("created", "detail", "page", "part", "summary")]
    return tuple(kept)


def _type(value: object) -> str:
    names: Mapping[type, str] = {
        bool: "boolean", int: "integer", float: "number", str: "string", list: "array",
        dict: "object", type(None): "null",
    }  # fmt: skip
    return names[type(value)]
