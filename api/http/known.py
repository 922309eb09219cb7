"""Answers to those who have the current version already, before Flask is asked.

Whoever follows a live page asks for it again and again, and mostly nothing has changed. For GETs
that are known by a glance such a request needs no view, no arguments and no answer's body: who
calls, whether the version is still that one, and a 304. The tag covers arguments and version, so it
can only come from an answer to the same request.

This never refuses. A request that is in any way out of the ordinary goes on to the application,
which does everything anew and says what is wrong.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from flask import Flask
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from .. import limits
from ..arena import Arena
from ..errors import DomainError
from ..limiter import State
from ..models.base import ULID
from ..services import tokens
from ..services.limits import Policy
from ..services.principal import ANONYMOUS, Principal
from . import etag, headers
from .answer import ANYTHING
from .blueprint import Blueprint
from .metrics import RequestMetrics
from .operation import Operation

Environ = dict[str, Any]
Headers = list[tuple[str, str]]

_BEARER = "Bearer "
_ID = re.compile(r"<ulid:(\w+)>")


class _Route(NamedTuple):
    path: re.Pattern[str]
    endpoint: str
    operation: Operation


class _Caller(NamedTuple):
    """Who asks, and whom the request counts for."""

    actor: Principal
    policy: Policy
    subject: str


class Known:
    """A WSGI application in front of another."""

    def __init__(
        self, app: Flask, blueprints: Iterable[Blueprint], prefix: str, metrics: RequestMetrics
    ) -> None:
        self._application: Callable[..., Iterable[bytes]] = app.wsgi_app
        self._arena: Arena = app.extensions["baohuang"]
        self._metrics = metrics
        self._routes = [
            _Route(_pattern(prefix + rule), endpoint, operation)
            for blueprint in blueprints
            for rule, endpoint, operation in blueprint.glanced
            if operation.deprecated is None
        ]

    def __call__(self, environ: Environ, start_response: Any) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "GET" and "HTTP_IF_NONE_MATCH" in environ:
            found = self._unchanged(environ)
            if found is not None:
                start_response("304 NOT MODIFIED", found)
                return ()
        return self._application(environ, start_response)

    def _unchanged(self, environ: Environ) -> Headers | None:
        """The headers of a 304; None for whatever is not one."""
        start = time.perf_counter()
        for route in self._routes:
            path = route.path.fullmatch(environ["PATH_INFO"])
            if path is not None:
                answer = self._seen(environ, route.operation, path.groupdict())
                if answer is not None:
                    self._metrics.count("GET", route.endpoint, 304, time.perf_counter() - start)
                return answer
        return None

    def _seen(self, environ: Environ, operation: Operation, path: dict[str, str]) -> Headers | None:
        assert operation.glance is not None, "only such operations have a route here"
        if environ.get("HTTP_ACCEPT", ANYTHING) not in (ANYTHING, operation.answering.content_type):
            return None
        try:
            with self._arena.database.peek() as session:
                caller = self._caller(environ, session, operation.scope)
                if caller is None:
                    return None
                seen = operation.glance(session, caller.actor, **path)
        except (DomainError, SQLAlchemyError):  # Flask's way says what is wrong
            return None
        query = environ.get("QUERY_STRING", "").encode("latin-1")
        tag = etag.of_glance(seen.tag, query, operation.answering.shape)
        given = environ["HTTP_IF_NONE_MATCH"]
        if given.strip() == "*" or not etag.named(given, tag):
            return None
        state = self._within_limits(caller)
        if state is not None and not state.allowed:
            return None
        return _headers(environ, tag, state)

    def _caller(self, environ: Environ, session: Session, scope: str | None) -> _Caller | None:
        """Raises `Unauthorized`."""
        config = self._arena.config
        authorization = environ.get("HTTP_AUTHORIZATION")
        if authorization is None and scope is None:
            subject = limits.network(environ.get("REMOTE_ADDR", ""))
            return _Caller(ANONYMOUS, limits.of_addresses(config), subject)
        if authorization is None or not authorization.startswith(_BEARER):
            return None
        known = tokens.identify(session, authorization.removeprefix(_BEARER))
        if known.needs_touch or (scope and not known.principal.may(scope)):
            return None
        return _Caller(known.principal, limits.of_tokens(config), known.token_id)

    def _within_limits(self, caller: _Caller) -> State | None:
        """How the request fares. It costs nothing, but who is over the limit is not answered."""
        if not caller.policy.quota:
            return None
        state = self._arena.limiter.take(caller.policy, caller.subject)
        if state.allowed:
            self._arena.limiter.give_back(caller.policy, caller.subject)
        return state


def _headers(environ: Environ, tag: str, state: State | None) -> Headers:
    """What the application would send along."""
    made = [
        ("ETag", f'"{tag}"'),
        ("X-Request-Id", headers.request_id(environ.get("HTTP_X_REQUEST_ID", ""))),
        *headers.CAREFUL,
        ("Cache-Control", headers.ASK_AGAIN),
        ("Vary", headers.VARY),
    ]
    if state is not None:
        made += limits.headers(state)
    return made


def _pattern(rule: str) -> re.Pattern[str]:
    """The paths of a rule whose parameters are all identifiers."""
    return re.compile(_ID.sub(rf"(?P<\1>{ULID})", rule))
