"""The arena's door from a terminal: what is waited out, and said; what no waiting mends."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from baohuang.api.bench.certificates import self_signed
from baohuang.api.cli import main
from baohuang.api.sitting.arena import Arena, ArenaRefused

from ..support import refusing

AGENT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


class Enough(Exception):
    """Ends a test that would wait for ever."""


class Patience:
    """In place of `time.sleep`: notes the seconds, and is exhausted after so many pauses."""

    def __init__(self, pauses: int) -> None:
        self.left = pauses
        self.slept: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.left -= 1
        if self.left < 0:
            raise Enough


@contextmanager
def answering(*answers: tuple[int, str], tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server that gives these statuses, each with a `Retry-After`, in turn; its port."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, after = left.pop(0)
            self.send_response(status)
            if after:
                self.send_header("Retry-After", after)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    class Server(HTTPServer):
        def handle_error(self, *_: object) -> None: ...

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def unknown(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """No name is known from now on, by this error of the resolver."""

    def failing(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(number, "the resolver's words")

    monkeypatch.setattr(socket, "getaddrinfo", failing)


def test_what_passes_by_itself_is_waited_out_and_told_once_each_time() -> None:
    told: list[str] = []
    patience = Patience(4)
    with answering((503, "7"), (429, ""), (200, ""), (502, ""), (503, "x"), (200, "")) as port:
        base = f"http://127.0.0.1:{port}"
        arena = Arena(base, AGENT, "t", patience, told.append)
        assert arena.fetch() is arena.fetch() is None
    assert patience.slept == [7, 1, 1, 1]
    assert told == [
        f"{base} does not answer as it should (status {status}); waiting for it."
        for status in (503, 502)
    ]


def test_an_arena_that_does_not_listen_yet_is_waited_for_and_that_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with refusing() as port, pytest.raises(Enough):
        Arena(f"http://127.0.0.1:{port}", AGENT, "hush", Patience(3)).fetch()
    out, err = capsys.readouterr()
    assert out == ""
    said = "does not answer as it should (Connection refused); waiting for it."
    assert err.splitlines() == [f"http://127.0.0.1:{port} {said}"]


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_NODATA])
def test_a_name_that_does_not_exist_ends_it(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    unknown(monkeypatch, number)
    with pytest.raises(ArenaRefused) as refused:
        Arena("https://no-such-host.invalid", AGENT, "t", Patience(0)).fetch()
    said = "https://no-such-host.invalid cannot be reached: the resolver's words"
    assert str(refused.value) == said
    command = ["sit", AGENT, "--arena", "https://no-such-host.invalid", "--token", "hush"]
    result = CliRunner().invoke(main, command)
    assert (result.exit_code, result.stderr) == (1, f"Error: {said}\n")


def test_a_resolver_that_does_not_know_yet_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    unknown(monkeypatch, socket.EAI_AGAIN)
    told: list[str] = []
    with pytest.raises(Enough):
        Arena("https://arena.example", AGENT, "t", Patience(2), told.append).fetch()
    assert len(told) == 1


def test_a_name_that_was_there_before_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at a table, and his network is gone for a moment."""
    told: list[str] = []
    with answering((200, "")) as port:
        arena = Arena(f"http://localhost:{port}", AGENT, "t", Patience(2), told.append)
        assert arena.fetch() is None
        unknown(monkeypatch, socket.EAI_NONAME)
        with pytest.raises(Enough):
            arena.fetch()
    assert len(told) == 1


def test_a_certificate_that_does_not_verify_ends_it(tmp_path: Path) -> None:
    context, _ = self_signed(tmp_path, "127.0.0.1")
    with answering(tls=context) as port:
        with pytest.raises(ArenaRefused, match="its certificate does not verify: self"):
            Arena(f"https://127.0.0.1:{port}", AGENT, "t", Patience(0)).fetch()
        command = ["sit", AGENT, "--arena", f"https://127.0.0.1:{port}", "--token", "hush"]
        result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: https://127.0.0.1:{port} cannot be reached: its certificate")


def test_plain_http_where_https_is_expected_ends_it_too() -> None:
    with (
        answering((200, "")) as port,
        pytest.raises(ArenaRefused, match="cannot be reached"),
    ):
        Arena(f"https://127.0.0.1:{port}", AGENT, "t", Patience(0)).fetch()


@pytest.mark.parametrize(
    "base", ["http:///", "http://no host", "http://127.0.0.1:x", "http://[::1"]
)
def test_an_address_that_is_none_ends_it(base: str) -> None:
    with pytest.raises(ArenaRefused, match=r"cannot be reached|no arena"):
        Arena(base, AGENT, "t", Patience(0)).fetch()
