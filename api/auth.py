"""Who is calling: the bearer token of the request, as a `Principal`."""

from __future__ import annotations

import logging
from collections.abc import Callable

from flask import Flask, Request, Response, g
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from . import limits
from .arena import arena
from .errors import Unauthorized
from .services import tokens
from .services.principal import ANONYMOUS, Principal
from .services.tokens import Known

ANY_TOKEN = ""
"""The scope of operations that every token may use."""

_log = logging.getLogger(__name__)


def authenticate(request: Request, session: Session, scope: str | None) -> Principal:
    """The caller, with the scope that the operation needs (None: everybody may, `ANY_TOKEN`: all
    who have a token), within the limits on requests.

    Raises `TooMany`, `Unauthorized` without a valid token, `Forbidden` without the scope. A token
    that is sent to a public operation must be valid all the same.
    """
    authorization = request.headers.get("Authorization")
    if authorization is None:
        limits.by_address()
        if scope is None:
            return ANONYMOUS
        raise Unauthorized("Send a token: Authorization: Bearer arn_pat_…")
    known = _identify(session, _token(authorization))
    g.token_id = known.token_id
    limits.by_token(known.token_id)
    if known.needs_touch:
        g.used_token = known.token_id
    if scope:
        known.principal.require(scope)
    return known.principal


def _token(authorization: str) -> str:
    """What follows `Bearer`. (werkzeug's own reading of the header fails at some that are none.)"""
    kind, _, token = authorization.strip().partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        limits.failed_login("")
        raise Unauthorized("Only bearer tokens are accepted.", code="invalid_token")
    return token.strip()


def _identify(session: Session, text: str) -> Known:
    try:
        return tokens.identify(session, text)
    except Unauthorized:
        limits.failed_login(text)
        raise


def register(app: Flask) -> None:
    """Write down the use of tokens, after the request's own transactions."""
    app.after_request(_touch)


def _touch(response: Response) -> Response:
    write_down_use("used_token", tokens.touch, "token")
    return response


def write_down_use(name: str, touch: Callable[[Session, str], None], what: str) -> None:
    """Touch what the request noted in `g` under `name`, in a transaction of its own.

    That an answer is ready weighs more than that its use is known: a busy database is only logged.
    """
    used = g.pop(name, None)
    if used is None:
        return
    try:
        with arena().database.begin() as session:
            touch(session, used)
    except OperationalError:
        _log.warning("the last use of a %s was not written down", what, exc_info=True)
