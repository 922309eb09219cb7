"""What the tests of remote calls share: counted sockets, clients, servers made of a script."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

from baohuang.api.remote.client import Client, Limits
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import NoSuchName, Resolver

T = TypeVar("T")
LOOPBACK = "127.0.0.0/8"
Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


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


@contextlib.asynccontextmanager
async def serving(script: Script, host: str = "127.0.0.1", **options: Any) -> AsyncIterator[str]:
    """A server that runs `script` for every connection; yields its URL."""
    tasks: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await script(reader, writer)
        writer.close()

    server = await asyncio.start_server(connected, host, 0, **options)
    port = server.sockets[0].getsockname()[1]
    try:
        shown = f"[{host}]" if ":" in host else host
        yield f"{'https' if 'ssl' in options else 'http'}://{shown}:{port}/"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def read_request(reader: asyncio.StreamReader) -> tuple[dict[str, str], bytes]:
    """Headers (lower case, the request line under "") and body of one request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {"": head[0]}
    for line in filter(None, head[1:]):
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers, await reader.readexactly(int(headers.get("content-length", "0")))


def response(
    body: bytes, status: str = "200 OK", *more: str, kind: str = "application/json"
) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
