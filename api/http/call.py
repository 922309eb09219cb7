"""What a resource is handed: who calls, with what, in which transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from flask import request
from sqlalchemy.orm import Session

from ..arena import Arena
from ..services.principal import Principal
from . import etag


@dataclass(slots=True)
class Call:
    """One request, checked and parsed.

    `body` and `query` are as the schemas loaded them. `transaction` and `if_match` are read through
    `session` and `version`, which are there when the operation was declared with them; `seen` is
    what its `glance` gave; `part` names the members that a list is to show (None: all).
    """

    arena: Arena
    actor: Principal
    query: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    if_match: int | None = None
    transaction: Session | None = None
    tag: str | None = None
    part: frozenset[str] | None = None
    seen: Any = None

    @property
    def session(self) -> Session:
        """The operation's transaction; operations declared without one open their own."""
        if self.transaction is None:
            raise RuntimeError("this operation was declared with transaction=False")
        return self.transaction

    @property
    def version(self) -> int:
        """The row version that the client saw, for `update_versioned`."""
        if self.if_match is None:
            raise RuntimeError("this operation was declared without If-Match")
        return self.if_match

    def tagged(self, tag: str) -> None:
        """Say the answer's ETag before the costly query: a client that has it gets its 304 here."""
        self.tag = tag
        if etag.matches(request, tag):
            raise etag.NotModified(tag)
