"""Bodies of the bot protocol against contract.md section 4, field by field."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from baohuang.api.remote.agent import Decision, Notice, Question
from baohuang.api.remote.table import TimeRules, new_clocks, play
from baohuang.api.remote.wire import (
    Answer,
    BadAnswer,
    Clock,
    LastCall,
    MatchIds,
    deal_end_body,
    decide_body,
    match_end_body,
    parse_answer,
    request_id,
)
from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match
from baohuang.engine.rules import rule_set

from .support import run

CONTRACT = """{"protocol":1,"kind":"decide","request":"01J","match":"m","tournament":null,"round":3,
"table":2,"deal":4,"deals":10,"turn":57,"seat":2,"rules":{"preset":"lianzhong-simple","options":{}},
"clock":{"budget_ms":2000,"bank_ms":28000,"deadline":"2026-01-01T00:00:02.000Z",
"last":{"ms":212,"charged_ms":180,"status":"ok"}},
"phase":"play","hand":"7C 7D 8S x","role":"rebel",
"public":{"emperor":1,"guard":null,"solo":null,"called":null,"factor":1,"rebels":[],
"hand_sizes":[31,30,4,12,33],"places":[0,0,0,0,0],"scores":[0,4,-2,-2,0]},
"trick":{"leader":1,"to_beat":"55","by":1,"passed":[]},
"history":[[1,"accept"],[1,"55"]],"legal":["pass","77","88"],"fallback":"pass"}"""


def test_decide_is_the_contracts_example_byte_for_byte() -> None:
    example = json.loads(CONTRACT)
    given = {"deal", "deals", "turn", "seat", "rules", "phase", "hand", "role", "public", "trick"}
    view = {name: example[name] for name in [*given, "history", "legal", "fallback"]}
    clock = Clock(2000, 28000, LastCall(212, 180, "ok"))
    body = decide_body("01J", MatchIds("m", None, 3, 2), view, clock, 1767225600.0)
    assert body.decode() == CONTRACT.replace("\n", "")


def test_before_the_first_call_there_is_no_last() -> None:
    view = Match(rule_set("lianzhong-simple"), bytes(32), 1).view()
    body = json.loads(decide_body("r", MatchIds("m"), view, Clock(1, 2), 1767225600.9996))
    assert body["clock"] == {
        "budget_ms": 1,
        "bank_ms": 2,
        "deadline": "2026-01-01T00:00:01.000Z",
        "last": None,
    }
    assert body["tournament"] is body["round"] is body["table"] is None


def test_request_ids_look_like_ulids_and_differ_by_kind_match_turn_and_seat() -> None:
    ids = {
        request_id(kind, match, turn, seat)
        for kind in ("decide", "deal_end")
        for match in ("a", "b", "a\0")
        for turn in range(50)
        for seat in range(5)
    }
    assert len(ids) == 2 * 3 * 50 * 5
    assert all(re.fullmatch("01[0-9A-HJKMNP-TV-Z]{24}", each) for each in ids)
    assert request_id("decide", "m", 7, 2) == request_id("decide", "m", 7, 2)


# Answers

R = "01J"
LEGAL = ("pass", "77", "88")


def test_an_answer_and_its_note() -> None:
    assert parse_answer(b'{"request":"01J","answer":"77"}', R, LEGAL) == Answer("77")
    text = '{"note":"皇","answer":"pass","request":"01J","more":{"is":["ignored"]}}'
    assert parse_answer(text.encode(), R, LEGAL) == Answer("pass", "皇")
    assert parse_answer(b'{"request":"01J","answer":"77","note":null}', R, LEGAL) == Answer("77")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("77", "schema"),
        ('"77"', "schema"),
        ("[]", "schema"),
        ("null", "schema"),
        ("{", "malformed"),
        ("{}", "stale"),
        ('{"answer":"77"}', "stale"),
        ('{"request":"01j","answer":"77"}', "stale"),
        ('{"request":1,"answer":"77"}', "stale"),
        ('{"request":["01J"],"answer":"77"}', "stale"),
        ('{"request":"01J"}', "schema"),
        ('{"request":"01J","answer":null}', "schema"),
        ('{"request":"01J","answer":77}', "schema"),
        ('{"request":"01J","answer":["77"]}', "schema"),
        ('{"request":"01J","answer":"77","note":1}', "schema"),
        ('{"request":"01J","answer":"77","note":"%s"}' % ("n" * 257), "schema"),
        ('{"request":"01J","answer":"7"}', "illegal"),
        ('{"request":"01J","answer":"77 "}', "illegal"),
        ('{"request":"01J","answer":"PASS"}', "illegal"),
        ('{"request":"01J","answer":""}', "illegal"),
    ],
)
def test_what_does_not_count_has_its_kind(body: str, kind: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        parse_answer(body.encode(), R, LEGAL)
    assert caught.value.kind == kind
    assert len(caught.value.detail) <= 300


def test_a_detail_shows_a_strangers_text_only_as_short_ascii() -> None:
    body = json.dumps({"request": "01J", "answer": "\x1b[2J\u202e<b>" + "皇" * 5000}).encode()
    with pytest.raises(BadAnswer) as caught:
        parse_answer(body, R, LEGAL)
    assert caught.value.detail.replace("…", "").isascii()
    assert caught.value.detail.isprintable()
    assert len(caught.value.detail) <= 100


# What is told, over whole matches


class Recorder:
    """A seat that plays at random and keeps the bodies it would be sent."""

    listens = True

    def __init__(self, seat: int, sent: list[tuple[int, bytes]]) -> None:
        self.seat = seat
        self.sent = sent

    async def decide(self, question: Question) -> Decision:
        view = question.view
        body = decide_body(question.request, question.ids, view, question.clock, 0.0)
        self.sent.append((self.seat, body))
        lots = Draw(bytes(32), f"t/{view['turn']}")
        return Decision(BOTS["random"].choose(view, lots), None, 1, 1)

    async def notify(self, notice: Notice, seconds: float) -> None:
        self.sent.append((self.seat, notice.body))


class Quiet:
    def on_decision(self, played: object) -> None: ...
    def on_fault(self, played: object, fault: object) -> None: ...


def sent_in(preset: str, key: bytes) -> tuple[Match, list[tuple[int, bytes]]]:
    match = Match(rule_set(preset), key, 2)
    sent: list[tuple[int, bytes]] = []
    agents = [Recorder(seat, sent) for seat in range(5)]
    run(play(match, MatchIds("m"), agents, new_clocks(TimeRules()), Quiet()))
    return match, sent


PRESETS = ["lianzhong-classic", "lianzhong-simple", "wuren", "baike", "biesan", "jingji"]


@pytest.mark.parametrize("preset", PRESETS)
def test_no_body_holds_the_key_or_a_card_of_another_hand(preset: str) -> None:
    key = bytes(range(32))
    match, sent = sent_in(preset, key)
    record = match.record(["a"] * 5)
    secrets = [key.hex(), record["draw"]["commitment"], "ABEiM0RVZneImaq7zN3u", "hands"]
    assert len(sent) > 100
    for seat, body in sent:
        assert not any(secret.encode() in body for secret in secrets)
        data = json.loads(body)
        if data["kind"] == "decide":
            hands = [d["hands"][seat] for d in record["deals"] if d["number"] == data["deal"]]
            assert any(surplus(data, hand) <= allowed(data) for hand in hands)
        assert_no_suits(data)


def surplus(data: dict[str, Any], dealt: str) -> int:
    """How many cards of the hand in a request were not dealt to its seat."""
    return (Counter(data["hand"].split()) - Counter(dealt.split())).total()


def allowed(data: dict[str, Any]) -> int:
    """At most the emperor card, a gift for each refusal of the throne, and four of tribute."""
    return 1 + sum(answer == "yield" for _, answer in data["history"]) + 4


def assert_no_suits(data: dict[str, Any]) -> None:
    """Suits are seen in one's own hand, in what one may call, and in what was called aloud."""
    public = data.get("public", data)
    called = public.pop("called", None)
    shown = {f"call {called}", f"open {called}"}
    data["history"] = [a for a in data.get("history", []) if a[1] not in shown]
    own = {"hand", "legal", "fallback"}
    rest = {name: value for name, value in data.items() if name not in own}
    assert not re.search(r"\b[3-9TJQKA2][CDHS]\b", json.dumps(rest))


