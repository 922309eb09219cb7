"""A match as a story of deals, and the box to drive it from outside, question by question."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .cards import deck, in_order
from .deal import Outcome, deal, next_debt, tribute
from .draw import below, shuffle, words
from .table import SEATS, Question, Story, Table
from .tribute import Debt, Gift

TOO_MANY = 100
"""rules.md sets no end to redeals, the engine's README does: then the deal is uncounted."""

Dealing = tuple[list[list[str]], int | None]  # the five hands, the seat drawn for the throne
Dealer = Callable[[int, int, int], Dealing]  # from deal number, attempt, first seat


def dealer(options: Mapping[str, Any], key: bytes) -> Dealer:
    """Deals by draw-v1 (contract.md 3)."""

    def deal_out(number: int, attempt: int, first: int) -> Dealing:
        ctx = f"deal/{number}/{attempt}"
        hands: list[list[str]] = [[] for _ in range(5)]
        for k, card in enumerate(shuffle(words(key, ctx), deck(options))):
            hands[(first + k) % 5].append(card)
        drawn = below(words(key, ctx + "/throne"), 5) if options["aside"] else None
        return [in_order(hand) for hand in hands], drawn

    return deal_out


@dataclass
class Done:
    """One finished attempt."""

    number: int
    attempt: int
    first: int
    hands: list[list[str]]  # as dealt
    drawn: int | None
    offered: int  # the seat first offered the throne
    tribute: list[Gift]
    outcome: Outcome
    answers: list[tuple[int, str, bool]] = field(default_factory=list)


class Replay:
    """Asks the questions of a whole match; `question` is None when it is over.

    `answer` takes one of `question.legal`; `desert` hands a seat to the server for good.
    Whoever drives it must answer for a seat on autoplay (`on_autoplay`) with the fallback.
    """

    def __init__(self, options: Mapping[str, Any], deal_out: Dealer, deals: int) -> None:
        self.options = options
        self.done: list[Done] = []
        self.deserters: set[int] = set()
        self.autos = [0] * 5
        self._answers: list[tuple[int, str, bool]] = []
        self._heard = 0  # in the attempts that are over
        self.number, self.attempt = 1, 1
        self.table: Table
        self._story = self._tell(deal_out, deals)
        self.question: Question | None = next(self._story, None)

    def answer(self, text: str, auto: bool = False) -> None:
        assert self.question is not None
        seat = self.question.seat
        assert text in self.question.legal
        self.autos[seat] += auto
        self._answers.append((seat, text, auto))
        try:
            self.question = self._story.send(text)
        except StopIteration:
            self.question = None

    def desert(self, seat: int) -> None:
        self.deserters.add(seat)

    def on_autoplay(self, seat: int) -> bool:
        """For the rest of this deal (rules.md 6), or for good."""
        return seat in self.deserters or self.autos[seat] > self.options["autoplay_limit"]

    def does_not_count(self) -> bool:
        """All five seats end the deal on autoplay."""
        return all(map(self.on_autoplay, SEATS))

    @property
    def turn(self) -> int:
        """One more than the answers that everybody has heard of in the whole match."""
        return self._heard + len(self.table.history) + 1

    @property
    def totals(self) -> list[int]:
        return [sum(done.outcome.scores[seat] for done in self.done) for seat in SEATS]

    @property
    def penalties(self) -> list[int]:
        cost = self.options["desertion_penalty"]
        return [-cost if seat in self.deserters else 0 for seat in SEATS]

    def _tell(self, deal_out: Dealer, deals: int) -> Story:
        first, debt = 0, None
        for number in range(1, deals + 1):
            self.number, self.autos = number, [0] * 5
            outcome = yield from self._until_it_counts(deal_out, first, debt)
            first = first if outcome.emperor is None else outcome.emperor
            debt = next_debt(outcome)
            if self.options["autoplay_dissolves"] and any(map(self.on_autoplay, SEATS)):
                return

    def _until_it_counts(self, deal_out: Dealer, first: int, debt: Debt | None) -> Story:
        """One deal number: attempt after attempt until somebody takes the throne."""
        self.attempt = 0
        while True:
            self.attempt += 1
            self._answers = []
            hands, drawn = deal_out(self.number, self.attempt, first)
            dealt = [list(hand) for hand in hands]
            self.table = Table(self.options, first, hands)
            paid = tribute(self.table, debt)
            offered = self.table.holder("E") if drawn is None else drawn
            outcome = yield from deal(self.table, drawn)
            endless = outcome.result == "redeal" and self.attempt == TOO_MANY
            if endless or self.does_not_count():  # a redeal too: five absent players never accept
                outcome.result, outcome.scores = "uncounted", [0] * 5
            self.done.append(
                Done(
                    self.number,
                    self.attempt,
                    first,
                    dealt,
                    drawn,
                    offered,
                    paid,
                    outcome,
                    self._answers,
                )
            )
            self._heard += len(self.table.history)
            if outcome.result != "redeal":
                return outcome
