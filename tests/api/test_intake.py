"""Bodies that never end: given up after their time, few of one address, and in nobody's place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from werkzeug.test import Client, EnvironBuilder
from werkzeug.wrappers import Response

from baohuang.api.errors import TooMany, TooSlow, Unavailable
from baohuang.api.intake import EACH, Intake
from baohuang.scheduler.serve import Gate

from .support import problem

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


@pytest.mark.parametrize("length", [0, 1, 255, 256, 257, 1000, 5000])
def test_a_body_is_read_to_its_end_and_never_further_than_wanted(length):
    data = bytes(number % 251 for number in range(length))
    assert Intake().read(Pieces(data), 10_000, "a") == data
    assert Intake().read(Pieces(data), 300, "a") == data[:300]


def test_what_comes_too_late_is_given_up_and_the_place_is_free_when_it_ends(half):
    intake, body = Intake(SOON_S), half(b"x" * 1000)
    with pytest.raises(TooSlow) as slow:
        intake.read(body, 1000, "a")
    assert slow.value.headers == {"Connection": "close"}
    assert intake.taken == 1
    body.go.set()
    until_empty(intake)
    assert len(body.data) == 1000 - 256  # the piece that was asked for, and no more


def until_empty(intake):
    """The thread that reads takes its leave by itself; another body of ours waits for that."""
    pause = Event()
    for _ in range(1000):
        if not intake.taken:
            return
        pause.wait(0.01)
    raise AssertionError


def test_one_address_has_few_bodies_on_their_way_and_others_theirs(half):
    intake = Intake(SOON_S, each=2, total=3)
    bodies = [half() for _ in range(3)]
    for body, address in zip(bodies, "aab", strict=True):
        with pytest.raises(TooSlow):
            intake.read(body, 10, address)
        if address == "a" and body is bodies[1]:
            with pytest.raises(TooMany) as refused:
                intake.read(Pieces(b"x"), 10, "a")
            assert refused.value.problem_code == "too_many_bodies"
            assert intake.read(Pieces(b"x"), 10, "b") == b"x"
            until_taken(intake, 2)
    with pytest.raises(Unavailable):
        intake.read(Pieces(b"x"), 10, "c")
    for body in bodies:
        body.go.set()
    until_empty(intake)
    assert intake.read(Pieces(b"x"), 10, "a") == b"x"


def until_taken(intake, number):
    pause = Event()
    for _ in range(1000):
        if intake.taken == number:
            return
        pause.wait(0.01)
    raise AssertionError


def test_a_client_that_breaks_off_fails_as_it_did():
    class Broken:
        def read(self, _size, /):
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        Intake().read(Broken(), 10, "a")


def test_threads_are_used_again():
    intake = Intake(each=EACH)
    for _ in range(100):
        assert intake.read(Pieces(b"x" * 10), 10, "a") == b"x" * 10
    until_empty(intake)
    assert intake._idle <= 2


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
    site.arena.intake.seconds = SOON_S
    answer = Response.from_app(
        site.app, environ_of("/api/v1/agents", half(), "application/json", author.token), True
    )
    problem(answer, 408, "body_too_slow")
    assert answer.headers["Connection"] == "close"
    page = Response.from_app(site.app, environ_of("/login", half(), FORM), True)
    assert (page.status_code, page.mimetype) == (408, "text/html")


def test_a_stranger_who_needs_a_token_is_refused_unread(site, half):
    answer = Response.from_app(
        site.app, environ_of("/api/v1/agents", half(), "application/json"), True
    )
    problem(answer, 401, "unauthorized")
