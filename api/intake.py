"""What clients send, read with a deadline.

The server reads a body for as long as the client takes to send it, and cannot be told to stop. So
another thread reads, the request waits for that, and after some seconds it waits no longer. The
thread ends when the client sends on or goes; until then it counts as one of the client's, of whom
no more than a few may be on their way.
"""

from __future__ import annotations

from concurrent.futures import Future
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import Protocol

from .errors import TooMany, TooSlow, Unavailable
from .shares import Shares, Taken

BODY_S = 10.0
EACH = 32  # bodies on their way from one address
TOTAL = 256  # from all: the server has a thread for each beside those for everything else
FIRST_PIECE = 256
IDLE = 8  # threads that wait for the next body
RETRY_AFTER_S = 5


class Stream(Protocol):
    """The server's reader: `read` gives fewer bytes than wanted only at the end."""

    def read(self, size: int, /) -> bytes: ...


class Intake:
    """Reads bodies for the requests of a process."""

    def __init__(self, seconds: float = BODY_S, each: int = EACH, total: int = TOTAL) -> None:
        self.seconds = seconds
        self._shares = Shares(each, total)
        self._readings: SimpleQueue[_Reading] = SimpleQueue()
        self._lock = Lock()
        self._idle = 0

    @property
    def taken(self) -> int:
        """Bodies that are on their way, those that nobody waits for any more included."""
        return self._shares.taken

    def read(self, stream: Stream, size: int, address: str) -> bytes:
        """At most `size` bytes. Raises `TooSlow`, `TooMany` for the address, `Unavailable`."""
        self._enter(address)
        reading = _Reading(stream, size, address)
        self._hand_over(reading)
        try:
            return reading.found.result(self.seconds)
        except TimeoutError:
            reading.given_up.set()
            raise TooSlow(
                f"The body did not arrive within {self.seconds:g} seconds.",
                headers={"Connection": "close"},
            ) from None

    def _enter(self, address: str) -> None:
        taken = self._shares.take(address)
        if taken is Taken.OWN_FULL:
            detail = "Too many requests from this address are sending their bodies."
            raise TooMany(detail, RETRY_AFTER_S, code="too_many_bodies")
        if taken is Taken.ALL_FULL:
            detail = "Too many requests are sending their bodies; try again."
            raise Unavailable(detail, RETRY_AFTER_S)

    def _hand_over(self, reading: _Reading) -> None:
        with self._lock:
            waits = self._idle > 0
            self._idle -= waits
        self._readings.put(reading)
        if not waits:
            Thread(target=self._work, name="body", daemon=True).start()

    def _work(self) -> None:
        """Read one body after the other; of the threads that have nothing to do a few stay."""
        while True:
            reading = self._readings.get()
            address = reading.address
            reading.read()
            del reading  # with it the stream, at which the server sees that nobody reads on
            self._shares.give_back(address)
            with self._lock:
                if self._idle >= IDLE:
                    return
                self._idle += 1


class _Reading:
    """One body, read piece by piece, so that one which is given up soon comes to its end."""

    def __init__(self, stream: Stream, size: int, address: str) -> None:
        self.address = address
        self.found: Future[bytes] = Future()
        self.given_up = Event()
        self._stream = stream
        self._size = size

    def read(self) -> None:
        try:
            self.found.set_result(self._all())
        except Exception as error:  # noqa: BLE001 - whoever waits meets it
            self.found.set_exception(error)

    def _all(self) -> bytes:
        data = bytearray()
        while len(data) < self._size and not self.given_up.is_set():
            wanted = min(self._size - len(data), max(FIRST_PIECE, len(data)))
            piece = self._stream.read(wanted)
            data += piece
            if len(piece) < wanted:
                break
        return bytes(data)
