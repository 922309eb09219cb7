"""Our HTTP/1.1 against aiohttp's client on answers of every shape, and what keeps a connection."""

import asyncio
import random
import socket
import time
from functools import partial

import aiohttp
import pytest

from baohuang.api.remote.client import Client, Limits, Reply
from baohuang.api.remote.connection import Bounds, Connection, is_json
from baohuang.api.remote.faults import KINDS, Fault
from baohuang.api.remote.lane import Lane
from baohuang.api.remote.outbox import Outbox
from baohuang.api.remote.urls import parse_url

from .support import LOOPBACK, client_of, read_request, response, run, serving

JSON = "Content-Type: application/json"
LATE = Fault("timeout", "bot", "no whole answer in time")


def shapes(draw: random.Random) -> tuple[bytes, bytes, bool]:
    """A body, a whole answer that carries it, and whether the server closes after it."""
    body = bytes(draw.choices(b'{}[]",: \n0189abcXYZ\xe7\x9a\x87', k=draw.choice([0, 1, 50, 3000])))
    head = ["HTTP/1.1 200 OK", draw.choice([JSON, JSON.lower(), JSON + "; charset=utf-8"])]
    head += draw.sample(["Server: x", "X-Long: " + "y" * 900, "Vary: *", "Set-Cookie: a=b"], k=2)
    early = draw.choice([b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"])
    way = draw.choice(["length", "chunks", "close"])
    if way == "length":
        head.append(f"Content-Length: {len(body)}")
        sent = body
    elif way == "chunks":
        head.append("Transfer-Encoding: chunked")
        sent = chunked(body, draw)
    else:
        sent = body
    lines = [head[0], *draw.sample(head[1:], k=len(head) - 1)]
    return body, early + "\r\n".join(lines).encode() + b"\r\n\r\n" + sent, way == "close"


def chunked(body: bytes, draw: random.Random) -> bytes:
    sent = b""
    while body:
        size = draw.randint(1, 700)
        piece, body = body[:size], body[size:]
        sent += b"%x%s\r\n%s\r\n" % (len(piece), draw.choice([b"", b";a=b"]), piece)
    return sent + b"0\r\n" + draw.choice([b"", b"X-Trailer: t\r\n"]) + b"\r\n"


def test_a_body_is_read_as_aiohttp_reads_it_in_whatever_pieces_it_comes() -> None:
    draw = random.Random("shapes")
    cases = [shapes(draw) for _ in range(80)]
    waiting: list[tuple[bytes, bool]] = []

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            await read_request(reader)
            answer, close = waiting.pop()
            cut = draw.randint(0, len(answer))
            for piece in (answer[:cut], answer[cut:]):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0)
            if close:
                return

    async def work() -> None:
        async with (
            serving(script) as url,
            client_of(LOOPBACK) as client,
            aiohttp.ClientSession() as peer,
        ):
            for body, answer, close in cases:
                waiting.extend([(answer, close)] * 2)
                ours = await client.post("a", url, b"{}", {}, 5.0)
                async with peer.post(url, data=b"{}") as theirs:
                    assert await theirs.read() == body
                assert isinstance(ours, Reply), (answer, ours)
                assert ours.body == body

    run(work())


def test_mutated_answers_end_as_a_body_or_a_fault_and_raise_nothing() -> None:
    draw = random.Random("mutations")
    answers = []
    for _ in range(300):
        answer = bytearray(shapes(draw)[1])
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(answer))
            answer[at : at + draw.randint(0, 2)] = draw.randbytes(draw.randint(0, 3))
        answers.append(bytes(answer))

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answers[-1])

    async def work() -> set[str]:
        kinds = set()
        async with serving(script) as url, client_of(LOOPBACK) as client:
            while answers:
                outcome = await client.post("a", url, b"{}", {}, 5.0)
                kinds.add(outcome.kind if isinstance(outcome, Fault) else "ok")
                answers.pop()
        return kinds

    assert {"ok", "malformed"} <= run(work()) <= {"ok", *KINDS}


