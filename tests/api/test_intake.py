"""Bodies that never end: given up after their time, few of one address, and in nobody's place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from werkzeug.test import Client, EnvironBuilder
from werkzeug.wrappers import Response

from baohuang.api.errors import TooMany, TooSlow, Unavailable
from baohuang.api.intake import Intake, Peer
from baohuang.scheduler.serve import Gate

from .support import problem

PEER = Peer("192.0.2.1", 80)
SOON_S = 0.05
LONG_S = 60.0


class Half:
    """A body whose end never comes: `read` waits for `go`, having said `begun`."""

    def __init__(self, data=b""):
        self.data = data
        self.begun, self.go = Event(), Event()

    def read(self, size=-1, /):
        self.begun.set()
        assert self.go.wait(LONG_S)
        found, self.data = self.data[:size], self.data[size:]
        return found


@pytest.fixture
def half():
    """They all end with the test."""
    made = []

    def make(data=b""):
        made.append(Half(data))
        return made[-1]

    yield make
    for each in made:
        each.go.set()


class Pieces:
    """Gives what was asked for, and remembers how much that was each time."""

    def __init__(self, data):
        self.data, self.asked = data, []

    def read(self, size, /):
        self.asked.append(size)
        found, self.data = self.data[:size], self.data[size:]
        return found


def nobody(_peer, _overdue, _readings):
    """Ends no connection."""


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 1000, 20_000])
def test_a_body_is_read_to_its_end_and_never_further_than_wanted(length):
    data, intake = bytes(number % 251 for number in range(length)), Intake(LONG_S, nobody)
    assert intake.read(Pieces(data), 30_000, "a", PEER) == data
    assert intake.read(Pieces(data), 300, "a", PEER) == data[:300]
    assert intake.taken == 0


def test_what_does_not_come_is_cut_off_and_too_slow(half):
    body, asked = half(b"x" * 10), []

    def cut(peer, overdue, readings):
        asked.append((peer, len(overdue), len(readings)))
        body.go.set()

    intake = Intake(SOON_S, cut)
    with pytest.raises(TooSlow) as slow:
        intake.read(body, 1000, "a", Peer("192.0.2.1", 80))
    assert slow.value.headers == {"Connection": "close"}
    assert asked[0] == (("192.0.2.1", 80), 1, 1)
    assert intake.taken == 0


def test_the_end_of_a_body_whose_connection_was_ended_with_anothers_is_none(half, monkeypatch):
    """Which of a peer's connections carries which body nobody knows for certain."""
    now = [0.0]
    monkeypatch.setattr("baohuang.api.intake.time.monotonic", lambda: now[0])
    overdue, younger = half(b"x"), half(b"x")

    def cut(*_):
        for body in (overdue, younger):
            body.go.set()

    intake = Intake(SOON_S, cut)
    with ThreadPoolExecutor(2) as pool:
        reads = []
        for body in (overdue, younger):
            reads.append(pool.submit(intake.read, body, 1000, "a", PEER))
            assert body.begun.wait(LONG_S)
            now[0] += 0.6 * SOON_S
        for read in reads:
            with pytest.raises(TooSlow):
                read.result(LONG_S)


def test_what_comes_drop_by_drop_is_given_up_after_its_time(monkeypatch):
    """A piece a second: the tenth is the last that is waited for."""
    now = [0.0]
    monkeypatch.setattr("baohuang.api.intake.time.monotonic", lambda: now[0])
    body = Pieces(b"x" * 10_000)

    class Slowly:
        def read(self, size, /):
            now[0] += 1.0
            return body.read(size)

    with pytest.raises(TooSlow):
        Intake(10.5, nobody).read(Slowly(), 10_000, "a", PEER)
    assert now[0] == 11.0
    assert max(body.asked) < 10_000 / 2


def test_one_address_has_few_bodies_on_their_way_and_others_theirs(half):
    intake, bodies = Intake(LONG_S, nobody, each=2, total=3), [half(b"x") for _ in range(3)]

    def read(address):
        return intake.read(Pieces(b"x"), 1, address, PEER)

    with ThreadPoolExecutor(3) as threads:
        slow = []
        for body, address in zip(bodies, "aab", strict=True):
            slow.append(threads.submit(intake.read, body, 1, address, PEER))
            assert body.begun.wait(LONG_S)
            if body is bodies[1]:
                with pytest.raises(TooMany) as refused:
                    read("a")
                assert refused.value.problem_code == "too_many_bodies"
                assert read("b") == b"x"
        with pytest.raises(Unavailable):
            read("c")
        for body in bodies:
            body.go.set()
        assert [each.result(LONG_S) for each in slow] == [b"x"] * 3
    assert read("a") == b"x"


def test_a_client_that_breaks_off_fails_as_it_did():
    class Broken:
        def read(self, _size, /):
            raise ConnectionResetError

    intake = Intake(LONG_S, nobody)
    with pytest.raises(ConnectionResetError):
        intake.read(Broken(), 10, "a", PEER)
    assert intake.taken == 0


FORM = "application/x-www-form-urlencoded"


def environ_of(path, body, content_type, token=None):
    """A request whose server says that it is sent in chunks, and where these end."""
    headers = {"Transfer-Encoding": "chunked"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    builder = EnvironBuilder(path, method="POST", content_type=content_type, headers=headers)
    environ = builder.get_environ()
    return {**environ, "wsgi.input": body, "wsgi.input_terminated": True}


@pytest.mark.parametrize("where", ["form", "form of the logged in", "operation"])
def test_while_a_body_is_on_its_way_others_are_answered(site, author, half, where):
    """One place for requests. Neither that nor a connection of the database is taken."""
    gate, body = Gate(site.app, 1), half(b"{}")
    path, content_type, token = "/login", FORM, None
    if where == "operation":
        path, content_type, token = "/api/v1/agents", "application/json", author.token
    environ = environ_of(path, body, content_type, token)
    if where == "form of the logged in":
        environ |= {"PATH_INFO": "/logout", "HTTP_X_FORM_KEY": "x"}
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(Response.from_app, gate, environ, True)
        assert body.begun.wait(LONG_S)
        assert Client(gate).get("/healthz").status_code == 200
        with site.arena.database.begin():
            pass  # nobody holds the one write transaction of SQLite
        assert not slow.done()
        body.go.set()
        assert slow.result(LONG_S).status_code in (401, 403, 422)


def test_a_slow_body_is_408_as_a_problem_and_as_a_page(site, author, half):
    intake = site.arena.intake
    intake.seconds = SOON_S

    def answer_to(path, content_type, token=None):
        body = half()
        intake.cut = lambda *_: body.go.set()
        return Response.from_app(site.app, environ_of(path, body, content_type, token), True)

    answer = answer_to("/api/v1/agents", "application/json", author.token)
    problem(answer, 408, "body_too_slow")
    assert answer.headers["Connection"] == "close"
    page = answer_to("/login", FORM)
    assert (page.status_code, page.mimetype) == (408, "text/html")


def test_a_stranger_who_needs_a_token_is_refused_unread(site, half):
    answer = Response.from_app(
        site.app, environ_of("/api/v1/agents", half(), "application/json"), True
    )
    problem(answer, 401, "unauthorized")
