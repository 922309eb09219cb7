"""Checking records (contract.md section 2): draw, tribute, legality, scores.

A record is hostile until checked. Every difference is a RecordError that says where it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from . import pairing
from .cards import SEATS, deck, sort_hand
from .deal import Dealt, deal, first_offered
from .draw import KEY_BYTES, commitment
from .match import AUTO, FORMAT, MAX_ATTEMPTS, last_deal
from .notation import NotationError, hand_text, parse_hand
from .rules import RuleSet, RuleSetError
from .shown import shown
from .state import NOBODY, DealState, IllegalAnswer
from .tribute import LastDeal, paid, tribute


class RecordError(ValueError):
    """The first thing in a record that is wrong: `path` says where, the message what."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


HEX = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")

_TOP = ("format", "match", "rules", "seats", "draw", "deals", "totals", "penalties")
_DEAL = (
    "number",
    "attempt",
    "first",
    "offered",
    "hands",
    "aside",
    "tribute",
    "answers",
    "emperor",
    "guard",
    "solo",
    "called",
    "factor",
    "places",
    "scores",
    "result",
)
_OPTIONAL = frozenset({"offered"})


def verify(record: object) -> None:
    """Check one `baohuang-record/1` (contract.md 2) whole: draw, legality, scores.

    Any value at all may be given. Raises RecordError (`path`, message) at the first difference.
    """
    top = _object(record, "record", _TOP)
    _same("format", top["format"], FORMAT)
    if top["match"] is not None and not isinstance(top["match"], str):
        raise RecordError("match", "must be a string or null")
    rules = _rules(top["rules"])
    key = _key(top["draw"])
    _strings(top["seats"], "seats")
    checker = _Checker(rules, key, _numbers(top["penalties"], "penalties"))
    deals = _list(top["deals"], "deals")
    for index, entry in enumerate(deals):
        checker.check(entry, f"deals[{index}]")
    checker.finish()
    _same("totals", top["totals"], checker.totals)


def replay(rules: RuleSet, entry: Mapping[str, Any]) -> DealState:
    """The final state of one deal of a record that verifies: `entry` is one of its `deals`."""
    hands = [parse_hand(hand) for hand in entry["hands"]]
    gifts = [(giver, taker, card) for giver, taker, card in entry["tribute"]]
    hands = paid(hands, gifts)
    state = DealState(rules, hands, _offered(entry, hands, "deal"))
    for answer in entry["answers"]:
        state.apply(answer[1])
    return state


