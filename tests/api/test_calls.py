"""The log of calls over HTTP, and questions that are sent elsewhere."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from standardwebhooks.webhooks import Webhook

from baohuang.api.models import Agent
from baohuang.api.remote.signing import new_secret
from baohuang.api.services import matches, takeovers
from baohuang.engine.match import Match as Referee
from baohuang.engine.rules import rule_set

from .support import pointers, problem
from .tournament_support import agent


@dataclass(frozen=True)
class Called:
    seq: int
    asked_at: datetime = datetime(2026, 1, 1, 12, tzinfo=UTC)
    budget_ms: int = 2000
    bank_ms: int = 30_000
    ms: int = 12
    charged_ms: int = 10
    note: str | None = None


@dataclass(frozen=True)
class Slip:
    seq: int
    seat: int
    kind: str = "timeout"
    charged_to: str = "bot"
    ms: int = 2000
    detail: str | None = "no whole answer in time"


@contextmanager
def bot(answer):
    """A server that answers with what `answer(question)` gives; what it was sent."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(({name.lower(): value for name, value in self.headers.items()}, body))
            data = json.dumps(answer(json.loads(body))).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_args): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", seen
        finally:
            server.shutdown()
            thread.join()


SECRET = new_secret()


@pytest.fixture
def mine(site, author):
    agent_id = agent(site, author, "mine")
    with site.arena.database.begin() as session:
        session.get_one(Agent, agent_id).live.secret = site.arena.vault.seal(SECRET.encode())
    return agent_id


@pytest.fixture
def match_id(site, author, mine):
    """A practice match of which ten decisions are written; every fourth seat-0 answer failed."""
    body = {"rule_set": "lianzhong-simple", "seats": [{"agent_id": mine}], "deals": 1}
    made = author.post("/matches", json=body).get_json()["id"]
    with site.arena.database.begin() as session:
        held = matches.claim(session, site.arena.vault, made, "test", 600)
    match = Referee(held.rules, held.key, held.deals)
    calls, faults = [], []
    while len(match.log) < 12:
        seq, seat = len(match.log), match.seat
        if seat == 0:
            calls.append(Called(seq, note=f"note {seq}"))
        if seat == 0 and len(calls) == 2:
            faults.append(Slip(seq, 0))
            match.autoplay()
        else:
            match.answer(match.legal[-1])
    with site.arena.database.begin() as session:
        log = match.log
        assert matches.checkpoint(session, made, held.epoch, 0, log, faults, 600, calls=calls)
    return made


def listed(author, match_id):
    return author.get(f"/matches/{match_id}/calls").get_json()["items"]


def test_the_owner_sees_every_call_to_his_agent_and_no_other(author, match_id):
    calls = listed(author, match_id)
    assert {call["seat"] for call in calls} == {0}
    assert calls[0]["note"] == f"note {calls[0]['seq']}"
    assert (calls[0]["ms"], calls[0]["charged_ms"], calls[0]["fault"]) == (12, 10, None)
    assert calls[0]["asked_at"] == "2026-01-01T12:00:00.000Z"
    assert (calls[1]["fault"], calls[1]["charged_to"], calls[1]["auto"]) == ("timeout", "bot", True)
    assert author.get(f"/matches/{match_id}/calls?seat=1").get_json()["items"] == []


def failing(site, made, until):
    """Plays a match whose seat 0 fails always, until `until(match)`; the others do not pass."""
    with site.arena.database.begin() as session:
        held = matches.claim(session, site.arena.vault, made, "test", 600)
    match = Referee(held.rules, held.key, held.deals)
    calls, faults = [], []
    while not until(match):
        seq = len(match.log)
        if match.seat == 0:
            calls.append(Called(seq))
            faults.append(Slip(seq, 0))
            match.autoplay()
        else:
            match.answer("accept" if "accept" in match.legal else match.legal[-1])
    with site.arena.database.begin() as session:
        log = match.log
        assert matches.checkpoint(session, made, held.epoch, 0, log, faults, 600, calls=calls)
    return calls


def test_after_one_fault_too_many_it_says_that_the_arena_took_over(site, author, mine):
    """lianzhong-simple bears three faults a deal (rules.md 6): the fourth one is the last call."""
    body = {"rule_set": "lianzhong-simple", "seats": [{"agent_id": mine}], "deals": 2}
    made = author.post("/matches", json=body).get_json()["id"]
    asked = failing(site, made, lambda match: match.deal == 2 and match.log[-1][0] == 0)
    calls = listed(author, made)
    assert [call["seq"] for call in calls] == [call.seq for call in asked]
    assert [call["taken_over"] for call in calls] == [None, None, None, "deal", None]
    fourth = author.get(f"/matches/{made}/calls/{calls[3]['seq']}").get_json()
    assert (fourth["taken_over"], fourth["auto"]) == ("deal", True)


def test_where_nothing_was_taken_over_it_says_so(author, match_id):
    assert {call["taken_over"] for call in listed(author, match_id)} == {None}


def test_who_deserts_is_played_by_the_arena_to_the_end_of_the_match():
    rules, key = rule_set("lianzhong-simple"), bytes(32)
    match = Referee(rules, key, 1)
    while len(match.log) < 12:
        match.answer("accept" if "accept" in match.legal else match.legal[-1])
    last = max(seq for seq, (seat, _, _) in enumerate(match.log) if seat == 3)
    match.desert(3)
    assert takeovers.in_log(Referee(rules, key, 1), match.log) == {last: "match"}


