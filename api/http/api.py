"""The project's `Api`: flask-smorest with our errors, our components, and a document built once."""

from __future__ import annotations

from functools import cached_property
from http import HTTPStatus
from typing import Any

import flask_smorest
import orjson
from flask import Flask, Response
from marshmallow import Schema, fields
from werkzeug.exceptions import HTTPException

from ..access import SCOPES
from ..errors import STATUS
from . import problems
from .described import describe_types
from .documented import ERROR_NAMES, EVERYWHERE
from .enumerations import name_enumerations
from .examples import add_examples
from .links import add_links
from .openapi_rules import open_answers, plain_arguments, settle_constants, text_is_text


class FieldProblem(Schema):
    """One wrong place of a request."""

    pointer = fields.String(
        required=True,
        metadata={"description": "JSON pointer into the body, or `?name` for a query argument."},
    )
    code = fields.String(required=True, metadata={"description": "Stable, for programs."})
    detail = fields.String(required=True, metadata={"description": "A sentence for people."})


class Problem(Schema):
    """An error (RFC 9457)."""

    type = fields.String(required=True, metadata={"description": "What kind, as a URI reference."})
    title = fields.String(required=True, metadata={"description": "What kind, in words."})
    status = fields.Integer(required=True, metadata={"description": "The HTTP status."})
    detail = fields.String(required=True, metadata={"description": "What went wrong here."})
    instance = fields.String(required=True, metadata={"description": "The request's id."})
    code = fields.String(required=True, metadata={"description": "Stable, for programs."})
    errors = fields.List(
        fields.Nested(FieldProblem), metadata={"description": "The places that were wrong."}
    )


class Api(flask_smorest.Api):  # type: ignore[misc]
    """Binds blueprints to the application and gathers their documentation."""

    ERROR_SCHEMA = Problem
    DEFAULT_ERROR_RESPONSE_NAME = None

    def init_app(self, app: Flask, **options: Any) -> None:
        """Bind to an application; each gets a document of its own."""
        self.__dict__.pop("document", None)
        super().init_app(app, **options)

    def handle_http_exception(self, error: HTTPException) -> Response:
        """flask-smorest's hook: errors that werkzeug raises."""
        return problems.http_error(error)

    @cached_property
    def document(self) -> bytes:
        """The OpenAPI document, built at first use and never again."""
        document = self.spec.to_dict()
        describe_types(document, self.ma_plugin.converter.refs)
        open_answers(document)
        plain_arguments(document)
        settle_constants(document)
        text_is_text(document)
        name_enumerations(document)
        add_examples(document)
        add_links(document)
        return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"

    def _register_responses(self) -> None:
        """flask-smorest's hook: one named response for each error status."""
        titles = {status: kind.title for kind, status in STATUS.items()}
        for status, name in ERROR_NAMES.items():
            title = titles.get(status, HTTPStatus(status).phrase)
            response: dict[str, Any] = {
                "description": f"{title}.",
                "headers": {name: name for name in EVERYWHERE},
            }
            if status in (429, 503):
                response["headers"]["Retry-After"] = "Retry-After"
            if status >= 400:
                response["content"] = {problems.PROBLEM: {"schema": Problem}}
            self.spec.components.response(name, response, lazy=True)

    def _register_etag_headers(self) -> None:
        """flask-smorest's hook: the headers and header parameters that operations refer to."""
        for name, description in _HEADERS.items():
            header = {"description": description, "schema": {"type": "string"}}
            self.spec.components.header(name, header, lazy=name != "Retry-After")
        for component, parameter in _PARAMETERS.items():
            self.spec.components.parameter(component, "header", dict(parameter), lazy=True)
        scopes = "\n".join(f"- `{scope}`: {meaning}" for scope, meaning in SCOPES.items())
        self.spec.components.security_scheme(
            "token",
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "arn_pat_",
                "description": f"A token of an account. Its scopes:\n\n{scopes}",
            },
        )

    def _register_pagination_header(self) -> None:
        """flask-smorest's own paging is not used."""


_HEADERS = {
    "ETag": "Tag of this answer, for `If-None-Match` and `If-Match`.",
    "Location": "Where the new thing is.",
    "Link": 'The next page, as `rel="next"`, unless this is the last one.',
    "X-Request-Id": "The request's id, in the logs too.",
    "RateLimit": 'What is left of the limit: `"token";r=2999;t=60`, 2999 requests in 60 seconds.',
    "RateLimit-Policy": 'The limit: `"token";q=3000;w=60`, 3000 requests in 60 seconds.',
    "Deprecation": "Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745).",
    "Sunset": "When the operation goes, as an HTTP date (RFC 8594).",
    "Retry-After": "Seconds after which to try again.",
    "Idempotent-Replayed": "`true` when this is the stored answer of an earlier request.",
}

_PARAMETERS: dict[str, dict[str, Any]] = {
    "IfMatch": {
        "name": "If-Match",
        "required": True,
        "description": "The ETag of what you read; another version gives 412.",
        "schema": {"type": "string", "pattern": '^"[!#-~]+"$', "maxLength": 100},
    },
    "IfNoneMatch": {
        "name": "If-None-Match",
        "description": "ETags that you have; a match gives 304.",
        "schema": {"type": "string"},
    },
    "LastEventId": {
        "name": "Last-Event-ID",
        "description": "Where a stream goes on: the last id that you had. A list ignores it.",
        "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "description": "A name of your choice for this request; again within a day, it gets the "
        "first answer.",
        "schema": {"type": "string", "pattern": "^[!-~]+$", "maxLength": 255},
    },
    "RequestId": {
        "name": "X-Request-Id",
        "description": "A name of your choice for this request in the logs; 64 letters, digits "
        "and `._~-` at most, else a new one is made.",
        "schema": {"type": "string"},
    },
}
