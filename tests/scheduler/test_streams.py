"""Event streams of a real server: they end with it, go on at the next, and free their places."""

from __future__ import annotations

import signal
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection

import pytest

from baohuang.api.ports import free_port
from baohuang.api.services import events

from ..api.streams import Reader
from .arena import until

SSE = {"Accept": "text/event-stream"}


@pytest.fixture
def arena(arena):
    """With a tournament that runs."""
    arena.prepare([f"https://bot{number}.example/" for number in range(5)])
    return arena


@contextmanager
def api(arena, **env):
    """`baohuang api` on a free port: its process, and a way to call it."""
    port = free_port()

    def call(path, **headers):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        calls.callback(connection.close)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.connection = connection
        calls.callback(answer.close)
        return answer

    def is_up():
        try:
            return call("/healthz").status == 200
        except ConnectionError:
            return False

    with ExitStack() as calls, arena.process("api", BAOHUANG_PORT=str(port), **env) as process:
        until(is_up)
        yield process, call


def chunks(answer):
    while chunk := answer.read1(65536):
        yield chunk


def tell(arena, count):
    with arena.database.begin() as session:
        told = {"count": count}
        events.tell(session, arena.tournament_id, "tournament.paused", told)


def counts(messages):
    return [message.json["payload"]["count"] for message in messages]


def test_a_stream_ends_with_its_server_at_once_and_goes_on_at_the_next(arena):
    path = f"/api/v1/tournaments/{arena.tournament_id}/events"
    with api(arena) as (process, call):
        reader = Reader(chunks(call(f"{path}?start=now", **SSE)))
        for count in range(3):
            tell(arena, count)
            assert counts(reader.take(1)) == [count]
        process.send_signal(signal.SIGTERM)
        assert list(reader) == []  # a proper end, not a broken connection
        assert process.wait(30) == 0
    tell(arena, 3)  # while no server runs
    with api(arena) as (_, call):
        reader = Reader(chunks(call(path, **SSE, **{"Last-Event-ID": reader.last_id})))
        tell(arena, 4)
        assert counts(reader.take(2)) == [3, 4]


@pytest.mark.parametrize("arena_url", ["sqlite"], indirect=True)
def test_streams_take_no_thread_from_requests_and_give_their_places_back(arena):
    path = f"/api/v1/tournaments/{arena.tournament_id}/events"
    with api(arena, BAOHUANG_STREAMS="2", BAOHUANG_THREADS="1") as (_, call):
        leaving, _staying = [call(path, **SSE) for _ in range(2)]
        refused = call(path, **SSE)
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert call(path).status == 200
        assert b"\nbaohuang_streams 2\n" in call("/metrics").read()
        leaving.close()
        leaving.connection.close()

        def is_free():
            tell(arena, 0)  # the server notices who is gone when it writes
            return call(path, **SSE).status == 200

        until(is_free)
