"""The bodies of bot protocol 1 (contract.md 4): what is sent, field by field, and what is accepted.

Everything that an agent is told about the game comes from the view of its own seat; this module
adds ids and times and nothing else.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import orjson

from .faults import Kind, excerpt
from .strict import NotStrictJson, loads

PROTOCOL = 1
MAX_NOTE = 256
MAX_PARTS = 1000  # of an answer: what takes a millisecond to read
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [first + second for first in _CROCKFORD for second in _CROCKFORD]  # 10 bits each
_SHIFTS = range(110, -1, -10)
_BEFORE_CLOCK = ("deal", "deals", "turn", "seat", "rules")
_AFTER_CLOCK = ("phase", "hand", "role", "public", "trick", "history", "legal", "fallback")
_DEAL_FIELDS = (
    "attempt", "emperor", "guard", "solo", "called", "factor", "places", "scores", "result",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class MatchIds:
    """Where a match belongs; all but its own id are None outside a tournament."""

    match: str
    tournament: str | None = None
    round: int | None = None
    table: int | None = None


@dataclass(frozen=True, slots=True)
class LastCall:
    """What the server measured of a seat's last call; `status` is `ok` or the kind of its fault."""

    ms: int
    charged_ms: int
    status: str


@dataclass(frozen=True, slots=True)
class Clock:
    """Budget of this decision and bank of the match as they stand before it, in milliseconds."""

    budget_ms: int
    bank_ms: int
    last: LastCall | None = None

    @property
    def limit_ms(self) -> int:
        """After this long the answer is dropped: the budget, then all of the bank."""
        return self.budget_ms + self.bank_ms


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    note: str | None = None


class BadAnswer(Exception):
    """An answer that does not count, with the kind of its fault."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


def request_id(kind: str, match: str, number: int | str, seat: int) -> str:
    """26 characters in the alphabet of a ULID, the same for the same question after a resume."""
    text = f"request-v1\0{kind}\0{match}\0{number}\0{seat}"
    bits = int.from_bytes(hashlib.sha256(text.encode()).digest()[:15])
    return "01" + "".join([_PAIRS[bits >> shift & 1023] for shift in _SHIFTS])


def question_id(ids: MatchIds, view: Mapping[str, Any]) -> str:
    """The request id of the question that a view asks.

    An answer that nobody may know of leaves `turn` as it was, so the phase is in it too.
    """
    return request_id("decide", ids.match, f"{view['turn']}/{view['phase']}", view["seat"])


def decide_body(
    request: str, ids: MatchIds, view: Mapping[str, Any], clock: Clock, now: float
) -> bytes:
    """The `decide` request for one seat's view (Match.view()); `now` in seconds since 1970."""
    body = _head("decide", request, ids)
    for name in _BEFORE_CLOCK:
        body[name] = view[name]
    body["clock"] = _clock(clock, now)
    for name in _AFTER_CLOCK:
        body[name] = view[name]
    return orjson.dumps(body)


def with_deadline(body: bytes, now: float) -> bytes:
    """A `decide` request whose budget begins at `now`, whenever it was made.

    That is rounded to the millisecond, as the call log keeps it.
    """
    request = orjson.loads(body)
    request["clock"]["deadline"] = _deadline(round(now, 3), request["clock"]["budget_ms"])
    return orjson.dumps(request)


def hello_body(request: str, challenge: str) -> bytes:
    return orjson.dumps(
        {"protocol": PROTOCOL, "kind": "hello", "request": request, "challenge": challenge}
    )


def deal_end_body(
    request: str, ids: MatchIds, seat: int, deal: Mapping[str, Any], totals: Sequence[int]
) -> bytes:
    """The notice after a deal: what everybody at the table knows by now, and no hands.

    `deal` is an entry of a record's deals; other tables may still play the same cards.
    """
    body = _head("deal_end", request, ids)
    body |= {"seat": seat, "deal": deal["number"]}
    body |= {name: deal[name] for name in _DEAL_FIELDS}
    body["totals"] = list(totals)
    return orjson.dumps(body)


def match_end_body(
    request: str, ids: MatchIds, seat: int, totals: Sequence[int], penalties: Sequence[int]
) -> bytes:
    body = _head("match_end", request, ids)
    body |= {"seat": seat, "totals": list(totals), "penalties": list(penalties)}
    return orjson.dumps(body)


def parse_answer(body: bytes, request: str, legal: Container[str]) -> Answer:
    """The answer to a `decide` request; BadAnswer if it is none, late, malformed or not legal."""
    members = _members(body)
    if members.get("request") != request:
        raise BadAnswer("stale", "the answer does not carry the id of this request")
    text, note = members.get("answer"), members.get("note")
    if not isinstance(text, str):
        raise BadAnswer("schema", "answer is missing or not a string")
    if note is not None and not (isinstance(note, str) and len(note) <= MAX_NOTE):
        raise BadAnswer("schema", f"note is not a string of at most {MAX_NOTE} characters")
    if text not in legal:
        raise BadAnswer("illegal", f"{excerpt(text)} is not in legal")
    return Answer(text, note)


def check_hello(body: bytes, request: str, challenge: str) -> None:
    """BadAnswer unless the challenge is echoed (and the request id, if one is given, is ours)."""
    members = _members(body)
    if members.get("request", request) != request:
        raise BadAnswer("stale", "the answer carries the id of another request")
    if members.get("challenge") != challenge:
        raise BadAnswer("schema", "challenge is not echoed")


def _members(body: bytes) -> dict[str, object]:
    try:
        value = loads(body, MAX_PARTS)
    except NotStrictJson as error:
        raise BadAnswer("malformed", str(error)) from None
    if not isinstance(value, dict):
        raise BadAnswer("schema", "the answer is not a JSON object")
    return value


def _head(
    kind: Literal["decide", "deal_end", "match_end"], request: str, ids: MatchIds
) -> dict[str, Any]:
    return {
        "protocol": PROTOCOL,
        "kind": kind,
        "request": request,
        "match": ids.match,
        "tournament": ids.tournament,
        "round": ids.round,
        "table": ids.table,
    }


def _clock(clock: Clock, now: float) -> dict[str, Any]:
    last = clock.last
    return {
        "budget_ms": clock.budget_ms,
        "bank_ms": clock.bank_ms,
        "deadline": _deadline(now, clock.budget_ms),
        "last": None
        if last is None
        else {"ms": last.ms, "charged_ms": last.charged_ms, "status": last.status},
    }


def _deadline(now: float, budget_ms: int) -> str:
    """The end of the budget; what goes beyond it is taken from the bank."""
    moment = datetime.fromtimestamp(now + budget_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
