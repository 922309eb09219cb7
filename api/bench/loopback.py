"""Five agents on loopback in a process of their own, as quick as Python makes them.

They answer any legal play, so that what is measured beside them is the caller, not the bots.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import cast

import orjson

AGENTS = 5
_END_OF_HEAD = b"\r\n\r\n"


class _Agent(asyncio.Protocol):
    """HTTP/1.1 as our own client writes it: a head with Content-Length, then a body."""

    def __init__(self) -> None:
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's inherits from nothing

    def data_received(self, data: bytes) -> None:
        self._data += data
        while (end := self._data.find(_END_OF_HEAD)) >= 0:
            head = self._data[:end].lower()
            length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
            whole = end + len(_END_OF_HEAD) + length
            if len(self._data) < whole:
                return
            self._transport.write(_answer(self._data[whole - length : whole]))
            self._data = self._data[whole:]


def _answer(body: bytes) -> bytes:
    request = orjson.loads(body)
    legal = request.get("legal") or [""]
    answer = legal[request.get("turn", 0) % len(legal)]
    sent = orjson.dumps({"request": request["request"], "answer": answer})
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(sent) + sent


async def _serve(ports: Connection) -> None:
    loop = asyncio.get_running_loop()
    servers = [await loop.create_server(_Agent, "127.0.0.1", 0) for _ in range(AGENTS)]
    ports.send([server.sockets[0].getsockname()[1] for server in servers])
    await loop.run_in_executor(None, ports.poll, None)  # readable when the parent closes or ends


def _main(ports: Connection) -> None:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(ports))


def loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    """uvloop's event loop where it is installed, for the agents and for both callers alike."""
    try:
        import uvloop
    except ImportError:
        return None
    loop: type[asyncio.AbstractEventLoop] = uvloop.Loop
    return loop


@contextmanager
def loopback_agents() -> Iterator[list[str]]:
    """Their five URLs, for as long as the context lasts."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=_main, args=(there,), daemon=True)
    child.start()
    there.close()
    try:
        yield [f"http://127.0.0.1:{port}/" for port in here.recv()]
    finally:
        here.close()
        child.join(5)
        child.kill()