class _Checker:
    """Walks through a record's deals with what carries over from one to the next."""

    def __init__(self, rules: RuleSet, key: bytes | None, penalties: Sequence[int]) -> None:
        self.rules = rules
        self.key = key
        self.penalties = penalties
        self.totals = [0] * SEATS
        self.number = 1
        self.attempt = 1
        self.first = 0
        self.last: LastDeal | None = None
        self.autos = [0] * SEATS
        self.result = "redeal"
        self.dissolved = False
        self.gone: set[int] = set()  # seats that have left, or an `uncounted` deal would be none
        for seat, penalty in enumerate(penalties):
            if penalty not in (0, -rules.desertion_penalty):
                raise RecordError(f"penalties[{seat}]", f"{shown(penalty)} is no desertion penalty")

    def check(self, entry: object, path: str) -> None:
        """One entry of `deals`."""
        given = _object(entry, path, _DEAL, _OPTIONAL)
        if self.dissolved:
            raise RecordError(path, "the table was dissolved: a seat was on autoplay")
        for name in ("number", "attempt", "first"):
            _same(f"{path}.{name}", given[name], getattr(self, name))
        dealt = self._dealt(given, path)
        gifts = tribute(self.rules, dealt.hands, self.last)
        _same(f"{path}.tribute", given["tribute"], [list(gift) for gift in gifts])
        hands = paid(dealt.hands, gifts)
        state = DealState(self.rules, hands, first_offered(hands, dealt.offered))
        if "offered" in given:
            _same(f"{path}.offered", given["offered"], state.offered)
        self._answers(state, _list(given["answers"], f"{path}.answers"), f"{path}.answers")
        self._outcome(state, given, path)
        self._carry(given)

    def finish(self) -> None:
        """A match ends with a deal that counts, or with none of them at all."""
        if self.result == "redeal":
            raise RecordError("deals", "the match ends with a redeal, or without a deal")

    def _dealt(self, given: Mapping[str, Any], path: str) -> Dealt:
        hands = [
            _hand(hand, f"{path}.hands[{seat}]")
            for seat, hand in enumerate(_list(given["hands"], f"{path}.hands", SEATS))
        ]
        if self.key is not None:
            dealt = deal(self.rules, self.key, self.number, self.attempt, self.first)
            for seat in range(SEATS):
                expected = hand_text(dealt.hands[seat])
                _same(f"{path}.hands[{seat}]", given["hands"][seat], expected)
        else:
            _conserved(self.rules, hands, path)
            offered = _offered(given, hands, path)
            dealt = Dealt(tuple(map(tuple, hands)), _aside(self.rules), offered)
        _same(f"{path}.aside", given["aside"], dealt.aside)
        return dealt

    def _answers(self, state: DealState, answers: Sequence[Any], path: str) -> None:
        for index, answer in enumerate(answers):
            where = f"{path}[{index}]"
            seat, text, auto = _answer(answer, where)
            if state.result is not None:
                raise RecordError(where, "an answer after the end of the deal")
            _same(f"{where}[0]", seat, state.seat)
            self._check_auto(state, seat, text, auto, where)
            if text in state.legal:
                self._check_beats(state, text, where)
            try:
                state.apply(text)
            except IllegalAnswer as error:
                raise RecordError(where, str(error)) from None
            self.autos[seat] += auto
        if state.result is None:
            raise RecordError(path, f"the deal is not over: seat {state.seat} has not answered")

    def _check_auto(self, state: DealState, seat: int, text: str, auto: bool, path: str) -> None:
        if auto and text != state.fallback:
            raise RecordError(path, f"autoplay answers {state.fallback!r} here, not {shown(text)}")
        if not auto and self.autos[seat] > self.rules.autoplay_limit:
            raise RecordError(path, f"seat {seat} is on autoplay to the end of the deal")
        if not auto and seat in self.gone:
            raise RecordError(path, f"seat {seat} had left: a deal before did not count for that")

    def _check_beats(self, state: DealState, text: str, path: str) -> None:
        """The play beats what lies there, by a search over pairings too."""
        if state.phase != "play" or state.prev is None or text == "pass":
            return
        rules, prev = self.rules, state.prev.text
        if not pairing.beats(text, prev, roast=rules.roast, three_twos=rules.three_twos):
            raise RecordError(path, f"{text} does not beat {prev}")

    def _outcome(self, state: DealState, given: Mapping[str, Any], path: str) -> None:
        outcome = state.outcome()
        result = self._result(state, given["result"], path)
        scores = list(outcome.scores or ()) if result in ("scored", "abdicated") else [0] * SEATS
        expected = {
            "emperor": None if state.emperor == NOBODY else state.emperor,
            "guard": None if state.guard == NOBODY else state.guard,
            "solo": state.solo,
            "called": state.called,
            "factor": state.factor,
            "places": list(outcome.places) if outcome.places else None,
            "scores": scores,
        }
        for name, value in expected.items():
            _same(f"{path}.{name}", given[name], value)

    def _result(self, state: DealState, given: object, path: str) -> str:
        """A deserter's moment is not in a record, so `uncounted` is believed of seats that may be.

        Those are the seats with a penalty, or any where leaving costs nothing; from then on they
        may not answer for themselves.
        """
        over_limit = [autos > self.rules.autoplay_limit for autos in self.autos]
        surely = all(over_limit)
        gone = [penalty or not self.rules.desertion_penalty for penalty in self.penalties]
        perhaps = all(o or g for o, g in zip(over_limit, gone, strict=True))
        too_often = state.result == "redeal" and self.attempt >= MAX_ATTEMPTS
        expected = "uncounted" if surely or too_often else str(state.result)
        if not (given == "uncounted" and perhaps):
            _same(f"{path}.result", given, expected)
        elif not (surely or too_often):
            self.gone |= {seat for seat in range(SEATS) if not over_limit[seat]}
        return str(given)

    def _carry(self, given: Mapping[str, Any]) -> None:
        self.result = given["result"]
        self.totals = [a + b for a, b in zip(self.totals, given["scores"], strict=True)]
        if self.result == "redeal":
            self.attempt += 1
            return
        self.number += 1
        self.attempt = 1
        on_autoplay = [autos > self.rules.autoplay_limit for autos in self.autos]
        self.dissolved = self.rules.autoplay_dissolves and any(on_autoplay)
        self.autos = [0] * SEATS
        self.first = self.first if given["emperor"] is None else given["emperor"]
        self.last = last_deal(dict(given))


