"""The pull transport over HTTP: register, wait, fetch, answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import orjson
import pytest
from sqlalchemy import update

from baohuang.api.live import questions as live_questions
from baohuang.api.live.questions import REMEMBERED, QuestionStream
from baohuang.api.models import Match, Question
from baohuang.api.remote.pull import Letter
from baohuang.api.services import questions
from baohuang.api.shares import Shares
from baohuang.api.waiting import Guest, WaitingRoom

from .support import pointers, problem
from .test_waiting import Places
from .tournament_support import agent, open_round, opened

NOBODY = Guest("", lambda: False)
FIRST, SECOND = "01" + "A" * 24, "01" + "B" * 24


@pytest.fixture
def pull_agent(author):
    response = author.post("/agents", json={"name": "at home", "kind": "pull"})
    assert response.status_code == 201, response.get_data()
    return response.get_json()["id"]


@pytest.fixture
def match_id(site, organizer, author, pull_agent):
    tournament_id = opened(organizer)
    entered = author.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": pull_agent})
    assert entered.status_code == 201
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    return open_round(site, tournament_id)[0]


def letter(agent_id, match_id, request):
    clock = {"budget_ms": 5000, "deadline": "", "bank_ms": 0, "last": None}
    body = {
        "protocol": 1, "kind": "decide", "request": request, "match": match_id,
        "tournament": None, "round": 1, "table": 1, "seat": 0, "clock": clock,
        "legal": ["pass", "77"],
    }  # fmt: skip
    return Letter(request, agent_id, match_id, 1, "decide", orjson.dumps(body), 5000, 5000)


@pytest.fixture
def put(site, pull_agent, match_id):
    def offer(request=FIRST):
        with site.arena.database.begin() as session:
            questions.offer(session, [letter(pull_agent, match_id, request)])

    return offer


def test_a_pull_agent_plays_at_once_and_has_no_url_and_no_secret(author, pull_agent):
    body = author.get(f"/agents/{pull_agent}").get_json()
    assert (body["kind"], body["status"], body["url"]) == ("pull", "active", None)
    assert author.post("/agents", json={"name": "b", "kind": "pull"}).get_json()["secret"] is None
    for action in ("verify", "rotate-secret", "versions/1/rotate-secret"):
        problem(author.post(f"/agents/{pull_agent}/{action}"), 409, "agent_kind")


def test_the_url_belongs_to_the_kind(author, pull_agent):
    url = "http://127.0.0.1:8001/"
    with_url = author.post("/agents", json={"name": "c", "kind": "pull", "url": url})
    assert pointers(problem(with_url, 422, "invalid")) == {"/url": "unexpected"}
    without = author.post("/agents", json={"name": "c"})
    assert pointers(problem(without, 422, "invalid")) == {"/url": "required"}
    changed = author.patch(f"/agents/{pull_agent}", json={"url": url}, if_match='"1"')
    assert pointers(problem(changed, 422, "invalid")) == {"/url": "unexpected"}


def test_without_a_question_there_is_nothing(author, pull_agent):
    response = author.get(f"/agents/{pull_agent}/decisions")
    assert (response.status_code, response.get_data()) == (204, b"")


def test_a_question_is_fetched_and_answered(author, pull_agent, put):
    put()
    asked = author.get(f"/agents/{pull_agent}/decisions?wait=5").get_json()
    assert (asked["request"], asked["legal"]) == (FIRST, ["pass", "77"])
    assert asked["clock"]["deadline"].endswith("Z")
    taken = author.post(f"/decisions/{FIRST}", json={"request": FIRST, "answer": "77"})
    assert taken.status_code == 200
    assert {**taken.get_json(), "ms": 0} == {"request": FIRST, "answer": "77", "ms": 0}
    assert author.get(f"/agents/{pull_agent}/decisions").status_code == 204


def test_who_waits_is_answered_when_the_question_comes(site, author, pull_agent, put):
    with ThreadPoolExecutor() as threads:
        start = monotonic()
        waiting = threads.submit(author.get, f"/agents/{pull_agent}/decisions?wait=20")
        put()
        assert waiting.result().get_json()["request"] == FIRST
        assert monotonic() - start < 15


def test_a_question_that_is_known_is_not_given_again(author, pull_agent, put):
    put()
    path = f"/agents/{pull_agent}/decisions"
    assert author.get(path).get_json()["request"] == FIRST
    assert author.get(f"{path}?known={FIRST}").status_code == 204
    assert author.get(f"{path}?known={SECOND},{FIRST}").status_code == 204
    for bad in ("x", f"{FIRST},", ""):
        assert pointers(problem(author.get(f"{path}?known={bad}"), 422, "invalid"))


def test_what_comes_at_once_is_told_as_it_happened(site, author, pull_agent, match_id):
    """Whatever the requests are called: the end of the deal, then that of the match."""
    for first, last in (("deal_end", "match_end"), ("deal_end", "decide")):
        bodies = {
            kind: orjson.dumps({"kind": kind, "clock": {"budget_ms": 1}}) for kind in (first, last)
        }
        letters = [
            Letter(request, pull_agent, match_id, 1, kind, bodies[kind], 1, 5000)
            for request, kind in ((FIRST, last), (SECOND, first))
        ]
        with site.arena.database.begin() as session:
            questions.offer(session, letters)
            session.execute(update(Question).values(asked_at=1.0))
        told = [author.get(f"/agents/{pull_agent}/decisions").get_json() for _ in letters]
        assert [each["kind"] for each in told] == [first, last]


def test_a_full_room_says_when_to_come_again_but_gives_what_is_there(site, author, pull_agent, put):
    site.arena.hub._places = Shares(0, 0)
    for accept in ("application/json", "application/x-ndjson"):
        path = f"/agents/{pull_agent}/decisions?wait=5"
        full = author.get(path, headers={"Accept": accept})
        problem(full, 503, "unavailable")
        assert int(full.headers["Retry-After"]) > 0
    put()
    assert author.get(f"/agents/{pull_agent}/decisions?wait=5").status_code == 200


@pytest.mark.parametrize("accept", ["application/json", "application/x-ndjson"])
def test_places_are_kept_for_who_is_in_a_match(site, author, pull_agent, match_id, accept):
    """Four places, one of them kept; those who only look on have the other three."""
    hub = site.arena.hub
    hub._places, hub._kept = Shares(0, 4), 1
    for number in range(3):
        hub.enter(f"somebody {number}")
    path, headers = f"/agents/{pull_agent}/decisions?wait=1", {"Accept": accept}
    problem(author.get(path, headers=headers), 503, "unavailable")
    with site.arena.database.begin() as session:
        session.execute(update(Match).where(Match.id == match_id).values(status="running"))
    seated = author.get(path, headers=headers)
    assert seated.status_code in (200, 204)
    seated.close()
    assert hub.open == 3


def test_waiting_agents_count_as_their_owners_streams(site, author, pull_agent):
    hub = site.arena.hub
    hub._places, hub._kept = Shares(1, 10), 2
    hub.enter(author.account_id)
    for accept in ("application/json", "application/x-ndjson"):
        path = f"/agents/{pull_agent}/decisions?wait=1"
        problem(author.get(path, headers={"Accept": accept}), 429, "too_many_streams")
    hub.leave(author.account_id)
    assert author.get(f"/agents/{pull_agent}/decisions?wait=1").status_code == 204


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"answer": "88"}, "/answer", "illegal"),
        ({"request": SECOND, "answer": "77"}, "/request", "stale"),
        ({}, "/answer", "required"),
        ({"answer": "77", "note": "x" * 257}, "/note", "invalid"),
    ],
)
def test_a_wrong_answer_is_refused_at_its_place(author, pull_agent, put, body, pointer, code):
    put()
    author.get(f"/agents/{pull_agent}/decisions")
    refused = problem(author.post(f"/decisions/{FIRST}", json=body), 422, "invalid")
    assert pointers(refused) == {pointer: code}
    assert author.post(f"/decisions/{FIRST}", json={"answer": "pass"}).status_code == 200


def test_a_token_that_may_only_play_can_do_that_and_nothing_else(site, author, pull_agent, put):
    created = author.post("/tokens", json={"name": "bot", "scopes": ["agents:play"]})
    author.token = created.get_json()["token"]
    put()
    assert author.get(f"/agents/{pull_agent}/decisions").status_code == 200
    assert author.post(f"/decisions/{FIRST}", json={"answer": "77"}).status_code == 200
    problem(author.get("/agents"), 403, "insufficient_scope")


def test_nobody_plays_for_others(site, author, pull_agent, put):
    put()
    author.get(f"/agents/{pull_agent}/decisions")
    other = site.caller("Bert")
    problem(other.get(f"/agents/{pull_agent}/decisions"), 404, "not_found")
    problem(other.post(f"/decisions/{FIRST}", json={"answer": "77"}), 404, "not_found")
    called = agent(site, author, "called")
    problem(author.get(f"/agents/{called}/decisions"), 409, "agent_kind")


def stream(author, pull_agent):
    answer = author.get(
        f"/agents/{pull_agent}/decisions", headers={"Accept": "application/x-ndjson"}
    )
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson")
    return answer


def test_a_stream_gives_each_question_once_as_it_comes(site, author, pull_agent, put):
    put(FIRST)
    answer = stream(author, pull_agent)
    lines = iter(answer.response)
    assert next(lines) == b"\n"
    assert orjson.loads(next(lines))["request"] == FIRST
    assert author.post(f"/decisions/{FIRST}", json={"answer": "77"}).status_code == 200
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(next, lines)
        put(SECOND)
        assert orjson.loads(waiting.result())["request"] == SECOND
    answer.close()
    assert site.arena.hub.open == 0


def test_who_comes_back_to_the_stream_is_given_what_is_not_answered(author, pull_agent, put):
    put(FIRST)
    for _ in range(2):
        answer = stream(author, pull_agent)
        lines = iter(answer.response)
        next(lines)
        assert orjson.loads(next(lines))["request"] == FIRST
        answer.close()


def test_a_stream_gives_each_of_many_open_questions_once_and_then_waits(
    site, author, pull_agent, monkeypatch
):
    """Those of a check: any number of them wait at once."""
    monkeypatch.setattr(live_questions, "REMEMBERED", 4)
    requests = [f"01{number:024d}" for number in range(11)]
    letters = [letter(pull_agent, None, request) for request in requests]
    with site.arena.database.begin() as session:
        questions.offer(session, letters[:-1])
    answer = stream(author, pull_agent)
    lines = iter(answer.response)
    assert next(lines) == b"\n"
    given = [orjson.loads(next(lines))["request"] for _ in letters[:-1]]
    assert sorted(given) == requests[:-1]
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(next, lines)
        with site.arena.database.begin() as session:
            questions.offer(session, letters[-1:])
        assert orjson.loads(waiting.result())["request"] == requests[-1]
    answer.close()


def test_a_stream_forgets_what_is_answered_and_keeps_what_is_open():
    """Of the requests given before, the even ones are not open any more."""

    class Room(WaitingRoom):
        def __init__(self):
            super().__init__(lambda _agents: {"a": {f"{n:04}" for n in range(1, 500, 2)}}, Places())

    known_at = []

    def fetch(known):
        known_at.append(set(known))
        number = len(known_at) - 1
        return orjson.dumps({"request": f"{number:04}"}) if number < 300 else None

    parts = iter(QuestionStream(Room(), "a", fetch, NOBODY))
    for _ in range(301):
        next(parts)
    for given, known in enumerate(known_at):
        assert known >= {f"{n:04}" for n in range(1, given, 2)}
        assert len(known) <= max(REMEMBERED, given // 2 + REMEMBERED)


def test_a_silent_stream_shows_that_it_lives_and_ends_with_the_process(site, pull_agent):
    room = site.arena.waiting
    parts = iter(QuestionStream(room, pull_agent, lambda _known: None, NOBODY, heartbeat_s=0.05))
    assert [next(parts) for _ in range(3)] == [b"\n"] * 3
    site.arena.hub.close()
    assert list(parts) == []


def test_to_look_is_not_to_fetch(author, pull_agent, put):
    put()
    assert author.call("HEAD", f"/agents/{pull_agent}/decisions").status_code == 204
    problem(author.post(f"/decisions/{FIRST}", json={"answer": "77"}), 409, "not_fetched")
