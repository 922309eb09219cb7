"""What the OpenAPI document says of an operation beyond flask-smorest: everything it may answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from marshmallow import Schema

from ..errors import STATUS
from .paged import PART, PageQuery, part_schema
from .streaming import EVENT_STREAM

if TYPE_CHECKING:
    from .operation import Operation

_PATH_PARAMETER = re.compile(r"<(?:[^:<>]+:)?([^<>]+)>")

ERROR_NAMES = {
    304: "NotModified",
    **{status: kind.__name__ for kind, status in STATUS.items()},
    500: "ServerError",
}


EVERYWHERE = ("X-Request-Id", "RateLimit", "RateLimit-Policy")
"""The headers of every answer of an operation."""


def complete(apidoc: dict[str, Any], operation: Operation, rule: str) -> None:
    """Add operationId, security, header parameters, headers and errors to `_apidoc`."""
    arguments = apidoc.setdefault("arguments", {"parameters": []})
    arguments["parameters"].extend(_header_parameters(operation))
    arguments.pop("responses", None)  # the 422 by a name that changes with the Python version
    if operation.answering.stream is not None:
        _add_stream(apidoc, operation.answering.stream)
    if operation.answering.partial and operation.answering.schema is not None:
        _add_part(apidoc, part_schema(operation.answering.schema))
    for responses in apidoc["response"]["responses"].values():
        for response in responses:
            response["headers"] = {name: name for name in _headers(operation)}
    apidoc.setdefault("manual_doc", {}).update(
        operationId=operation.name,
        security=_security(operation),
        **({"deprecated": True} if operation.deprecated else {}),
        responses={status: ERROR_NAMES[status] for status in sorted(_errors(operation, rule))},
    )


def _add_stream(apidoc: dict[str, Any], content_type: str) -> None:
    """The other form of a list. (flask-smorest shows what it was told last first.)"""
    stream = {"description": "OK", "content_type": content_type, "schema": {"type": "string"}}
    apidoc["response"]["responses"][200].insert(0, stream)


def _add_part(apidoc: dict[str, Any], schema: Schema) -> None:
    part = {"description": "OK", "content_type": PART, "schema": schema}
    apidoc["response"]["responses"][200].insert(0, part)


def path_parameters(rule: str) -> list[dict[str, str]]:
    """A sentence for every part of a path that varies."""
    return [
        {"in": "path", "name": name, "description": _which(name)}
        for name in _PATH_PARAMETER.findall(rule)
    ]


def _which(name: str) -> str:
    noun = name.removesuffix("_id").replace("_", " ")
    return f"Which {noun}, by its id." if name.endswith("_id") else f"Which {noun}."


def _security(operation: Operation) -> list[dict[str, list[str]]]:
    if operation.scope is None:
        return [{}, {"token": []}]
    return [{"token": [operation.scope] if operation.scope else []}]


def _header_parameters(operation: Operation) -> Iterator[str]:
    if operation.conditional:
        yield "IfMatch"
    if operation.idempotent:
        yield "IdempotencyKey"
    if not operation.writes:
        yield "IfNoneMatch"
    if operation.answering.stream == EVENT_STREAM:
        yield "LastEventId"
    yield "RequestId"


def _headers(operation: Operation) -> Iterator[str]:
    yield from EVERYWHERE
    if operation.answering.schema is not None:
        yield "ETag"
    if operation.answering.status == 201:
        yield "Location"
    if operation.idempotent:
        yield "Idempotent-Replayed"
    if isinstance(operation.query, PageQuery):
        yield "Link"
    if operation.deprecated:
        yield from ("Deprecation", "Sunset")


def _errors(operation: Operation, rule: str) -> set[int]:
    statuses = {401, 406, 422, 429, 500, 503, *operation.errors}
    if operation.scope is not None:
        statuses.add(403)
    if "<" in rule:
        statuses.add(404)
    statuses |= {400, 408, 413, 415} if operation.writes else {304}
    if operation.conditional:
        statuses |= {412, 428}
    if operation.idempotent:
        statuses.add(409)
    return statuses
