"""Who is calling: the bearer token of the request, as a `Principal`."""

from __future__ import annotations

from flask import Request
from sqlalchemy.orm import Session

from .arena import Arena
from .errors import Unauthorized
from .services import tokens
from .services.principal import ANONYMOUS, Principal

ANY_TOKEN = ""
"""The scope of operations that every token may use."""


def authenticate(request: Request, session: Session, arena: Arena, scope: str | None) -> Principal:
    """The caller, with the scope that the operation needs (None: everybody may, `ANY_TOKEN`: all
    who have a token).

    Raises `Unauthorized` without a valid token, `Forbidden` without the scope. A token that is sent
    to a public operation must be valid all the same.
    """
    authorization = request.authorization
    if authorization is None and "Authorization" not in request.headers:
        if scope is None:
            return ANONYMOUS
        raise Unauthorized("Send a token: Authorization: Bearer arn_pat_…")
    if authorization is None or authorization.type != "bearer" or not authorization.token:
        raise Unauthorized("Only bearer tokens are accepted.", code="invalid_token")
    known = tokens.identify(session, authorization.token)
    if known.needs_touch:
        with arena.database.begin() as writing:
            tokens.touch(writing, known.token_id)
    if scope:
        known.principal.require(scope)
    return known.principal
