"""One stream: what happened since the reader's number, then what happens, until it ends."""

from __future__ import annotations

import random
import time
from collections.abc import Generator, Iterator
from functools import partial

from ..models import EventView
from ..services.event_feed import Topic, Wanted
from .channel import Item
from .hub import Follower, Hub
from .lasting import Lasting
from .wire import heartbeat, message, opening, resync

HEARTBEAT_S = 15.0
LIFE_S = {EventView.PUBLIC: 3600.0, EventView.AFTER: 3600.0, EventView.ARBITER: 600.0}
"""Then the reader comes back, and whether he still may is asked anew."""

RETRY_MS = (1000, 4000)  # drawn for each stream, so that not all come back at one moment


class Stream(Lasting):
    """What one reader is told; its place is one of the holder's in the hub."""

    name = "a stream"

    def __init__(
        self,
        hub: Hub,
        topic: Topic,
        wanted: Wanted,
        position: int,
        holder: str,
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        super().__init__(partial(hub.enter, holder), partial(hub.leave, holder))
        self._hub = hub
        self._topic = topic
        self._wanted = wanted
        self._position = position
        self._heartbeat_s = heartbeat_s

    def _run(self) -> Generator[bytes, None, None]:
        yield opening(self._position, random.randint(*RETRY_MS))  # noqa: S311 - spreads load only
        yield from self._catch_up()
        follower = Follower(self._wanted)
        self._hub.join(self._topic, follower, self._position)
        try:
            yield from self._follow(follower)
        finally:
            self._hub.part(self._topic, follower)

    def _catch_up(self) -> Iterator[bytes]:
        """Everything up to now, from the database."""
        more = True
        while more and not self._hub.closed:
            found = self._hub.read(self._topic, self._wanted, self._position)
            self._position = found.end
            if found.unknown:
                yield resync(found.end, "unknown")
            elif found.lost is not None:
                yield resync(found.lost, "purged")
            if found.events:
                yield b"".join(map(message, found.events))
            more = found.more

    def _follow(self, follower: Follower) -> Iterator[bytes]:
        end = time.monotonic() + LIFE_S[self._topic.view]
        while not self._hub.closed and time.monotonic() < end:
            found = self._hub.since(self._topic, self._wanted, self._position)
            if found is None:
                yield from self._catch_up()
                continue
            items, self._position = found
            if items:
                yield _joined(items)
            elif not follower.wait(self._heartbeat_s):
                yield heartbeat(self._position)


def _joined(items: list[Item]) -> bytes:
    return b"".join(item.data for item in items)
