"""Links in the OpenAPI document: what can be done with a thing that was just made.

The answer of a creation has the thing's id; every operation whose path wants nothing else follows
from it, with the ETag where a version is wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]

_ONE_ID = re.compile(r"[^{}]*{([a-z_]+_id)}[^{}]*")
_MADE = re.compile("(Created|Detail)$")


def add_links(document: Json) -> None:
    """Tell in each creation which operations take the id of what it made."""
    by_id = _by_id(document["paths"])
    for path in document["paths"].values():
        for operation in path.values():
            made = _made(operation) if isinstance(operation, dict) else None
            links = by_id.get(made or "", {})
            if links:
                operation["responses"]["201"]["links"] = {
                    name: dict(link) for name, link in links.items()
                }


def _made(operation: Json) -> str | None:
    """The parameter that takes the id of what an operation makes: `agent_id`."""
    content = operation["responses"].get("201", {}).get("content", {})
    component = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    name = _MADE.sub("", component.rpartition("/")[2])
    return re.sub("(?<!^)(?=[A-Z])", "_", name).lower() + "_id" if name else None


def _by_id(paths: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    """parameter -> the operations that want it alone, as links."""
    found: dict[str, dict[str, Json]] = {}
    for path, operations in paths.items():
        match = _ONE_ID.fullmatch(path)
        if match is None:
            continue
        for operation in _operations(operations):
            link = {
                "operationId": operation["operationId"],
                "description": operation["summary"],
                "parameters": _parameters(operation, match[1]),
            }
            found.setdefault(match[1], {})[operation["operationId"]] = link
    return found


def _operations(path: Json) -> Iterator[Json]:
    return (operation for operation in path.values() if isinstance(operation, dict))


def _parameters(operation: Json, name: str) -> dict[str, str]:
    given = {name: "$response.body#/id"}
    if any(part.get("$ref", "").endswith("/IfMatch") for part in operation.get("parameters", ())):
        given["header.If-Match"] = "$response.header.ETag"
    return given
