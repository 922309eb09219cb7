"""TLS to an agent: what carries nothing is bounded too, and nobody holds the loop for long.

Sizes by hand (RFC 8446, 5.2): a record has a header of 5 bytes, then what it holds, a byte for its
kind, and a tag of 16; so one byte takes 23, and a key update of 5 bytes 27.
"""

import asyncio
import contextlib
import os
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import uvloop

from baohuang.api.bench.floods import FLOODS
from baohuang.api.bench.misdeeds import GOOD, HEAD
from baohuang.api.bench.sealed import (
    ALERT,
    DATA,
    GOODBYE,
    HANDSHAKE,
    TICKET,
    Records,
    seals,
    trusted,
)
from baohuang.api.remote import tls
from baohuang.api.remote.client import Client, Reply
from baohuang.api.remote.connection import BROKEN, Bounds, Connection
from baohuang.api.remote.dial import tls_context
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.outbox import Outbox

from .support import LOOPBACK, client_of, read_request, response, run, serving

LOOPS = pytest.mark.parametrize(
    "loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
REQUEST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
ANSWER = response(b"{}")


@pytest.fixture(scope="module", autouse=True)
def trust() -> Iterator[None]:
    with trusted():
        yield


async def post(client: Client, url: str) -> Reply | Fault:
    return await client.post("agent", url.replace("http:", "https:"), b"{}", {}, 20.0)


# Record by record, without a socket


class Wire:
    """In place of a TCP transport."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.calls: list[str] = []

    def write(self, data: bytes) -> None:
        self.written += data

    def abort(self) -> None:
        self.calls.append("abort")

    def close(self) -> None:
        self.calls.append("close")

    def is_closing(self) -> bool:
        return "abort" in self.calls or "close" in self.calls

    def pause_reading(self) -> None:
        self.calls.append("pause")

    def resume_reading(self) -> None:
        self.calls.append("resume")

    def get_extra_info(self, name: str) -> None:
        return None


class Pair:
    """A connection over TLS that has been agreed on, and what seals its server's records."""

    def __init__(self, folder: Path) -> None:
        self.wire = Wire()
        self.inner = Connection(Bounds(), lambda _: None, Outbox())
        self.tls = tls.Tls(tls_context(), "127.0.0.1", self.inner)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.environ["SSL_CERT_FILE"])
        context.num_tickets = 0
        context.keylog_filename = str(folder / "log")
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        server = context.wrap_bio(incoming, outgoing, server_side=True)
        self.tls.connection_made(cast(asyncio.Transport, self.wire))
        for _ in range(2):
            incoming.write(bytes(self.wire.written))
            self.wire.written.clear()
            with contextlib.suppress(ssl.SSLWantReadError):
                server.do_handshake()
            self.tls.data_received(outgoing.read())
        log = (folder / "log").read_text().splitlines()
        (secret,) = (line.split()[2] for line in log if line.startswith("SERVER_TRAFFIC_"))
        self.records = Records(bytes.fromhex(secret))
        assert self.tls.agreed.result() is None

    async def ask(self) -> asyncio.Future[bytes | Fault]:
        answer = self.inner.ask(REQUEST, True)
        await asyncio.sleep(0)  # the outbox sends it
        return answer

    async def says(self, *records: bytes) -> None:
        """They come at once; a thousand are worked through in sixteen turns."""
        self.tls.data_received(b"".join(records))
        for _ in range(16):
            await asyncio.sleep(0)


def with_pair(folder: Path, work: Callable[[Pair], Awaitable[None]]) -> None:
    async def go() -> None:
        await work(Pair(folder))

    run(go())


def test_sixteen_records_that_carry_nothing_are_borne_and_one_more_is_not(tmp_path: Path) -> None:
    async def work(pair: Pair) -> None:
        for _ in range(2):  # the next request forgets those before it
            answer = await pair.ask()
            await pair.says(pair.records.key_updates(16), pair.records.seal(DATA, ANSWER))
            assert await answer == b"{}"
        answer = await pair.ask()
        await pair.says(pair.records.key_updates(17))
        assert await answer == tls.EMPTY_TLS
        assert pair.wire.calls[-1] == "abort"

    with_pair(tmp_path, work)