def test_a_notice_after_a_deal_tells_the_outcome_and_one_after_the_match_the_totals() -> None:
    match, sent = sent_in("lianzhong-simple", bytes(32))
    notices = [(seat, json.loads(body)) for seat, body in sent if b'"decide"' not in body]
    ends = [data for seat, data in notices if data["kind"] == "deal_end" and seat == 3]
    assert [end["deal"] for end in ends] == [deal["number"] for deal in match.deals_done]
    assert ends[-1]["totals"] == match.totals
    for end, deal in zip(ends, json.loads(json.dumps(match.deals_done)), strict=True):
        assert list(end) == [
            "protocol", "kind", "request", "match", "tournament", "round", "table", "seat", "deal",
            "attempt", "emperor", "guard", "solo", "called", "factor", "places", "scores",
            "result", "totals",
        ]  # fmt: skip
        assert all(end[name] == deal[name] for name in ("places", "scores", "guard", "result"))
    last = [data for _, data in notices if data["kind"] == "match_end"]
    assert [data["seat"] for data in last] == [0, 1, 2, 3, 4]
    assert all(data["totals"] == match.totals for data in last)
    assert len({data["request"] for _, data in notices}) == len(notices)


def test_notices_keep_the_order_of_their_fields() -> None:
    deal = dict.fromkeys(
        ["number", "attempt", "emperor", "guard", "solo", "called", "factor", "places", "scores",
         "result", "hands"], 1,
    )  # fmt: skip
    assert b"hands" not in deal_end_body("r", MatchIds("m"), 2, deal, [0] * 5)
    assert json.loads(match_end_body("r", MatchIds("m"), 2, [1] * 5, [0] * 5)) == {
        "protocol": 1, "kind": "match_end", "request": "r", "match": "m", "tournament": None,
        "round": None, "table": None, "seat": 2, "totals": [1] * 5, "penalties": [0] * 5,
    }  # fmt: skip
