"""An arena that answers something else than its API says: one sentence and status 1, never a
traceback, from every command that reads what an arena says.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from baohuang.api.authoring import answers
from baohuang.api.authoring.shapes import Maybe, Row, fit
from baohuang.api.cli import main
from baohuang.api.sitting import screen
from baohuang.api.sitting.requests import require_request

DOCUMENTS = Path(__file__).parents[3] / "openapi"
EXAMPLES = DOCUMENTS / "examples"
AGENT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
COMMANDS = {
    "register": ["agent", "register", "First", "http://127.0.0.1:9/"],
    "show": ["agent", "show", AGENT],
    "verify": ["agent", "verify", AGENT],
    "practice": ["agent", "practice", AGENT],
    "enter": ["agent", "enter", AGENT, AGENT],
    "check-in": ["agent", "check-in", AGENT, AGENT],
    "withdraw": ["agent", "withdraw", AGENT, AGENT],
    "return": ["agent", "return", AGENT, AGENT],
    "pause": ["agent", "pause", AGENT],
    "resume": ["agent", "resume", AGENT],
    "matches": ["agent", "matches", AGENT],
    "calls": ["agent", "calls", AGENT],
    "replay": ["agent", "replay", AGENT, "3", "http://127.0.0.1:9/"],
    "rotate": ["agent", "rotate", AGENT],
    "rotate of a version": ["agent", "rotate", AGENT, "--version", "2"],
    "check": ["agent", "check", AGENT],
    "check of a version": ["agent", "check", AGENT, "--version", "1"],
    "report": ["agent", "report", "2", AGENT],
    "version": ["agent", "version", "http://127.0.0.1:9/", AGENT],
    "cup": ["cup", AGENT],
    "sit": ["sit", AGENT, "--matches", "1"],
}
EMPTY_OBJECT = {"items": [{}], "next": None, "kind": "decide"}
"""What has no field that anybody asks for, whether it is taken for an object or for a list."""

WRONG = [{}, [], 7, "x", True, {"items": {}}, {"items": [None], "next": 3}, EMPTY_OBJECT]


class Fibber:
    """Answers every request with `answer`."""

    answer: Any = None
    base = ""


@pytest.fixture(scope="module")
def fibber() -> Iterator[Fibber]:
    said = Fibber()

    class Says(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = json.dumps(said.answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Says) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        said.base = f"http://127.0.0.1:{server.server_port}"
        yield said
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_is_no_answer_is_one_sentence_and_status_1(fibber: Fibber, command: list[str]) -> None:
    for wrong in WRONG:
        fibber.answer = wrong
        environment = {"ARENA": fibber.base, "ARENA_TOKEN": "t", "AGENT_ID": None}
        result = CliRunner().invoke(main, command, env=environment)
        assert result.exit_code == 1, (wrong, result.output)
        assert isinstance(result.exception, SystemExit), (wrong, result.exception)
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert result.stderr.startswith("Error: What "), result.stderr


@pytest.mark.parametrize(
    ("value", "shape", "at"),
    [
        ({"a": [{"b": "x"}, {}]}, {"a": Row({"b": str})}, "/a/1/b is not there"),
        ({"a": "1"}, {"a": int}, "/a is not a whole number"),
        ({"a": True}, {"a": int}, "/a is not a whole number"),
        ({"a": 1}, {"a": bool}, "/a is not true or false"),
        ({"a": None}, {"a": str}, "/a is not a text"),
        ([1, 2, 3, 4], Row(int, 5), "it is not a list of 5"),
        ({"a": 5}, {"a": range(5)}, "/a is not a number from 0 to 4"),
        ("x", {}, "it is not an object"),
        (None, {"a": int}, "it is not an object"),
    ],
)
def test_the_first_wrong_place_is_named(value: Any, shape: Any, at: str) -> None:
    with pytest.raises(ValueError, match=f"^{at}$"):
        fit(value, shape)


def test_more_than_is_asked_for_and_null_where_it_may_be_are_right() -> None:
    fit({"a": None, "b": 4, "more": object()}, {"a": Maybe(Row(int)), "b": range(5)})
    fit([[0, "pass"]], Row(Row(object, 2)))


SCHEMAS = {
    "AgentShown": answers.AGENT,
    "AgentMatch": answers.AGENT_MATCH,
    "Entry": answers.ENTRY,
    "AgentNotice": answers.NOTICE,
    "Version": answers.VERSION,
    "VersionCheck": answers.CHECK,
    "CheckFinding": answers.FINDING,
    "VersionReport": answers.REPORT,
    "Call": answers.CALL,
    "Replay": answers.REPLAY,
    "Tournament": answers.TOURNAMENT,
    "Standing": answers.STANDING,
    "Match": answers.MATCH,
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_only_what_the_api_always_answers_is_asked_for(name: str) -> None:
    """And null is allowed wherever the API allows it."""
    document = json.loads((DOCUMENTS / "openapi.json").read_text())
    schema = document["components"]["schemas"][name]
    for field, shape in SCHEMAS[name].items():  # type: ignore[union-attr]
        assert field in schema["required"], field
        told = schema["properties"][field]
        nullable = "null" in told.get("type", ()) or {"type": "null"} in told.get("anyOf", ())
        assert isinstance(shape, Maybe) or not nullable, field


@pytest.mark.parametrize(
    "path",
    [*EXAMPLES.glob("decide-*.json"), EXAMPLES / "deal_end.json", EXAMPLES / "match_end.json"],
    ids=lambda path: path.stem,
)
def test_every_example_of_a_request_can_be_shown(path: Path) -> None:
    request = json.loads(path.read_text())
    require_request(request)
    shown = screen.question if request["kind"] == "decide" else getattr(screen, request["kind"])
    assert shown(request)
