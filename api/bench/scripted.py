"""Servers made of a script a connection: what agents on loopback do, rightly or wrongly."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


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