class Counting:
    """Answers with what it is given, and counts connections."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = list(answers)
        self.connections = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while self.answers:
            await read_request(reader)
            writer.write(self.answers.pop(0))


async def posts(client: Client, url: str, count: int) -> None:
    for _ in range(count):
        assert isinstance(await client.post("a", url, b"{}", {}, 5.0), Reply)


@pytest.mark.parametrize(
    ("answer", "connections"),
    [
        (response(b"{}"), 1),
        (response(b"{}", "200 OK", "Connection: close"), 3),
        (response(b"{}").replace(b"HTTP/1.1", b"HTTP/1.0"), 3),
        (
            response(b"{}", "200 OK", "Connection: keep-alive").replace(b"HTTP/1.1", b"HTTP/1.0"),
            1,
        ),
        (response(b"{}") + b"HTTP/1.1 200 OK\r\n", 3),  # more than was asked for
        (response(b"{}") + b"\0", 3),
    ],
)
def test_a_connection_is_kept_only_if_both_ends_agree_and_nothing_is_left_over(
    answer: bytes, connections: int
) -> None:
    server = Counting(answer, answer, answer)

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            await posts(client, url, 3)

    run(work())
    assert server.connections == connections


def test_connections_that_lie_idle_too_long_are_closed() -> None:
    closed = asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(response(b"{}"))
        assert await reader.read() == b""
        closed.set()

    async def work() -> None:
        limits = Limits(idle=0.05)
        async with serving(script) as url, client_of(LOOPBACK, limits=limits) as client:
            await posts(client, url, 1)
            await closed.wait()

    run(work())


def test_a_call_that_is_cancelled_closes_its_connection() -> None:
    asked, closed = asyncio.Event(), asyncio.Event()

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        asked.set()
        try:
            await reader.read()
        finally:
            closed.set()

    async def work() -> None:
        async with serving(script) as url, client_of(LOOPBACK) as client:
            call = asyncio.create_task(client.post("a", url, b"{}", {}, 30.0))
            await asked.wait()
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
            await closed.wait()

    run(work())


def test_the_bytes_of_a_request() -> None:
    async def work() -> bytes:
        lane = Lane(parse_url("https://Bot.example.com:8443/a%20b?c=d"), 1, 1.0)
        return lane.request({"webhook-id": "01J"}, b"{}")

    assert run(work()) == (
        b"POST /a%20b?c=d HTTP/1.1\r\nHost: bot.example.com:8443\r\n"
        b"User-Agent: baohuang-arena (bot protocol 1)\r\nAccept: application/json\r\n"
        b"Accept-Encoding: identity\r\nContent-Type: application/json\r\n"
        b"webhook-id: 01J\r\nContent-Length: 2\r\n\r\n{}"
    )


class Wire(asyncio.Transport):
    """Leads nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: object) -> None:
        self.written += bytes(data)  # type: ignore[call-overload]

    def abort(self) -> None: ...

    def is_closing(self) -> bool:
        return False


def wired() -> tuple[Connection, Wire]:
    connection, wire = Connection(Bounds(), lambda _: None, Outbox()), Wire()
    connection.connection_made(wire)
    return connection, wire


def test_a_connection_that_was_closed_before_it_was_asked_says_so_at_once() -> None:
    async def work() -> tuple[bytes | Fault, bytes]:
        connection, wire = wired()
        connection.data_received(response(b"{}"))
        connection.connection_lost(None)
        return await connection.ask(b"POST", True), wire.written

    outcome, written = run(work())
    assert isinstance(outcome, Fault)
    assert (outcome.kind, outcome.charged_to, written) == ("connect", "bot", b"")


def test_the_time_of_an_agent_begins_when_its_request_is_written() -> None:
    async def work() -> None:
        connection, wire = wired()
        answer = connection.ask(b"POST", True)
        assert (connection.sent, wire.written) == (0.0, b"")
        before = time.monotonic()
        await asyncio.sleep(0)
        assert wire.written == b"POST"
        assert before <= connection.sent <= time.monotonic()
        connection.data_received(response(b"{}"))
        assert await answer == b"{}"

    run(work())


def test_what_comes_before_the_request_is_written_is_no_answer() -> None:
    async def work() -> None:
        connection, wire = wired()
        answer = connection.ask(b"POST", True)
        connection.data_received(response(b"{}"))
        connection.connection_lost(None)
        await asyncio.sleep(0)
        outcome = await answer
        assert isinstance(outcome, Fault)
        assert (outcome.kind, connection.received, wire.written) == ("connect", False, b"")

    run(work())


def test_a_request_that_was_given_up_is_not_written() -> None:
    async def work() -> None:
        connection, wire = wired()
        answer = connection.ask(b"POST", True)
        connection.give_up(LATE)
        await asyncio.sleep(0)
        assert (await answer, wire.written, connection.usable) == (LATE, b"", False)

    run(work())


def test_requests_leave_together_in_their_order_but_no_more_than_sixteen() -> None:
    async def work() -> None:
        outbox, sent = Outbox(), list[int]()
        for number in range(15):
            outbox.put(partial(sent.append, number))
        assert sent == []
        outbox.put(partial(sent.append, 15))
        assert sent == [*range(16)]
        outbox.put(partial(outbox.put, partial(sent.append, 17)))
        outbox.put(partial(sent.append, 16))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert sent == [*range(18)]

    run(work())


@pytest.mark.parametrize("value", ["a\r\nHost: b", "a\n", "\r"])
def test_a_header_that_would_break_out_of_its_line_is_our_own_error(value: str) -> None:
    lane = Lane(parse_url("http://bot.example.com/"), 1, 1.0)
    with pytest.raises(ValueError, match="line break"):
        lane.request({"webhook-id": value}, b"{}")


@pytest.mark.parametrize(
    ("types", "answer"),
    [
        ([b"application/json"], True),
        ([b"Application/JSON ; Charset=UTF-8"], True),
        ([b'application/json;charset="utf-8"'], True),
        ([b"application/json; version=1"], True),
        ([], False),
        ([b""], False),
        ([b"application/json", b"application/json"], False),
        ([b"text/json"], False),
        ([b"application/json, text/html"], False),
        ([b"application/problem+json"], False),
        ([b"application/json; charset=latin-1"], False),
    ],
)
def test_what_counts_as_json(types: list[bytes], answer: bool) -> None:
    assert is_json(types) is answer