def test_between_two_requests_as_much_closes_the_connection(tmp_path: Path) -> None:
    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        await pair.says(pair.records.seal(DATA, ANSWER))
        assert await answer == b"{}"
        await pair.says(pair.records.seal(HANDSHAKE, TICKET), pair.records.key_updates(15))
        assert not pair.wire.is_closing()
        await pair.says(pair.records.key_update())
        assert pair.wire.calls == ["abort"]

    with_pair(tmp_path, work)


def test_before_the_first_request_too(tmp_path: Path) -> None:
    async def work(pair: Pair) -> None:
        await pair.says(pair.records.key_updates(17))
        assert pair.wire.calls == ["abort"]

    with_pair(tmp_path, work)


@pytest.mark.parametrize(("count", "closed"), [(744, False), (745, True)])
def test_16_kib_come_beside_an_answer_at_most(tmp_path: Path, count: int, closed: bool) -> None:
    """744 records of a byte take 744 * 22 = 16,368 bytes more than they carry, 745 take 16,390."""

    async def work(pair: Pair) -> None:
        await pair.ask()
        start = HEAD + b"X: " + b"x" * count
        await pair.says(*(pair.records.seal(DATA, start[at : at + 1]) for at in range(count)))
        assert pair.wire.is_closing() is closed

    with_pair(tmp_path, work)


def test_the_loop_has_its_turn_after_64_records(tmp_path: Path) -> None:
    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        assert 64 < len(ANSWER) <= 128  # two turns
        pair.tls.data_received(b"".join(pair.records.seal(DATA, bytes([b])) for b in ANSWER))
        assert pair.wire.calls == ["pause"]
        assert not answer.done()
        await asyncio.sleep(0)
        assert pair.wire.calls == ["pause", "resume"]
        assert answer.result() == b"{}"

    with_pair(tmp_path, work)


def test_the_loop_has_its_turn_after_16_kib(tmp_path: Path) -> None:
    """Three records of 8,192 + 22 bytes: two are more than 16,384, the third waits."""

    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        body = b'"' + b"x" * (3 * 8192 - 200) + b'"'
        whole = response(body)
        parts = [whole[at : at + 8192] for at in range(0, len(whole), 8192)]
        assert len(parts) == 3
        pair.tls.data_received(b"".join(pair.records.seal(DATA, part) for part in parts))
        assert pair.wire.calls == ["pause"]
        await asyncio.sleep(0)
        assert pair.wire.calls == ["pause", "resume"]
        assert answer.result() == body

    with_pair(tmp_path, work)


def test_records_may_come_byte_by_byte(tmp_path: Path) -> None:
    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        for byte in pair.records.key_update() + pair.records.seal(DATA, ANSWER):
            await pair.says(bytes([byte]))
        assert answer.result() == b"{}"

    with_pair(tmp_path, work)


def test_nobody_agrees_on_tls_a_second_time(tmp_path: Path) -> None:
    """In TLS 1.2 a handshake record tells so on its outside; 1.3 has none such after the first."""

    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        await pair.says(b"\x16\3\3\0\4" + bytes(4))
        assert await answer == tls.AGAIN_TLS
        assert pair.wire.is_closing()

    with_pair(tmp_path, work)


@pytest.mark.parametrize(
    "bad", [b"\x17\3\3\xff\xff", b"HTTP/1.1 200 OK", b"\x17\3\3\0\x20" + bytes(32)]
)
def test_what_is_no_record_ends_the_connection(tmp_path: Path, bad: bytes) -> None:
    """In the middle of an answer it is broken off: too long, no TLS at all, or not sealed."""

    async def work(pair: Pair) -> None:
        answer = await pair.ask()
        await pair.says(pair.records.seal(DATA, HEAD), bad)
        assert pair.wire.is_closing()
        pair.tls.connection_lost(None)
        assert await answer == BROKEN

    with_pair(tmp_path, work)


# On sockets


