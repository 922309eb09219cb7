"""One poller a process for all streams: it reads what is new once and wakes whoever wants it.

PostgreSQL could say so itself (NOTIFY), but whoever notifies commits alone in the whole database:
with 16 writers that was 300 commits a second instead of 4,000. Reading the journals of the
tournaments that are watched takes a millisecond, ten times a second.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue

from sqlalchemy.exc import SQLAlchemyError

from ..db import Database
from ..services import event_feed
from ..services.event_feed import EVERYTHING, Slice, Topic, Wanted
from ..shares import Shares, Taken, require
from .channel import Channel, Item

_log = logging.getLogger(__name__)

POLL_S = 0.1
AGAIN_S = 2.0  # after the database failed
PAGE = 500  # events read at once
READERS = 4  # streams that catch up from the database at the same time
KEPT_FOR_PLAYERS = 4  # one place of so many is for seats that are being played


class Follower:
    """A stream's place in the hub: it waits here until something for it has come."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self._bell: SimpleQueue[None] = SimpleQueue()
        self._rung = False

    def ring(self) -> None:
        if not self._rung:
            self._rung = True
            self._bell.put(None)

    def wait(self, seconds: float) -> bool:
        """Whether it rang within so many seconds. What came before the next look rings again."""
        try:
            self._bell.get(timeout=seconds)
        except Empty:
            return False
        self._rung = False
        return True


class Hub:
    """All streams of a process: at most `places` at once, each on a thread of the server.

    each: of one account (without a token: of one address) at most; 0: no limit.
    """

    def __init__(
        self, database: Database, places: int, each: int = 0, poll_s: float = POLL_S
    ) -> None:
        self._database = database
        self._places = Shares(each, places)
        self._kept = places // KEPT_FOR_PLAYERS
        self._poll_s = poll_s
        self._lock = threading.Lock()
        self._channels: dict[Topic, Channel[Follower]] = {}
        self._readers = threading.Semaphore(READERS)
        self._poller: threading.Thread | None = None
        self.closed = False

    @property
    def open(self) -> int:
        """Places that are taken."""
        return self._places.taken

    def enter(self, holder: str, plays: Callable[[], bool] | None = None) -> None:
        """Take a place for an account or an address. Some are kept for seats that are being played;
        `plays`, asked when no others are left, says whether this is one.

        Raises `TooMany` when the holder has all that one may have, `Unavailable` when all are
        taken, or the process is ending.
        """
        taken = Taken.ALL_FULL if self.closed else self._places.take(holder, self._kept)
        if taken is Taken.ALL_FULL and not self.closed and plays is not None and plays():
            taken = self._places.take(holder)
        require(
            taken,
            code="too_many_streams",
            own="You follow and wait in as many places as one may; end some of them.",
            all_="All places for streams are taken; try again.",
        )

    def leave(self, holder: str) -> None:
        """Give a place back."""
        self._places.give_back(holder)

    def close(self) -> None:
        """End all streams: the process is about to end, their readers will come back."""
        with self._lock:
            self.closed = True
            for channel in self._channels.values():
                channel.ring_all()

    def read(self, topic: Topic, wanted: Wanted, after: int) -> Slice:
        """Catch up from the database."""
        with self._readers, self._database.read() as session:
            return event_feed.read(session, topic, wanted, after, PAGE)

    def join(self, topic: Topic, follower: Follower, position: int) -> None:
        """Follow a topic of which everything up to `position` is known."""
        with self._lock:
            channel = self._channels.get(topic)
            if channel is None:
                channel = self._channels[topic] = Channel(position)
            channel.followers.add(follower)
            if self._poller is None:
                self._poller = threading.Thread(target=self._poll, name="events", daemon=True)
                self._poller.start()

    def part(self, topic: Topic, follower: Follower) -> None:
        """Follow it no longer."""
        with self._lock:
            channel = self._channels.get(topic)
            if channel is not None:
                channel.followers.discard(follower)
                if not channel.followers:
                    del self._channels[topic]

    def since(self, topic: Topic, wanted: Wanted, position: int) -> tuple[list[Item], int] | None:
        """What came after `position`, and up to where that goes; None: it has to be read again."""
        with self._lock:
            channel = self._channels.get(topic)
            return None if channel is None else channel.since(wanted, position)

    def _poll(self) -> None:
        while self._is_followed():
            try:
                self._look()
            except SQLAlchemyError:
                _log.warning("events could not be read; trying again", exc_info=True)
                time.sleep(AGAIN_S)
            time.sleep(self._poll_s)

    def _is_followed(self) -> bool:
        """Whether the poller is to go on; a later follower starts another one."""
        with self._lock:
            if self._channels and not self.closed:
                return True
            self._poller = None
            return False

    def _look(self) -> None:
        with self._lock:
            places = {topic: channel.position for topic, channel in self._channels.items()}
        if not places:
            return
        with self._database.read() as session:
            given = event_feed.numbers(session, places)
        for topic in given:
            if given[topic] > places[topic]:
                self._fetch(topic, places[topic])

    def _fetch(self, topic: Topic, position: int) -> None:
        """Read on until there is no more; late ones are read again each time until they are due."""
        more = True
        while more and not self.closed:
            with self._database.read() as session:
                found = event_feed.read(session, topic, EVERYTHING, position, PAGE)
            items = [Item.of(event) for event in found.events]
            self._spread(topic, items, found.end)
            position, more = found.end, found.more

    def _spread(self, topic: Topic, items: Iterable[Item], end: int) -> None:
        with self._lock:
            channel = self._channels.get(topic)
            if channel is not None:
                channel.add(items, end)
