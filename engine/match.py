"""The referee of one match: deals, tribute, autoplay, penalties, totals (rules.md 3.1, 5, 6).

Values only: whoever drives it asks the open question, brings the answer, and keeps `log`. The same
rules, key and log give the same match again, on any machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .cards import SEATS
from .deal import Dealt, deal, first_offered
from .draw import commitment
from .notation import hand_text
from .rules import RuleSet
from .scoring import final_places
from .state import NOBODY, DealState, IllegalAnswer
from .tribute import Gift, LastDeal, paid, tribute
from .view import FIELDS, View

__all__ = ["DESERT", "MAX_ATTEMPTS", "IllegalAnswer", "Match"]

AUTO = "auto"
DESERT = "desert"
FORMAT = "baohuang-record/1"

MAX_ATTEMPTS = 100
"""A deal whose throne was refused by all this often does not count: a table must come to an end."""

LogEntry = tuple[int, str, bool]
"""(seat, answer, auto): what came from outside."""


class Match:
    """A match of `deals` deals under `rules`, dealt from `key` (32 bytes).

    While not `over`, one question is open: `seat`, `phase`, `legal`, `fallback`, in deal number
    `deal`, shuffle `attempt`; `turn` rises from one to the next. `log` is what came from outside.
    """

    def __init__(self, rules: RuleSet, key: bytes, deals: int) -> None:
        if deals < 1:
            raise ValueError(f"a match has at least one deal, not {deals}")
        self.rules = rules
        self.deals = deals
        self.deal = 1
        self.attempt = 1
        self.over = False
        self.log: list[LogEntry] = []
        self.deals_done: list[dict[str, Any]] = []
        self.totals = [0] * SEATS
        self.penalties = [0] * SEATS
        self._key = key
        self._rules_json = rules.to_json()  # made once: every view shows it
        self._first = 0
        self._last: LastDeal | None = None
        self._deserters: set[int] = set()
        self._known = 0  # answers in the histories of past deals
        self._autos = [0] * SEATS
        self._absent = False  # whether anybody was played by the server, ever: the rare case
        self._open()
        self._go_on()

    @classmethod
    def resume(cls, rules: RuleSet, key: bytes, deals: int, log: Iterable[LogEntry]) -> Match:
        """The match whose log this is. IllegalAnswer when the log is not one of this match."""
        match = cls(rules, key, deals)
        for seat, answer, auto in log:
            if answer == DESERT:
                match.desert(seat)
            elif seat != match.seat:
                raise IllegalAnswer(f"the log has seat {seat} where seat {match.seat} was asked")
            else:
                match.answer(answer, auto)
        return match

    # -- the open question --------------------------------------------------------------------

    @property
    def seat(self) -> int:
        """The seat that is asked; -1 when the match is over."""
        return self.state.seat

    @property
    def phase(self) -> str:
        """The phase of the open question; `over` at the end."""
        return self.state.phase

    @property
    def legal(self) -> tuple[str, ...]:
        """The legal answers, sorted as contract.md section 1 says; none when over."""
        return self.state.legal

    @property
    def fallback(self) -> str:
        """What autoplay would answer."""
        return self.state.fallback

    @property
    def turn(self) -> int:
        """One more than the answers that everybody knows of, over the whole match.

        Those of the engine count too: a count of questions would tell who had a choice.
        """
        return self._known + len(self.state.history) + 1

    def look(self) -> View:
        """What the asked seat sees, field by field when read."""
        return View(self.state, self.state.seat, self.totals)

    def view(self) -> dict[str, Any]:
        """The fields of a `decide` request that the match knows (contract.md section 4)."""
        seen = self.look()
        head = {"deal": self.deal, "deals": self.deals, "turn": self.turn, "seat": self.seat}
        body = {key: seen[key] for key in FIELDS if key != "seat"}
        return head | {"rules": self._rules_json} | body

    # -- what comes from outside --------------------------------------------------------------

    def answer(self, text: str, auto: bool = False) -> None:
        """The asked seat answers. IllegalAnswer leaves everything as it was.

        `auto` says that the server answered for the seat (timeout, fault).
        """
        state = self.state
        seat = state.seat
        state.apply(text)
        if auto:
            self.log.append((seat, text, True))
            self._absent = True
            self._autos[seat] += 1
        else:
            logged = state.combinations.logged.get(text)
            self.log.append(logged[seat] if logged else (seat, text, False))
        if self._absent or not state.legal:
            self._go_on()

    def autoplay(self) -> None:
        """The server answers for the asked seat, with the fallback."""
        self.answer(self.fallback, auto=True)

    def desert(self, seat: int) -> None:
        """`seat` leaves for good: the penalty once, and the server plays it from now on."""
        if self.over or seat in self._deserters:
            return
        self._deserters.add(seat)
        self._absent = True
        self.penalties[seat] = -self.rules.desertion_penalty
        self.log.append((seat, DESERT, True))
        self._go_on()

    def on_autoplay(self, seat: int) -> bool:
        """Whether the server plays `seat` to the end of the deal (rules.md section 6)."""
        return seat in self._deserters or self._autos[seat] > self.rules.autoplay_limit

    # -- inside -------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """On to the next question that is put to somebody outside."""
        while not self.over:
            if self.state.result is not None:
                self._close()
            elif self.on_autoplay(self.state.seat):
                self._answer_absent()
            else:
                return

    def _answer_absent(self) -> None:
        """The server answers for a seat that is on autoplay to the end of the deal."""
        seat, text = self.state.seat, self.state.fallback
        self.state.apply(text)
        self._served.append((len(self.log), (seat, text, True)))

    def _open(self) -> None:
        self._dealt: Dealt = deal(self.rules, self._key, self.deal, self.attempt, self._first)
        self._gifts: tuple[Gift, ...] = tribute(self.rules, self._dealt.hands, self._last)
        self._begun = len(self.log)
        self._served: list[tuple[int, LogEntry]] = []  # where in the log, what nobody was asked
        hands = paid(self._dealt.hands, self._gifts) if self._gifts else self._dealt.hands
        self.state = DealState(self.rules, hands, first_offered(hands, self._dealt.offered))

    def _close(self) -> None:
        result = self._result()
        entry = self._entry(result)
        self.deals_done.append(entry)
        self._known += len(self.state.history)
        self.totals = [a + b for a, b in zip(self.totals, entry["scores"], strict=True)]
        if result == "redeal":
            self.attempt += 1
        elif self._is_last():
            self.over = True
            return
        else:
            self._next_deal(entry)
        self._open()

    def _result(self) -> str:
        result = self.state.result
        assert result is not None
        if all(map(self.on_autoplay, range(SEATS))):
            return "uncounted"
        if result == "redeal" and self.attempt >= MAX_ATTEMPTS:
            return "uncounted"
        return result

    def _is_last(self) -> bool:
        dissolved = self.rules.autoplay_dissolves and any(map(self.on_autoplay, range(SEATS)))
        return dissolved or self.deal == self.deals

    def _next_deal(self, entry: dict[str, Any]) -> None:
        self.deal += 1
        self.attempt = 1
        self._autos = [0] * SEATS
        if entry["emperor"] is not None:
            self._first = entry["emperor"]
        self._last = last_deal(entry)

    def _entry(self, result: str) -> dict[str, Any]:
        """One object of a record's `deals` (contract.md section 2), with tuples for its lists.

        A match keeps thousands of them, and the garbage collector forgets tuples of plain values.
        """
        state = self.state
        outcome = state.outcome()
        scored = result in ("scored", "abdicated")
        return {
            "number": self.deal,
            "attempt": self.attempt,
            "first": self._first,
            "offered": self.state.offered,
            "hands": tuple(map(hand_text, self._dealt.hands)),
            "aside": self._dealt.aside,
            "tribute": self._gifts,
            "answers": self._all_answers(),
            "emperor": None if state.emperor == NOBODY else state.emperor,
            "guard": None if state.guard == NOBODY else state.guard,
            "solo": state.solo,
            "called": state.called,
            "factor": state.factor,
            "places": outcome.places,
            "scores": outcome.scores if scored and outcome.scores else (0,) * SEATS,
            "result": result,
        }

    def _all_answers(self) -> tuple[tuple[int | str, ...], ...]:
        said = self.state.combinations.said
        return tuple(
            [
                (seat, text, AUTO) if auto else said[text][seat] if text in said else (seat, text)
                for seat, text, auto in self._entries()
            ]
        )

    def _entries(self) -> list[LogEntry]:
        """The deal's answers, those that the server gave for absent seats in their places."""
        if not self._absent:
            return self.log[self._begun :]
        found, at = [], self._begun
        for place, entry in self._served:
            found += self.log[at:place]
            found.append(entry)
            at = place
        return [entry for entry in found + self.log[at:] if entry[1] != DESERT]

    def record(
        self, seats: Sequence[str], match: str | None = None, reveal: bool = True
    ) -> dict[str, Any]:
        """The finished deals as `baohuang-record/1`; without `reveal` the key is null."""
        return {
            "format": FORMAT,
            "match": match,
            "rules": self.rules.to_json(),
            "seats": list(seats),
            "draw": {
                "scheme": "draw-v1",
                "commitment": commitment(self._key),
                "key": self._key.hex() if reveal else None,
            },
            "deals": self.deals_done,
            "totals": self.totals,
            "penalties": self.penalties,
        }


def last_deal(entry: dict[str, Any]) -> LastDeal | None:
    """What a deal's entry in a record means for the next deal's tribute.

    Who threw the throne away has lost a solo; it has no places, so the others follow in playing
    order (rules.md 3.2 and 5).
    """
    if entry["result"] == "uncounted":
        return None
    emperor = entry["emperor"]
    places = entry["places"] or final_places([(emperor + 1 + n) % SEATS for n in range(4)], emperor)
    score = entry["scores"][emperor]
    return LastDeal(emperor, entry["guard"], entry["solo"], tuple(places), score)
