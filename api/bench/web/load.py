"""Requests to one server on loopback from so many connections, for so long: how many, how late."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from ...ports import HOST

PATIENCE_S = 10.0
_END_OF_HEAD = b"\r\n\r\n"


@dataclass
class Loaded:
    """What one load came to; `late_ms` holds a number an answer."""

    seconds: float = 0.0
    late_ms: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.late_ms) / self.seconds


class UnexpectedAnswer(Exception):
    """A server answered something else than what is measured."""


class _Connection(asyncio.Protocol):
    """Sends the next request when an answer has come; HTTP/1.1 as granian writes it."""

    def __init__(self, requests: Iterator[bytes], status: int, until: float, late: list[float]):
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests, self._until, self._late = requests, until, late
        self._status = b"HTTP/1.1 %d " % status
        self._lacking, self._head, self._sent = 0, b"", 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's inherits from nothing
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(error or UnexpectedAnswer("The connection was closed."))

    def data_received(self, data: bytes) -> None:
        if not self._lacking:
            self._head += data
            end = self._head.find(_END_OF_HEAD)
            if end < 0:
                return
            data = self._head[end + len(_END_OF_HEAD) :]
            self._lacking = self._length(self._head[:end].lower()) + 1
            self._head = b""
        self._lacking -= len(data)
        if self._lacking == 1:
            self._lacking = 0
            self._answered()

    def _length(self, head: bytes) -> int:
        if not head.startswith(self._status.lower()):
            self.done.set_exception(UnexpectedAnswer(head[:200].decode("latin-1")))
            self._transport.abort()
        found = head.partition(b"\r\ncontent-length:")[2].partition(b"\r\n")[0]
        return int(found or 0)

    def _answered(self) -> None:
        now = time.perf_counter()
        self._late.append((now - self._sent) * 1000)
        if now < self._until:
            self._send()
        elif not self.done.done():
            self.done.set_result(None)
            self._transport.close()

    def _send(self) -> None:
        self._sent = time.perf_counter()
        self._transport.write(next(self._requests))


async def load(
    port: int, requests: Sequence[bytes], status: int, connections: int, seconds: float
) -> Loaded:
    """Keep `connections` busy with the requests in turn. Raises `UnexpectedAnswer`."""
    loop = asyncio.get_running_loop()
    loaded, turn = Loaded(), itertools.cycle(requests)
    start = time.perf_counter()
    until = start + seconds
    made = [
        await loop.create_connection(
            lambda: _Connection(turn, status, until, loaded.late_ms), HOST, port
        )
        for _ in range(connections)
    ]
    try:
        async with asyncio.timeout(seconds + PATIENCE_S):
            await asyncio.gather(*(connection.done for _, connection in made))
    finally:
        for transport, _ in made:
            transport.abort()
    loaded.seconds = time.perf_counter() - start
    return loaded


def request(path: str, *headers: str) -> bytes:
    """A GET, as bytes."""
    lines = [f"GET {path} HTTP/1.1", "Host: bench", *headers, "", ""]
    return "\r\n".join(lines).encode()
