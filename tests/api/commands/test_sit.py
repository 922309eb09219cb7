"""`baohuang sit` against a real server: one question, answered from the keyboard."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from baohuang.api.cli import main
from baohuang.api.models import Question
from baohuang.api.remote.pull import Letter
from baohuang.api.services import questions

from ..conftest import Caller, Site
from ..tournament_support import open_round, opened

EXAMPLES = Path(__file__).parents[3] / "openapi" / "examples"
FOLLOW, END = "01CBSY7VSGPSAGR2EBWPD9VW34", "01PGGH4X2XP41KNKFSNJ28GPM1"


@pytest.fixture
def base(site: Site) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, site.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def agent_id(author: Caller) -> str:
    made: str = author.post("/agents", json={"name": "me", "kind": "pull"}).get_json()["id"]
    return made


def offer(site: Site, agent_id: str, match_id: str, name: str, kind: str) -> None:
    body = (EXAMPLES / f"{name}.json").read_bytes()
    request = json.loads(body)["request"]
    letter = Letter(request, agent_id, match_id, 1, kind, body, 20_000, 20_000)  # type: ignore[arg-type]
    with site.arena.database.begin() as session:
        questions.offer(session, [letter])


def sit(base: str, agent_id: str, token: str | None, typed: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(
        main, ["sit", agent_id, "--arena", base, "--matches", "1", "--token", token or "x"], typed
    )
    return result.exit_code, result.output


def test_a_question_is_shown_and_its_answer_counts(site, author, organizer, base, agent_id):
    tournament_id = opened(organizer)
    author.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": agent_id})
    organizer.post(f"/tournaments/{tournament_id}/start")
    match_id = open_round(site, tournament_id)[0]
    offer(site, agent_id, match_id, "decide-follow", "decide")
    offer(site, agent_id, match_id, "match_end", "match_end")
    status, output = sit(base, agent_id, author.token, "2222x\n")
    assert status == 0, output
    assert "To beat: AAAAA" in output
    assert "The match is over" in output
    with site.arena.database.read() as session:
        assert session.get_one(Question, FOLLOW).answer == "2222x"


def test_a_refusal_is_one_sentence(site, author, base, agent_id):
    other = site.caller("Bert")
    status, output = sit(base, agent_id, other.token)
    assert status == 1
    assert output.splitlines()[-1] == "Error: There is no such agent."


@pytest.mark.parametrize("arguments", [["sit", "x", "--token", "t"], ["sit"]])
def test_nonsense_is_wrong_usage(arguments):
    assert CliRunner().invoke(main, arguments).exit_code == 2
