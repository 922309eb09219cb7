"""Other HTTP clients in bare loops, with as much of our guard as each can carry.

Each posts recorded requests and parses the answers, and nothing more: no signature, no deadline, no
strict parsing, no referee. What is not installed is left out of the figures.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import io
import itertools
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ..remote.client import Client
from ..remote.faults import Fault
from ..remote.guard import Guard

LOOPBACK = "127.0.0.0/8"
HEADERS = {"Content-Type": "application/json"}

Counted = Callable[[], None]
Bare = Callable[[Sequence[str], Sequence[bytes], int, Counted], Awaitable[None]]
Post = Callable[[str, bytes], Awaitable[bytes]]


@dataclass(frozen=True, slots=True)
class Peer:
    """A client, the package that it is in, and how much of our guard it carries."""

    name: str
    package: str
    guard: str
    run: Bare

    @property
    def installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None


async def _own(urls: Sequence[str], bodies: Sequence[bytes], tables: int, counted: Counted) -> None:
    """Our client alone, to be compared with the others like with like."""
    client = Client(Guard([LOOPBACK]))

    async def post(url: str, body: bytes) -> bytes:
        reply = await client.post(url, url, body, {}, 10.0)
        if isinstance(reply, Fault):
            raise OSError(reply.detail)
        return reply.body

    try:
        await _tables(post, urls, bodies, tables, counted)
    finally:
        await client.close()


async def _aiohttp(
    urls: Sequence[str], bodies: Sequence[bytes], tables: int, counted: Counted
) -> None:
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0, socket_factory=Guard([LOOPBACK]).socket_factory)
    async with aiohttp.ClientSession(connector=connector, headers=HEADERS) as session:

        async def post(url: str, body: bytes) -> bytes:
            async with session.post(url, data=body) as response:
                return await response.read()

        await _tables(post, urls, bodies, tables, counted)


async def _pyreqwest(
    urls: Sequence[str], bodies: Sequence[bytes], tables: int, counted: Counted
) -> None:
    """Its connections are made out of sight: the guard could only check URLs and pin names."""
    builder = importlib.import_module("pyreqwest.client").ClientBuilder
    async with builder().follow_redirects(False).default_headers(HEADERS).build() as client:

        async def post(url: str, body: bytes) -> bytes:
            response = await client.post(url).body_bytes(body).build().send()
            return bytes(await response.bytes())

        await _tables(post, urls, bodies, tables, counted)


async def _pycurl(
    urls: Sequence[str], bodies: Sequence[bytes], tables: int, counted: Counted
) -> None:
    multi = CurlLoop(Guard([LOOPBACK]))
    try:
        # A handle a table: libcurl's are used one request at a time.
        posts = [multi.poster() for _ in range(tables)]
        await asyncio.gather(
            *(_posts(post, urls, bodies, n, counted) for n, post in enumerate(posts))
        )
    finally:
        multi.close()


class CurlLoop:
    """libcurl's multi interface on asyncio's loop; every socket is made by our guard."""

    def __init__(self, guard: Guard) -> None:
        self._curl = pycurl = importlib.import_module("pycurl")
        self._guard = guard
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: dict[Any, asyncio.Future[None]] = {}
        self._made: list[socket.socket] = []  # libcurl has duplicates of them
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)

    def poster(self) -> Post:
        """A handle of its own, for one request after the other."""
        pycurl = self._curl
        handle = pycurl.Curl()
        handle.setopt(pycurl.OPENSOCKETFUNCTION, self._open)
        handle.setopt(pycurl.HTTPHEADER, [*(f"{k}: {v}" for k, v in HEADERS.items()), "Expect:"])
        handle.setopt(pycurl.FOLLOWLOCATION, 0)
        handle.setopt(pycurl.PROXY, "")

        async def post(url: str, body: bytes) -> bytes:
            answer = io.BytesIO()
            handle.setopt(pycurl.URL, url)
            handle.setopt(pycurl.POSTFIELDS, body)
            handle.setopt(pycurl.WRITEDATA, answer)
            self._waiting[handle] = done = self._loop.create_future()
            self._multi.add_handle(handle)
            try:
                await done
            finally:
                self._multi.remove_handle(handle)
                self._waiting.pop(handle, None)
            return answer.getvalue()

        return post

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._multi.close()
        for made in self._made:
            made.close()

    def _open(self, purpose: int, address: tuple[int, int, int, tuple[Any, ...]]) -> Any:
        family, kind, protocol, place = address
        shown = tuple(part.decode() if isinstance(part, bytes) else part for part in place)
        try:
            made = self._guard.socket_factory((family, kind, protocol, "", shown))
        except OSError:
            return self._curl.SOCKET_BAD
        self._made.append(made)
        return made

    def _watch(self, what: int, number: int, *_: object) -> None:
        pycurl = self._curl
        self._loop.remove_reader(number)
        self._loop.remove_writer(number)
        if what in (pycurl.POLL_IN, pycurl.POLL_INOUT):
            self._loop.add_reader(number, self._act, number, pycurl.CSELECT_IN)
        if what in (pycurl.POLL_OUT, pycurl.POLL_INOUT):
            self._loop.add_writer(number, self._act, number, pycurl.CSELECT_OUT)

    def _set_timer(self, ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if ms >= 0:
            self._timer = self._loop.call_later(ms / 1000, self._time)

    def _time(self) -> None:
        self._act(self._curl.SOCKET_TIMEOUT, 0)

    def _act(self, number: int, events: int) -> None:
        self._multi.socket_action(number, events)
        _, done, failed = self._multi.info_read()
        for handle in done:
            self._end(handle, None)
        for handle, code, message in failed:
            self._end(handle, OSError(code, message))

    def _end(self, handle: Any, error: OSError | None) -> None:
        waiting = self._waiting.pop(handle, None)
        if waiting is None or waiting.done():
            return
        if error is None:
            waiting.set_result(None)
        else:
            waiting.set_exception(error)


async def _tables(
    post: Post, urls: Sequence[str], bodies: Sequence[bytes], tables: int, counted: Counted
) -> None:
    await asyncio.gather(*(_posts(post, urls, bodies, n, counted) for n in range(tables)))


async def _posts(
    post: Post, urls: Sequence[str], bodies: Sequence[bytes], first: int, counted: Counted
) -> None:
    for turn in itertools.count(first):
        orjson.loads(await post(urls[turn % len(urls)], bodies[turn % len(bodies)]))
        counted()


PEERS = (
    Peer("our client", "httptools", "every socket", _own),
    Peer("aiohttp", "aiohttp", "every socket", _aiohttp),
    Peer("pycurl", "pycurl", "every socket", _pycurl),
    Peer("pyreqwest", "pyreqwest", "none", _pyreqwest),
)
