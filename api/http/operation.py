"""One operation of the API, and the order in which every request to it is answered.

Who calls (401, 403) comes before what was sent (413, 415, 400, 422), so that a stranger's body is
not even parsed. Nothing is read from the network while a write transaction is open, and the
transaction is committed before the answer leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Response, g, request
from marshmallow import Schema

from ..arena import Arena, arena
from ..auth import authenticate
from ..errors import NotAcceptable
from ..trail import Origin, acting
from . import cursor, etag
from .answer import Answering
from .body import MAX_BODY, load_body, read_body
from .call import Call
from .deprecation import Deprecation
from .once import digest, once, wanted_key
from .paged import PageQuery
from .query import load_query

View = Callable[..., Any]
Glance = Callable[..., etag.Seen]
"""`(session, actor, **path)` → what tells the answer's version before the costly query."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What the decorators of a resource's method declare."""

    name: str
    scope: str | None
    answering: Answering
    body: Schema | None = None
    body_required: bool = False
    query: Schema | None = None
    writes: bool = False
    conditional: bool = False
    idempotent: bool = False
    transaction: bool = True
    before: Callable[[Call], None] | None = None
    max_body: int = MAX_BODY
    errors: Sequence[int] = ()
    deprecated: Deprecation | None = None
    glance: Glance | None = None

    def answer(self, view: View, path: dict[str, Any]) -> Response:
        """Answer the present request with `view(call, **path)`."""
        if self.deprecated is not None:
            g.deprecation = self.deprecated
        if not self.answering.acceptable(request):
            raise NotAcceptable(f"This operation answers with {self.answering.content_type}.")
        if not self.writes and self.transaction:
            return self._read(view, path)
        return self._change(view, path)

    def _read(self, view: View, path: dict[str, Any]) -> Response:
        parts = arena()
        with parts.database.read() as session:
            actor = authenticate(request, session, self.scope)
            query = self._query(parts)
            part = query.pop("fields", None) if self.answering.partial else None
            call = Call(parts, actor, query, transaction=session)
            call.part = frozenset(part) if part else None
            if self.glance is not None:
                call.seen = self.glance(session, actor, **path)
                call.tagged(
                    etag.of_glance(call.seen.tag, request.query_string, self.answering.shape)
                )
            return self._work(call, view, path)

    def _change(self, view: View, path: dict[str, Any]) -> Response:
        parts = arena()
        with parts.database.peek() as session:
            actor = authenticate(request, session, self.scope)
        query = self._query(parts)
        data = read_body(request, self.max_body)
        body = load_body(data, self.body, required=self.body_required)
        call = Call(parts, actor, query, body, self._version())
        key = wanted_key(request) if self.idempotent else None
        who = Origin(self.name, actor.account_id or None, g.get("token_id"), g.request_id)
        with acting(who):
            return self._act(call, view, path, key, data)

    def _act(
        self, call: Call, view: View, path: dict[str, Any], key: str | None, data: bytes
    ) -> Response:
        if self.before is not None:
            self.before(call)
        if not self.transaction:
            return self._work(call, view, path)
        with call.arena.database.begin() as session:
            call.transaction = session
            work = partial(self._work, call, view, path)
            return work() if key is None else once(call, key, digest(request, data), work)

    def _work(self, call: Call, view: View, path: dict[str, Any]) -> Response:
        return self.answering.respond(call, view(call, **path))

    def _query(self, parts: Arena) -> dict[str, Any]:
        query = load_query(request, self.query)
        if isinstance(self.query, PageQuery):
            given = query.pop("cursor", None)
            key = parts.vault.derive("cursor")
            query["after"] = cursor.decode(key, request, given) if given else None
        return query

    def _version(self) -> int | None:
        return etag.required_version(request) if self.conditional else None
