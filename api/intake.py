"""What clients send, read with a deadline.

The server reads a body for as long as the client takes to send it, and cannot be told to stop, nor
may a request be answered while its body is being read: the server would stand still. So pieces are
read, with a look at the clock between them; where not even the next piece comes, a thread of ours
ends the client's half of the connection (connections.py), and the reading comes to its end. Until
then a body counts as one of its address, of which few may be on their way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import NamedTuple, Protocol

from .errors import TooSlow
from .shares import Shares, require

EACH = 32  # bodies on their way from one address
TOTAL = 256  # from all: the server has a thread for each beside those for everything else
FIRST_PIECE, LARGEST_PIECE = 16, 4096
LOOK_S = 1.0


class Stream(Protocol):
    """The server's reader: `read` gives fewer bytes than wanted only at the end."""

    def read(self, size: int, /) -> bytes: ...


class Peer(NamedTuple):
    """The other end of a connection: its address, and the port of ours that it is connected to."""

    address: str
    port: int


@dataclass(eq=False)
class Reading:
    """A body on its way from `peer`. `begun`, and when its last piece was there: monotonic.

    `doubtful`: a connection of the peer was ended, so what looks like the end may be none.
    """

    peer: Peer
    begun: float
    moved: float
    doubtful: bool = False


Cut = Callable[[Peer, Sequence[Reading], Sequence[Reading]], None]
"""peer, its overdue readings, all its readings: end those connections that are overdue."""


class Intake:
    """Reads bodies for the requests of a process."""

    def __init__(self, seconds: float, cut: Cut, each: int = EACH, total: int = TOTAL) -> None:
        self.seconds = seconds
        self.cut = cut
        self._shares = Shares(each, total)
        self._readings: set[Reading] = set()
        self._lock = Lock()
        self._looking = False
        self._never = Event()

    @property
    def taken(self) -> int:
        """Bodies that are on their way."""
        return self._shares.taken

    def read(self, stream: Stream, size: int, address: str, peer: Peer) -> bytes:
        """At most `size` bytes. Raises `TooSlow`, `TooMany` for the address, `Unavailable`."""
        self._enter(address)
        now = time.monotonic()
        reading = Reading(peer, now, now)
        try:
            self._begin(reading)
            return self._pieces(stream, size, reading)
        finally:
            with self._lock:
                self._readings.discard(reading)
            self._shares.give_back(address)

    def _enter(self, address: str) -> None:
        require(
            self._shares.take(address),
            code="too_many_bodies",
            own="Too many requests from this address are sending their bodies.",
            all_="Too many requests are sending their bodies; try again.",
        )

    def _pieces(self, stream: Stream, size: int, reading: Reading) -> bytes:
        data = bytearray()
        while len(data) < size:
            wanted = min(size - len(data), max(FIRST_PIECE, min(len(data), LARGEST_PIECE)))
            piece = stream.read(wanted)
            data += piece
            reading.moved = time.monotonic()
            ended = len(piece) < wanted
            late = reading.moved - reading.begun > self.seconds
            if late or (ended and reading.doubtful):
                raise TooSlow(
                    f"The body did not arrive within {self.seconds:g} seconds.",
                    headers={"Connection": "close"},
                )
            if ended:
                break
        return bytes(data)

    def _begin(self, reading: Reading) -> None:
        with self._lock:
            self._readings.add(reading)
            if not self._looking:
                self._looking = True
                Thread(target=self._look, name="slow bodies", daemon=True).start()

    def _look(self) -> None:
        """Now and then, for as long as bodies are on their way."""
        while readings := self._present():
            now = time.monotonic()
            for peer in {each.peer for each in readings}:
                theirs = [each for each in readings if each.peer == peer]
                overdue = [each for each in theirs if now - each.begun > self.seconds]
                if overdue:
                    for each in theirs:
                        each.doubtful = True
                    self.cut(peer, overdue, theirs)
            self._never.wait(min(LOOK_S, self.seconds))

    def _present(self) -> list[Reading]:
        with self._lock:
            self._looking = bool(self._readings)
            return list(self._readings)
