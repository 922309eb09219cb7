"""Every failure leaves as `application/problem+json` (RFC 9457), whoever raised it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus

import orjson
from flask import Flask, Response, g, make_response, request
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException

from ..errors import STATUS, DomainError, FieldError, status_of
from .etag import NotModified

PROBLEM = "application/problem+json"

_KINDS = {status: kind for kind, status in STATUS.items()}
_log = logging.getLogger(__name__)


def register(app: Flask) -> None:
    """Answer every error of the application as a problem."""
    app.register_error_handler(DomainError, _domain_error)
    app.register_error_handler(NotModified, _not_modified)
    app.register_error_handler(OperationalError, _unavailable)
    app.register_error_handler(PoolTimeout, _unavailable)


def http_error(error: HTTPException) -> Response:
    """Errors of werkzeug and Flask: no such path, method or an unexpected exception."""
    if error.code is None or error.code < 400:
        return make_response(error.get_response())  # a redirect
    kind = _KINDS.get(error.code)
    code = kind.code if kind else error.name.lower().replace(" ", "_")
    headers = {name: value for name, value in error.get_headers() if name.lower() != "content-type"}
    return problem(error.code, code, sentence(error), headers=headers)


def problem(
    status: int,
    code: str,
    detail: str,
    errors: list[FieldError] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """One problem document.

    `type` leads to the page of the error's kind (pages.py); `instance` is the request's id, by
    which the logs know it.
    """
    kind = _KINDS.get(status)
    body: dict[str, object] = {
        "type": f"/problems/{kind.code}" if kind else "about:blank",
        "title": kind.title if kind else HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "instance": g.get("request_id", ""),
        "code": code,
    }
    if errors:
        body["errors"] = [error._asdict() for error in errors]
    return Response(orjson.dumps(body), status, headers, mimetype=PROBLEM)


def _domain_error(error: DomainError) -> Response:
    return problem(status_of(error), error.problem_code, error.detail, error.errors, error.headers)


def _not_modified(error: NotModified) -> Response:
    response = Response(status=304)
    del response.headers["Content-Type"]
    response.set_etag(error.tag)
    return response


def _unavailable(error: OperationalError | PoolTimeout) -> Response:
    _log.error("%s %s: the database failed", request.method, request.path, exc_info=error)
    return problem(
        503,
        "database_unavailable",
        "The database did not answer in time; try again.",
        headers={"Retry-After": "2"},
    )


def sentence(error: HTTPException) -> str:
    """What to tell of an error that werkzeug raised."""
    if error.code == 404:
        return "There is nothing at this address."
    if error.code == 405:
        return f"{request.method} is not possible here; Allow lists what is."
    if error.code == 500:
        return "The server failed; the log has the details under the request's id."
    return error.description or error.name
