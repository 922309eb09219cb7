"""The connections to one URL of one agent, and how far away it has been lately.

Two agents never share a lane, be they at the same host and port: what one server pushes onto a kept
connection, or keeps open, can only concern its own agent.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import deque
from collections.abc import Mapping

from .connection import Connection
from .urls import Target

_HEAD = (
    "POST {path} HTTP/1.1\r\n"
    "Host: {host}\r\n"
    "User-Agent: baohuang-arena (bot protocol 1)\r\n"
    "Accept: application/json\r\n"
    "Accept-Encoding: identity\r\n"
    "Content-Type: application/json\r\n"
)


class Lane:
    """`turns` bounds how many connections are in use at once; `busy` counts those who want one."""

    def __init__(self, target: Target, most: int, idle_seconds: float) -> None:
        self.target = target
        self.turns = asyncio.Semaphore(most)
        self.busy = 0
        self.allowance_ms = 0.0
        self._head = _HEAD.format(path=target.path, host=target.authority)
        self._idle_seconds = idle_seconds
        self._idle: deque[Connection] = deque()
        self._all: set[Connection] = set()
        self._round_trips: deque[float] = deque(maxlen=9)
        self._sweep: asyncio.TimerHandle | None = None

    def request(self, headers: Mapping[str, str], body: bytes) -> bytes:
        """The bytes of a POST. ValueError if a header could break out of its line."""
        lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
        if lines.count("\n") != len(headers) or lines.count("\r") != len(headers):
            raise ValueError("a header holds a line break")
        return f"{self._head}{lines}Content-Length: {len(body)}\r\n\r\n".encode("ascii") + body

    def take(self) -> Connection | None:
        """The connection that was used last, if one lies idle and is still good."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable and time.monotonic() - connection.idle_since < self._idle_seconds:
                return connection
            connection.close()
        return None

    def use(self, connection: Connection, most_ms: float) -> None:
        """Note a connection that is about to carry a request; a new one tells the distance."""
        if connection in self._all:
            return
        self._all.add(connection)
        round_trip = connection.round_trip_ms()
        if round_trip is not None:
            self._round_trips.append(round_trip)
            self.allowance_ms = min(statistics.median(self._round_trips), most_ms)

    def give_back(self, connection: Connection) -> None:
        if connection.usable:
            connection.idle_since = time.monotonic()
            self._idle.append(connection)
            if self._sweep is None:
                loop = asyncio.get_running_loop()
                self._sweep = loop.call_later(self._idle_seconds, self._close_old)

    def lost(self, connection: Connection) -> None:
        self._all.discard(connection)

    def close(self) -> None:
        """Close every connection, those in use too."""
        if self._sweep is not None:
            self._sweep.cancel()
        for connection in list(self._all):
            connection.close()

    def _close_old(self) -> None:
        self._sweep = None
        old = time.monotonic() - self._idle_seconds
        while self._idle and self._idle[0].idle_since <= old:
            self._idle.popleft().close()
        if self._idle:
            loop = asyncio.get_running_loop()
            self._sweep = loop.call_later(self._idle_seconds, self._close_old)
