"""The newest events of one topic, shared by all who follow it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..services.event_feed import Wanted
from .wire import message

KEPT = 1000  # events at least; who is further behind reads from the database


class Ringing(Protocol):
    """Who follows, and for what."""

    @property
    def wanted(self) -> Wanted: ...
    def ring(self) -> None: ...


F = TypeVar("F", bound=Ringing)


@dataclass(frozen=True, slots=True)
class Item:
    """An event, ready to be sent."""

    seq: int
    match_id: str | None
    kind: str
    data: bytes

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Item:
        return cls(event["seq"], event["match_id"], event["kind"], message(event))


class Channel(Generic[F]):
    """Complete from after `start` up to `position`. Its caller holds the hub's lock."""

    def __init__(self, position: int) -> None:
        self.start = self.position = position
        self.followers: set[F] = set()
        self._items: list[Item] = []

    def add(self, items: Iterable[Item], end: int) -> None:
        """Take what is new, and wake those who want some of it."""
        fresh = [item for item in items if item.seq > self.position]
        self._items += fresh
        self.position = max(self.position, end)
        if len(self._items) > 2 * KEPT:
            del self._items[:-KEPT]
            self.start = self._items[0].seq - 1
        for follower in self.followers:
            if any(follower.wanted.takes(item.match_id, item.kind) for item in fresh):
                follower.ring()

    def since(self, wanted: Wanted, position: int) -> tuple[list[Item], int] | None:
        """The wanted items after `position`, and up to where they go; None where some are gone."""
        if position < self.start:
            return None
        first = bisect_right(self._items, position, key=lambda item: item.seq)
        items = [i for i in self._items[first:] if wanted.takes(i.match_id, i.kind)]
        return items, max(position, self.position)

    def ring_all(self) -> None:
        for follower in self.followers:
            follower.ring()
