"""Who makes the changes of the present transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Origin:
    """An account's token in a request; without them the server itself, or its operator."""

    operation: str
    account_id: str | None = None
    token_id: str | None = None
    request_id: str | None = None


SERVER: Final = Origin("server")
"""Schedulers and workers."""

_current: ContextVar[Origin] = ContextVar("origin", default=SERVER)


def origin() -> Origin:
    """Who acts now."""
    return _current.get()


@contextmanager
def acting(who: Origin) -> Iterator[None]:
    """What is committed inside was done by `who`."""
    before = _current.set(who)
    try:
        yield
    finally:
        _current.reset(before)
