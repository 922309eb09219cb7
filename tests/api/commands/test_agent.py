"""`baohuang agent` and `baohuang cup`: what is printed, what is refused, what is waited for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select
from werkzeug.serving import make_server

from baohuang.api.authoring import arena as arena_module
from baohuang.api.authoring import wary
from baohuang.api.authoring.arena import Arena, ArenaRefused
from baohuang.api.authoring.errands import (
    Seat,
    checked,
    shell_variables,
    until_finished,
    until_over,
    verified,
)
from baohuang.api.authoring.wary import plain, read
from baohuang.api.cli import main
from baohuang.api.models import AgentStatus, Fault, PracticeSeat
from baohuang.api.remote.signing import new_secret
from baohuang.api.sitting.arena import Arena as Door
from baohuang.api.sitting.arena import ArenaRefused as DoorShut

from ..conftest import Caller, Site
from ..pages.browser import logged_in
from ..tournament_support import agent, open_round, opened, play_round

AGENT = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def base(site: Site) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, site.app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()
    server.server_close()


def run(base: str, caller: Caller | None, *arguments: str) -> Result:
    token = caller.token if caller else None
    environment = {"ARENA": base, "ARENA_TOKEN": token, "AGENT_ID": None}
    return CliRunner().invoke(main, arguments, env=environment)


def exported(result: Result) -> dict[str, str]:
    """The shell variables that a command printed."""
    assert result.exit_code == 0, result.output
    lines = [line.removeprefix("export ") for line in result.stdout.splitlines()]
    return dict(line.split("=", 1) for line in lines)


class Answers:
    """An arena that gives one answer after the other, or refuses."""

    def __init__(self, *answers: dict[str, Any] | ArenaRefused) -> None:
        self.answers = list(answers)
        self.waited: list[float] = []

    def get(self, path: str, *_: object, shape: object = None) -> Any:
        answer = self.answers.pop(0)
        if isinstance(answer, ArenaRefused):
            raise answer
        return answer

    post = get

    def wait(self, seconds: float) -> None:
        self.waited.append(seconds)


def test_register_prints_shell_variables_and_nothing_else(base: str, author: Caller) -> None:
    result = run(base, author, "agent", "register", "First", "http://127.0.0.1:9000/")
    said = exported(result)
    assert set(said) == {"AGENT_ID", "AGENT_SECRET"}
    found = author.get(f"/agents/{said['AGENT_ID']}").get_json()
    assert (found["name"], found["url"]) == ("First", "http://127.0.0.1:9000/")
    assert said["AGENT_SECRET"].startswith("whsec_")
    assert result.stderr == "First is registered and unverified.\n"


def test_an_agent_that_fetches_has_no_secret(base: str, author: Caller) -> None:
    result = run(base, author, "agent", "register", "Hidden")
    assert set(exported(result)) == {"AGENT_ID"}
    assert result.stderr == "Hidden is registered and active.\n"


def test_rotating_gives_a_new_secret_and_a_second_time_wants_now(base: str, author: Caller) -> None:
    made = exported(run(base, author, "agent", "register", "First", "http://127.0.0.1:9000/"))
    agent = made["AGENT_ID"]
    first = run(base, author, "agent", "rotate", agent)
    assert exported(first)["AGENT_SECRET"] != made["AGENT_SECRET"]
    assert "signs too until" in first.stderr
    again = run(base, author, "agent", "rotate", agent)
    assert again.exit_code == 1
    assert "whsec_" not in again.output
    leaked = run(base, author, "agent", "rotate", agent, "--now")
    assert exported(leaked)["AGENT_SECRET"] != exported(first)["AGENT_SECRET"]
    assert leaked.stderr == "The old secret is gone.\n"


def test_the_secret_of_another_version_is_rotated_by_its_number(base: str, author: Caller) -> None:
    made = exported(run(base, author, "agent", "register", "First", "http://127.0.0.1:9000/"))
    agent = made["AGENT_ID"]
    second = exported(run(base, author, "agent", "version", "http://127.0.0.1:9001/", agent))
    rotated = run(base, author, "agent", "rotate", agent, "--version", "2")
    assert set(exported(rotated)) == {"AGENT_SECRET"}
    assert exported(rotated)["AGENT_SECRET"] != second["AGENT_SECRET"]
    path = f"/agents/{agent}/versions"
    until = [author.get(f"{path}/{n}").get_json()["previous_secret_until"] for n in (1, 2)]
    assert until[0] is None, "that one has a secret of its own"
    assert until[1] is not None
    missing = run(base, author, "agent", "rotate", agent, "--version", "3")
    assert missing.stderr == "Error: The agent has no version 3.\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["register", "First", "http://10.0.0.1/"], "/url: "),
        (["show", AGENT], "There is no such agent."),
        (["verify", AGENT], "There is no such agent."),
        (["enter", AGENT, AGENT], "There is no such tournament."),
        (["check-in", AGENT, AGENT], "There is no such tournament."),
        (["withdraw", AGENT, AGENT], "There is no such tournament."),
        (["return", AGENT, AGENT], "There is no such tournament."),
        (["pause", AGENT], "There is no such agent."),
        (["resume", AGENT], "There is no such agent."),
        (["matches", AGENT], "There is no such agent."),
        (["practice", AGENT], "/seats/0/agent_id: "),
        (["practice", AGENT, "--rules", "poker"], "/rule_set: "),
        (["calls", AGENT], "There is no such match."),
        (["replay", AGENT, "3", "https://bot.example/"], "There is no such match."),
    ],
)
def test_a_refusal_is_one_sentence_and_status_1(
    base: str, author: Caller, arguments: list[str], sentence: str
) -> None:
    result = run(base, author, "agent", *arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {sentence}"), result.output
    assert len(result.stderr.splitlines()) == 1


def test_what_went_wrong_in_a_match_is_shown_with_its_call(
    site: Site, base: str, author: Caller
) -> None:
    shown = agent(site, author, "First")
    before = run(base, author, "agent", "show", shown)
    assert before.stdout.splitlines()[-2:] == ["last fault  -", "in a match  -"]
    seats = [{"agent_id": shown}]
    body = {"rule_set": "wuren", "seats": seats}
    match = author.post("/matches", json=body).json["id"]
    with site.arena.database.begin() as session:
        own = PracticeSeat.agent_id == shown
        seat = session.scalars(select(PracticeSeat.seat).where(own)).one()
        fault = Fault(match_id=match, seq=7, seat=seat, kind="illegal", charged_to="bot", ms=3)
        fault.detail = "TT is not legal"
        session.add(fault)
    line = run(base, author, "agent", "show", shown).stdout.splitlines()[-1]
    when = author.get(f"/agents/{shown}").json["match_fault"]["at"]
    assert line == f"in a match  illegal (bot), call 7 of match {match}, {when}: TT is not legal"
    page = logged_in(site, author).get(f"/agents/{shown}").get_data(as_text=True)
    assert f'<a href="/matches/{match}">decision 7</a>: TT is not legal' in page


def test_who_enters_is_told_when_to_check_in_and_does(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    starts = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    at = starts.isoformat()
    tournament = opened(organizer, check_in_s=7200, starts_at=at)
    entering = agent(site, author, "First")
    absent = run(base, author, "agent", "check-in", tournament, entering)
    assert absent.stderr == "Error: The agent has not entered this tournament.\n"
    entered = run(base, author, "agent", "enter", tournament, entering)
    shown = organizer.get(f"/tournaments/{tournament}").json
    assert datetime.fromisoformat(shown["check_in_opens_at"]) == starts - timedelta(hours=2)
    assert entered.stdout == (
        "First is entered.\n"
        f"It must check in, from {shown['check_in_opens_at']} until {shown['starts_at']}, or it "
        f"loses its place: baohuang agent check-in {tournament}\n"
    )
    for _ in range(2):
        done = run(base, author, "agent", "check-in", tournament, entering)
        assert (done.exit_code, done.stdout) == (0, "First is checked in.\n")
    (entry,) = author.get(f"/tournaments/{tournament}/entries").json["items"]
    assert entry["checked_in_at"] is not None


def test_check_in_is_told_without_times_and_not_where_there_is_none(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    by_hand, without = opened(organizer, check_in_s=60), opened(organizer)
    entering = agent(site, author, "First")
    told = run(base, author, "agent", "enter", by_hand, entering).stdout
    assert "from now on until the organizer starts it, or it loses" in told
    assert run(base, author, "agent", "enter", without, entering).stdout == "First is entered.\n"
    refused = run(base, author, "agent", "check-in", without, entering)
    assert refused.stderr == "Error: Nobody needs to check in here.\n"


def test_an_agent_that_is_withdrawn_before_the_start_is_gone(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    tournament, entering = opened(organizer), agent(site, author, "First")
    absent = run(base, author, "agent", "withdraw", tournament, entering)
    assert absent.stderr == "Error: The agent has not entered this tournament.\n"
    run(base, author, "agent", "enter", tournament, entering)
    stranger = site.caller("Otto")
    refused = run(base, stranger, "agent", "withdraw", tournament, entering)
    assert refused.stderr == "Error: Only the agent's owner or the organizer may do this.\n"
    gone = run(base, author, "agent", "withdraw", tournament, entering)
    assert (gone.exit_code, gone.stdout) == (0, "First is withdrawn.\n")
    assert author.get(f"/tournaments/{tournament}/entries").json["items"] == []
    again = run(base, author, "agent", "enter", tournament, entering)
    assert again.stdout == "First is entered.\n"


def test_who_has_taken_part_is_withdrawn_and_returns(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    tournament, entering = opened(organizer, rounds=2, deals=1), agent(site, author, "First")
    entry = author.post(f"/tournaments/{tournament}/entries", json={"agent_id": entering}).json
    assert organizer.post(f"/tournaments/{tournament}/start").status_code == 200
    open_round(site, tournament)
    there = run(base, author, "agent", "return", tournament, entering)
    assert there.stderr == "Error: The entry is entered.\n"
    gone = run(base, author, "agent", "withdraw", tournament, entering)
    assert (gone.exit_code, gone.stdout) == (0, "First is withdrawn.\n")
    assert author.get(f"/entries/{entry['id']}").json["status"] == "withdrawn"
    twice = run(base, author, "agent", "withdraw", tournament, entering)
    assert twice.stderr == "Error: The entry has been withdrawn already.\n"
    back = run(base, author, "agent", "return", tournament, entering)
    assert (back.exit_code, back.stdout) == (0, "First is entered.\n")
    assert author.get(f"/entries/{entry['id']}").json["status"] == "entered"


def test_what_changed_meanwhile_is_not_withdrawn(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    tournament, entering = opened(organizer, check_in_s=60), agent(site, author, "First")
    entry = author.post(f"/tournaments/{tournament}/entries", json={"agent_id": entering}).json
    arena, path = Arena(base, author.token or ""), f"/entries/{entry['id']}"
    tag = arena.tag(path)
    author.post(f"{path}/check-in")
    with pytest.raises(ArenaRefused) as refused:
        arena.delete(path, tag)
    assert "version_mismatch" in refused.value.codes
    assert len(author.get(f"/tournaments/{tournament}/entries").json["items"]) == 1


def test_an_agent_is_paused_and_resumed(site: Site, base: str, author: Caller) -> None:
    moved = agent(site, author, "First")
    for command, status in [("pause", "paused"), ("pause", "paused"), ("resume", "active")]:
        done = run(base, author, "agent", command, moved)
        assert (done.exit_code, done.stdout) == (0, f"First is {status}.\n")
        assert author.get(f"/agents/{moved}").json["status"] == status
    unproved = agent(site, author, "Second", AgentStatus.UNVERIFIED)
    refused = run(base, author, "agent", "pause", unproved)
    assert refused.stderr == "Error: The agent is unverified and cannot become paused.\n"


def test_matches_are_listed_the_newest_first_with_points_and_where(
    site: Site, base: str, author: Caller, organizer: Caller
) -> None:
    playing = agent(site, author, "First")
    before = run(base, author, "agent", "matches", playing)
    assert [line.split() for line in before.stdout.splitlines()] == [
        ["match", "state", "points", "round", "tournament"]
    ]
    tournament = opened(organizer, deals=1)
    author.post(f"/tournaments/{tournament}/entries", json={"agent_id": playing})
    assert organizer.post(f"/tournaments/{tournament}/start").status_code == 200
    (played,) = play_round(site, tournament)
    body = {"rule_set": "wuren", "seats": [{"agent_id": playing}]}
    waiting = author.post("/matches", json=body).json["id"]
    (seat,) = [
        seat for seat in author.get(f"/matches/{played}").json["seats"] if seat["name"] == "First"
    ]
    points = f"{seat['points'] + seat['penalty']:+d}"
    result = run(base, author, "agent", "matches", playing)
    assert [line.split(maxsplit=5) for line in result.stdout.splitlines()[1:]] == [
        [waiting, "queued", "-", "-", "practice"],
        [played, "finished", points, "1", tournament, "Spring cup"],
    ]


def test_a_cup_wants_an_organizer(base: str, author: Caller) -> None:
    result = run(base, author, "cup", AGENT)
    assert (result.exit_code, result.stdout) == (1, "")


def test_a_cup_that_cannot_be_started_is_cancelled(base: str, organizer: Caller) -> None:
    made = exported(run(base, organizer, "agent", "register", "First", "http://127.0.0.1:9000/"))
    result = run(base, organizer, "cup", made["AGENT_ID"])
    assert result.exit_code == 1
    assert "unverified" in result.stderr
    (left,) = organizer.get("/tournaments").get_json()["items"]
    assert left["status"] == "cancelled"


def test_without_a_token_or_with_a_strange_address_it_is_wrong_usage(
    base: str, author: Caller
) -> None:
    assert run(base, None, "agent", "show", AGENT).exit_code == 2
    assert run("file:///etc/passwd", author, "agent", "show", AGENT).exit_code == 2


def test_an_arena_that_is_not_there_is_waited_for_and_then_one_sentence(
    author: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(arena_module, "time", SimpleNamespace(monotonic=lambda: sum(waited)))
    with pytest.raises(ArenaRefused, match=r"^http://127\.0\.0\.1:1 does not answer"):
        Arena("http://127.0.0.1:1", "t", waited.append).get("/agents")
    assert sum(waited) == arena_module.STARTS_S + arena_module.PAUSE_S


def test_long_lists_are_read_to_their_end(base: str, organizer: Caller) -> None:
    for number in range(103):
        organizer.post("/tournaments", json={"name": f"t{number}", "rule_set": "wuren"})
    names = [item["name"] for item in Arena(base, organizer.token or "").items("/tournaments")]
    assert sorted(names) == sorted(f"t{number}" for number in range(103))


def test_an_agent_that_is_starting_is_verified_at_the_next_try() -> None:
    nobody = ArenaRefused("/url: no connection", {"verification_failed", "connect"})
    arena = Answers(nobody, {"name": "First", "status": "active"})
    assert verified(arena, AGENT, arena.wait)["name"] == "First"  # type: ignore[arg-type]
    assert len(arena.waited) == 1


def test_a_wrong_answer_is_not_asked_for_twice_and_nobody_three_times_at_most() -> None:
    wrong = Answers(ArenaRefused("/url: status 401", {"status"}))
    with pytest.raises(ArenaRefused, match="401"):
        verified(wrong, "/agents/x", wrong.wait)  # type: ignore[arg-type]
    nobody = Answers(*[ArenaRefused("/url: no connection", {"connect"})] * 3)
    with pytest.raises(ArenaRefused, match="no connection"):
        verified(nobody, AGENT, nobody.wait)  # type: ignore[arg-type]
    assert nobody.answers == []


def test_a_match_or_a_tournament_that_stops_is_told_with_its_reason() -> None:
    arena = Answers({"status": "running"}, {"status": "failed", "error": "KeyError in x.py"})
    with pytest.raises(ArenaRefused, match="failed: KeyError"):
        until_over(arena, AGENT, arena.wait)  # type: ignore[arg-type]
    assert len(arena.waited) == 1
    arena = Answers({"status": "paused", "status_reason": None})
    with pytest.raises(ArenaRefused, match="paused: no reason given"):
        until_finished(arena, AGENT, arena.wait)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "made",
    [
        {"id": "x; touch hacked", "secret": None},
        {"id": f"{AGENT}\ntouch hacked", "secret": None},
        {"id": AGENT, "secret": "whsec_$(touch hacked)"},
        {"id": AGENT, "secret": "whsec_" + "A" * 40 + "; touch hacked"},
        {"id": 7, "secret": None},
    ],
)
def test_what_a_shell_would_run_is_not_printed(made: dict[str, Any]) -> None:
    with pytest.raises(ArenaRefused, match="no proper id or secret"):
        shell_variables(made)


def test_a_version_is_a_number_and_its_own_secret() -> None:
    secret = new_secret()
    assert shell_variables({"id": AGENT, "number": 2, "secret": secret}) == [
        "export AGENT_VERSION=2",
        f"export AGENT_SECRET={secret}",
    ]
    with pytest.raises(ArenaRefused):
        shell_variables({"id": AGENT, "number": "2; touch hacked", "secret": secret})


def test_a_check_is_waited_for() -> None:
    waiting, done = {"waiting": True}, {"waiting": False, "passed": True}
    arena = Answers(waiting, waiting, done)
    assert checked(arena, "/agents/x/versions/1", arena.wait) == done  # type: ignore[arg-type]
    assert len(arena.waited) == 2


def test_a_pull_agent_can_be_checked_too(base: str, author: Caller) -> None:
    agent = exported(run(base, author, "agent", "register", "Hidden"))["AGENT_ID"]
    asked = author.post(f"/agents/{agent}/versions/1/check")
    assert (asked.status_code, asked.json["waiting"]) == (202, True)


def test_a_version_is_registered_and_has_an_empty_report(base: str, author: Caller) -> None:
    made = exported(run(base, author, "agent", "register", "First", "http://127.0.0.1:9000/"))
    agent = made["AGENT_ID"]
    url = "http://127.0.0.1:9001/"
    said = exported(run(base, author, "agent", "version", url, agent, "--shadow"))
    assert said["AGENT_VERSION"] == "2"
    assert said["AGENT_SECRET"] != made["AGENT_SECRET"]
    found = author.get(f"/agents/{agent}/versions/2").get_json()
    assert (found["url"], found["shadow"]) == (url, True)
    report = run(base, author, "agent", "report", "2", agent)
    assert report.stdout == "0 questions, 0 spared, 0 answered, 0 compared, 0 alike\n"


def test_what_would_steer_a_terminal_is_a_question_mark() -> None:
    assert plain("保皇 \x1b[2Jx\r\n") == "保皇 ?[2Jx??"
    answer = b'{"items": [{"\\u001b": "a\\u009bb", "n": 1, "x": null}], "next": "\xe7\x9a\x87"}'
    assert read(answer) == {"items": [{"?": "a?b", "n": 1, "x": None}], "next": "皇"}
    assert read(b"") is None
    with pytest.raises(ValueError, match="deep"):
        read(b"[" * 100_000)


DOORS = {
    "the commands of authors": lambda base: Arena(base, "t").get("/agents"),
    "a person's seat": lambda base: Door(base, AGENT, "t").fetch(),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_the_token_does_not_follow_a_redirect(door: Callable[[str], Any]) -> None:
    asked: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("Location", "/stolen")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            with pytest.raises((ArenaRefused, DoorShut), match="status 302"):
                door(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()
    assert len(asked) == 1
    assert asked[0].startswith("/api/v1/agents")


def flood() -> Iterator[bytes]:
    """A list of JSON that does not end."""
    yield b"["
    while True:
        yield b"0," * 32_768


def drip() -> Iterator[bytes]:
    """One that comes a byte at a time."""
    for _ in range(1_000):
        yield b" "
        time.sleep(0.01)


def cut() -> Iterator[bytes]:
    """Half of what was announced."""
    yield b"{}"


@contextmanager
def saying(
    status: int, parts: Callable[[], Iterator[bytes]], *, length: int | None, **heads: str
) -> Any:
    """An arena that answers everything so: its address. Without a length until it hangs up."""

    class Says(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            if length is not None:
                self.send_header("Content-Length", str(length))
            for name, value in heads.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            with suppress(OSError):  # the caller has had enough
                for part in parts():
                    self.wfile.write(part)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Says) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("length", [None, 10**12])
@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_an_answer_without_an_end_is_not_read_to_it(
    door: Callable[[str], Any], length: int | None
) -> None:
    with (
        saying(200, flood, length=length) as base,
        pytest.raises((ArenaRefused, DoorShut), match=r"more than [0-9]+ bytes"),
    ):
        door(base)


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_nor_is_one_of_an_error(door: Callable[[str], Any]) -> None:
    with (
        saying(404, flood, length=None) as base,
        pytest.raises((ArenaRefused, DoorShut), match="status 404"),
    ):
        door(base)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("2458", "No more than 10. Try again in 2458 s."),
        ("Fri, 31 Dec 1999 23:59:59 GMT", "No more than 10."),
        ("9" * 9, "No more than 10."),
    ],
)
def test_when_it_may_be_asked_again_is_told(after: str, said: str) -> None:
    def problem() -> Iterator[bytes]:
        yield b'{"code": "limited", "detail": "No more than 10."}'

    with (
        saying(429, problem, length=None, Retry_After=after) as base,
        pytest.raises(ArenaRefused) as caught,
    ):
        Arena(base, "t").get("/agents")
    assert str(caught.value) == said


def test_an_answer_that_drips_is_given_up() -> None:
    with (
        saying(200, drip, length=None) as base,
        wary.open_here(base) as answer,
        pytest.raises(ValueError, match="not there after 0 s"),
    ):
        wary.body_of(answer, within_s=0.05)


def test_an_answer_that_breaks_off_is_no_answer() -> None:
    with (
        saying(200, cut, length=10) as base,
        wary.open_here(base) as answer,
        pytest.raises(HTTPException),
    ):
        wary.body_of(answer)
    with (
        saying(200, cut, length=10) as base,
        pytest.raises(ArenaRefused, match="does not answer"),
    ):
        Arena(base, "t").get("/agents")


def test_a_whole_answer_is_read_however_it_comes() -> None:
    for status, length in [(200, 2), (200, None), (500, 2)]:
        with saying(status, cut, length=length) as base:
            try:
                answer = wary.open_here(base)
            except HTTPError as error:
                answer = error
            with answer:
                assert wary.body_of(answer, most=2) == b"{}"


def test_a_list_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_module, "MOST_PAGES", 3)
    pages = iter(range(10))
    page = {"items": [{"id": 1}], "next": "again"}
    monkeypatch.setattr(Arena, "get", lambda *_: next(pages) + 1 and page)
    with pytest.raises(ArenaRefused, match="no end"):
        list(Arena("http://127.0.0.1", "t").items("/agents"))
    assert next(pages) == 3


def test_calls_are_told_in_words() -> None:
    calls = [{"ms": ms, "fault": fault} for ms, fault in [(5, None), (90, "timeout"), (7, None)]]
    assert Seat("me", 3, calls).told == (
        "3 calls, 7 ms in the middle, 90 ms at most, faults: 1 timeout"
    )
    assert Seat("me", 3, calls[:1]).told.endswith("no faults")
    assert Seat("greedy", 3, []).told == ""