def test_a_call_is_shown_with_its_request(author, match_id):
    first, second = listed(author, match_id)[:2]
    shown = author.get(f"/matches/{match_id}/calls/{first['seq']}").get_json()
    request = shown["request"]
    assert (request["kind"], request["match"], request["seat"]) == ("decide", match_id, 0)
    assert request["clock"]["deadline"] == "2026-01-01T12:00:02.000Z"
    assert request["clock"]["last"] is None
    assert shown["answer"] in request["legal"]
    later = author.get(f"/matches/{match_id}/calls/{second['seq']}").get_json()["request"]
    assert later["clock"]["last"] == {"ms": 12, "charged_ms": 10, "status": "ok"}
    hands = json.dumps(request["hand"])
    assert hands.count(" ") == request["public"]["hand_sizes"][0] - 1


def test_what_was_no_call_of_ones_own_is_not_there(site, author, match_id):
    own = {call["seq"] for call in listed(author, match_id)}
    other = next(seq for seq in range(12) if seq not in own)
    for seq in (other, 999):
        problem(author.get(f"/matches/{match_id}/calls/{seq}"), 404, "not_found")
    stranger = site.caller("Bert")
    problem(stranger.get(f"/matches/{match_id}/calls"), 404, "not_found")


def test_a_question_is_sent_to_another_url_signed_and_compared(site, author, match_id):
    seq = listed(author, match_id)[0]["seq"]
    request = author.get(f"/matches/{match_id}/calls/{seq}").get_json()["request"]

    def right(question):
        return {"request": question["request"], "answer": question["legal"][-1], "note": "new"}

    with bot(right) as (url, seen):
        answer = author.post(f"/matches/{match_id}/calls/{seq}/replay", json={"url": url})
    assert answer.status_code == 200
    shown = answer.get_json()
    assert (shown["answer"], shown["same"], shown["note"]) == (request["legal"][-1], True, "new")
    assert (shown["fault"], shown["url"]) == (None, url)
    headers, body = seen[0]
    assert Webhook(SECRET).verify(body, headers)
    sent = json.loads(body)
    assert {**sent, "clock": None} == {**request, "clock": None}
    assert sent["clock"]["bank_ms"] == 0


def test_a_wrong_answer_is_told_and_changes_nothing(author, match_id):
    seq = listed(author, match_id)[0]["seq"]
    path = f"/matches/{match_id}/calls/{seq}"
    before = author.get(path).get_json()
    with bot(lambda question: {"request": question["request"], "answer": "XXXX"}) as (url, _):
        shown = author.post(f"{path}/replay", json={"url": url}).get_json()
    assert (shown["answer"], shown["same"], shown["fault"]) == (None, False, "illegal")
    assert author.get(path).get_json() == before


def test_the_guard_and_the_limit_hold_for_replays(site, author, match_id):
    seq = listed(author, match_id)[0]["seq"]
    path = f"/matches/{match_id}/calls/{seq}/replay"
    refused = author.post(path, json={"url": "http://10.0.0.1/"})
    assert pointers(problem(refused, 422, "invalid")) == {"/url": "url_address"}
    object.__setattr__(site.arena, "config", replace(site.arena.config, limit_verifications=1))
    answers = [author.post(path, json={"url": "http://10.0.0.1/"}) for _ in range(2)]
    problem(answers[1], 429, "too_many_requests")


@dataclass(frozen=True)
class Tried:
    """A question that was put again."""

    seq: int
    request: str
    seat: int = 0
    kind: str = "decide"
    asked_at: datetime = datetime(2026, 1, 1, 11, tzinfo=UTC)
    ms: int = 2000
    fault: str | None = "timeout"
    charged_to: str | None = "bot"
    detail: str | None = "no whole answer in time"


def test_a_question_that_was_put_again_is_shown_with_its_first_request(site, author, match_id):
    first = listed(author, match_id)[0]
    asked = author.get(f"/matches/{match_id}/calls/{first['seq']}").get_json()["request"]
    with site.arena.database.begin() as session:
        tried = [Tried(first["seq"], asked["request"])]
        assert matches.checkpoint(session, match_id, 1, 12, [], [], 600, further=tried)
    path = f"/matches/{match_id}/further-calls"
    (found,) = author.get(path).get_json()["items"]
    assert (found["kind"], found["seat"], found["seq"]) == ("decide", 0, first["seq"])
    assert (found["fault"], found["charged_to"], found["ms"]) == ("timeout", "bot", 2000)
    request = author.get(f"{path}/{found['id']}").get_json()["request"]
    assert request["clock"].pop("deadline") == "2026-01-01T11:00:02.000Z"  # its budget
    asked["clock"].pop("deadline")
    assert request == asked


def test_what_else_was_sent_is_for_the_owner_alone(site, author, match_id):
    with site.arena.database.begin() as session:
        matches.checkpoint(session, match_id, 1, 12, [], [], 600, further=[Tried(0, "0" * 26)])
    stranger = site.caller("Bert")
    path = f"/matches/{match_id}/further-calls"
    assert problem(stranger.get(path), 404, "not_found")
    (found,) = author.get(path).get_json()["items"]
    assert problem(stranger.get(f"{path}/{found['id']}"), 404, "not_found")
    assert author.get(f"{path}?seat=1").get_json()["items"] == []
