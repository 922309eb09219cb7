"""What the tests of remote calls share: counted sockets, clients, servers made of a script."""

import asyncio
import contextlib
import errno
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from typing import Any, TypeVar

from baohuang.api.bench.scripted import Script, read_request, response, serving
from baohuang.api.remote.client import Client, Limits
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import NoSuchName, Resolver

__all__ = [
    "DIALLED",
    "LOOPBACK",
    "Names",
    "Script",
    "Sockets",
    "client_of",
    "read_request",
    "response",
    "run",
    "serving",
]

T = TypeVar("T")
LOOPBACK = "127.0.0.0/8"


def run(
    work: Coroutine[Any, Any, T], loop: Callable[[], asyncio.AbstractEventLoop] | None = None
) -> T:
    """Run on a fresh event loop; a test of remote calls never needs a minute."""

    async def bounded() -> T:
        async with asyncio.timeout(60):
            return await work

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(bounded())


class Sockets:
    """In place of socket.socket: counts what is made, and reaches nothing."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, *_: object) -> socket.socket:
        self.made += 1
        raise OSError(errno.ENETUNREACH, "no network in tests")


class Names:
    """A lookup made of a table; what is not in it does not exist."""

    def __init__(self, table: Mapping[str, list[str]] | None = None) -> None:
        self.table = dict(table or {})
        self.asked: list[str] = []

    async def __call__(self, host: str) -> list[str]:
        self.asked.append(host)
        if host not in self.table:
            raise NoSuchName("this name has no address")
        return self.table[host]


@contextlib.asynccontextmanager
async def client_of(
    *exceptions: str, limits: Limits | None = None, names: Names | None = None
) -> AsyncIterator[Client]:
    guard = Guard(exceptions)
    client = Client(guard, Resolver(guard, names or Names()), limits)
    try:
        yield client
    finally:
        await client.close()


class Dialled:
    """The addresses that any socket of this process is connected or sent to, while it is watched.

    By the interpreter's own audit: whoever opens it, and by whatever way.
    """

    def __init__(self) -> None:
        self._seen: list[object] | None = None
        sys.addaudithook(self._audit)  # for good: hooks cannot be taken out

    @contextlib.contextmanager
    def watched(self) -> Iterator[list[object]]:
        self._seen = seen = []
        try:
            yield seen
        finally:
            self._seen = None

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._seen is not None and event in DIALS:
            self._seen.append((event, *arguments[1:]))


DIALS = {"socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"}
DIALLED = Dialled()