def _rules(value: object) -> RuleSet:
    fields = _object(value, "rules", ("preset", "options"))
    try:
        rules = RuleSet.from_json(fields)
    except RuleSetError as error:
        raise RecordError(f"rules.options.{error.option}", str(error)) from None
    options = _object(fields["options"], "rules.options", tuple(rules.options()))
    for name, resolved in rules.options().items():
        _same(f"rules.options.{name}", options[name], resolved)
    return rules


def _key(value: object) -> bytes | None:
    draw = _object(value, "draw", ("scheme", "commitment", "key"))
    _same("draw.scheme", draw["scheme"], "draw-v1")
    committed = _hex(draw["commitment"], "draw.commitment")
    if draw["key"] is None:
        return None
    key = _hex(draw["key"], "draw.key")
    if committed.hex() != commitment(key):
        raise RecordError("draw.commitment", "is not the commitment of the key")
    return key


def _hex(value: object, path: str) -> bytes:
    """32 bytes, as this project writes them: 64 digits, small letters, nothing between."""
    if not isinstance(value, str) or not HEX.fullmatch(value):
        raise RecordError(path, f"must have {2 * KEY_BYTES} hexadecimal digits, not {shown(value)}")
    return bytes.fromhex(value)


def _conserved(rules: RuleSet, hands: list[list[str]], path: str) -> None:
    cards = deck(rules.low_rank, guard_card=rules.guard == "marked", aside=rules.aside)
    if sort_hand(cards) != sort_hand(card for hand in hands for card in hand):
        raise RecordError(f"{path}.hands", "the five hands are not the deck")


def _aside(rules: RuleSet) -> str | None:
    return "E" if rules.aside else None


def _offered(given: Mapping[str, Any], hands: list[list[str]], path: str) -> int:
    for seat, hand in enumerate(hands):
        if "E" in hand:
            return seat
    offered = given.get("offered")
    if type(offered) is not int or not 0 <= offered < SEATS:
        raise RecordError(f"{path}.offered", "must be the seat that was first offered the throne")
    return offered


def _hand(value: object, path: str) -> list[str]:
    try:
        return parse_hand(value)
    except NotationError as error:
        raise RecordError(path, str(error)) from None


def _answer(value: object, path: str) -> tuple[int, str, bool]:
    parts = _list(value, path)
    if len(parts) not in (2, 3) or type(parts[0]) is not int or not isinstance(parts[1], str):
        raise RecordError(path, 'must be [seat, answer] or [seat, answer, "auto"]')
    if len(parts) == 3 and parts[2] != AUTO:
        raise RecordError(path, f'has {shown(parts[2])} where only "auto" may stand')
    return parts[0], parts[1], len(parts) == 3


def _object(
    value: object, path: str, names: tuple[str, ...], optional: frozenset[str] = frozenset()
) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise RecordError(path, "must be an object")
    for name in names:
        if name not in value and name not in optional:
            raise RecordError(f"{path}.{name}", "is missing")
    for name in value:
        if name not in names:
            raise RecordError(path, f"has an unknown field {shown(name)}")
    return value


def _list(value: object, path: str, length: int | None = None) -> Sequence[Any]:
    if not isinstance(value, list | tuple):  # tuples are in records that come straight from a match
        raise RecordError(path, "must be a list")
    if length is not None and len(value) != length:
        raise RecordError(path, f"must have {length} items, not {len(value)}")
    return value


def _strings(value: object, path: str) -> None:
    for index, item in enumerate(_list(value, path, SEATS)):
        if not isinstance(item, str):
            raise RecordError(f"{path}[{index}]", "must be a string")


def _numbers(value: object, path: str) -> Sequence[int]:
    numbers = _list(value, path, SEATS)
    for index, item in enumerate(numbers):
        if type(item) is not int:
            raise RecordError(f"{path}[{index}]", "must be a whole number")
    return numbers


def _same(path: str, given: object, expected: object) -> None:
    if not _equal(given, expected):
        raise RecordError(path, f"is {shown(given)}, expected {shown(expected)}")


def _equal(given: object, expected: object) -> bool:
    """Equality without 1 == True or 1 == 1.0."""
    if isinstance(given, list | tuple) and isinstance(expected, list | tuple):
        return len(given) == len(expected) and all(map(_equal, given, expected))
    if type(given) is not type(expected):
        return False
    return given == expected