@LOOPS
@pytest.mark.parametrize(
    ("case", "fault"),
    [
        ("115 endless TLS handshake", tls.LONG_TLS),
        ("115 endless TLS key updates", tls.EMPTY_TLS),
        ("115 endless TLS tickets", tls.EMPTY_TLS),
    ],
)
def test_a_flood_is_given_up_long_before_the_deadline(case: str, fault: Fault, loop: Any) -> None:
    async def work() -> Reply | Fault:
        async with serving(FLOODS[case].make()) as url, client_of(LOOPBACK) as client:
            return await post(client, url)

    outcome = run(work(), loop)
    assert isinstance(outcome, Fault)
    assert (outcome.kind, outcome.charged_to, outcome.detail) == (
        fault.kind,
        fault.charged_to,
        fault.detail,
    )


@LOOPS
def test_an_idle_connection_that_is_flooded_is_closed(loop: Any) -> None:
    async def work() -> None:
        gone = asyncio.Event()

        def pieces(records: Records, _asked: bytes) -> Iterator[bytes]:
            yield records.seal(DATA, response(b"{}"))
            while True:
                yield records.key_updates(20)

        flood = seals(pieces)

        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await flood(reader, writer)
            except OSError:  # the client's end is closed
                gone.set()

        async with serving(script) as url, client_of(LOOPBACK) as client:
            assert isinstance(await post(client, url), Reply)
            await gone.wait()

    run(work(), loop)


@LOOPS
@pytest.mark.parametrize("polite", [True, False])
def test_an_answer_without_length_ends_with_close_notify_alone(polite: bool, loop: Any) -> None:
    def pieces(records: Records, _asked: bytes) -> Iterator[bytes]:
        yield records.seal(DATA, HEAD + b"\r\n" + GOOD)
        if polite:
            yield records.seal(ALERT, GOODBYE)

    async def work() -> Reply | Fault:
        async with serving(seals(pieces)) as url, client_of(LOOPBACK) as client:
            return await post(client, url)

    outcome = run(work(), loop)
    if polite:
        assert isinstance(outcome, Reply)
        assert outcome.body == GOOD
    else:
        assert isinstance(outcome, Fault)
        assert (outcome.kind, outcome.detail) == (BROKEN.kind, BROKEN.detail)


@contextlib.asynccontextmanager
async def honest(body: bytes, version: ssl.TLSVersion, seen: list[str]) -> AsyncIterator[str]:
    """A server by the library; notes the protocols that it agreed on, one a connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["SSL_CERT_FILE"])
    context.minimum_version = context.maximum_version = version
    context.set_alpn_protocols(["h2", "http/1.1"])

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(writer.get_extra_info("ssl_object").selected_alpn_protocol())
        while True:
            await read_request(reader)
            writer.write(response(body))

    async with serving(script, ssl=context) as url:
        yield url


@LOOPS
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_honest_answers_come_over_one_connection(version: ssl.TLSVersion, loop: Any) -> None:
    body = b'"' + b"x" * 60_000 + b'"'
    seen: list[str] = []

    async def work() -> None:
        async with honest(body, version, seen) as url, client_of(LOOPBACK) as client:
            for _ in range(5):
                reply = await post(client, url)
                assert isinstance(reply, Reply)
                assert reply.body == body
            if sys.platform == "linux":
                assert reply.allowance_ms > 0  # the kernel's round trip is seen through TLS

    run(work(), loop)
    assert seen == ["http/1.1"]


@pytest.mark.parametrize(
    ("hellos", "count", "ended"),
    [(1, 256, False), (1, 257, True), (4096, 1, False), (4096, 2, True)],
)
def test_a_handshake_has_256_records_and_32_kib_at_most(
    hellos: int, count: int, ended: bool
) -> None:
    """HelloRequests, which are skipped (RFC 5246, 7.4.1.1): 4 bytes each, many in a record.

    257 records of one are 2,313 bytes; two records of 4,096 are 2 * 16,389 = 32,778.
    """

    async def work() -> None:
        wire, inner = Wire(), Connection(Bounds(), lambda _: None, Outbox())
        line = tls.Tls(tls_context(), "127.0.0.1", inner)
        line.connection_made(cast(asyncio.Transport, wire))
        for _ in range(count):
            line.data_received(b"\x16\3\3" + (4 * hellos).to_bytes(2) + bytes(4 * hellos))
        assert line.agreed.done() is wire.is_closing() is ended
        if ended:
            assert line.agreed.result() == tls.LONG_TLS

    run(work())
