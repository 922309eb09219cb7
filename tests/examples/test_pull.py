"""The sample that fetches its questions, against an arena in a few lines that is not well."""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import orjson

SAMPLE = Path(__file__).parents[2] / "examples" / "python" / "pull.py"
END = orjson.dumps({"kind": "match_end", "match": "M", "totals": [0] * 5})


@contextmanager
def arena(*answers: tuple[int, dict[str, str], bytes]) -> Iterator[str]:
    """Gives these in order, the last one again and again."""
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def sample(base: str, token: str = "t") -> subprocess.Popen[str]:
    given = ["--arena", base, "--agent", "A", "--token", token]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, str(SAMPLE), *given], text=True, **pipes)


def test_it_outlives_answers_that_are_cut_short_or_are_no_json() -> None:
    cut = (200, {"Content-Length": "100"}, b"{")
    busy = (503, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, b"")
    with arena(cut, (200, {}, b"{"), busy, (200, {}, END)) as base, sample(base) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "M [0, 0, 0, 0, 0]\n"
        finally:
            process.kill()


def test_it_ends_where_it_may_not_fetch() -> None:
    with arena((409, {}, b'{"code":"agent_kind"}')) as base, sample(base) as process:
        _, told = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "agent_kind" in told


def test_it_says_why_it_asks_again_and_ends_with_a_token_that_nobody_can_send() -> None:
    with sample("http://127.0.0.1:port") as process:
        try:
            assert process.stderr is not None
            assert "nonnumeric port" in process.stderr.readline()
        finally:
            process.kill()
    with arena((200, {}, END)) as base, sample(base, token="t\r") as process:
        process.communicate(timeout=60)
    assert process.returncode == 1


def test_it_takes_the_throne_or_five_of_it_would_never_play() -> None:
    given = {"phase": "throne", "legal": ["accept", "yield"], "fallback": "yield"}
    choose = runpy.run_path(str(SAMPLE))["choose"]
    assert choose(given) == "accept"
    assert choose({**given, "legal": ["yield"]}) == "yield"
