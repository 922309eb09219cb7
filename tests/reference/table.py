"""What lies on the table during one deal, and the one way in which a seat is asked."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cards import in_order, kind, token

SEATS = range(5)


@dataclass
class Question:
    """A question with at least two legal answers; `fallback` is autoplay's answer."""

    seat: int
    phase: str
    legal: list[str]
    fallback: str


Story = Generator[Question, str, Any]


def after(seat: int) -> list[int]:
    """The other four seats in playing order."""
    return [(seat + step) % 5 for step in (1, 2, 3, 4)]


@dataclass
class Table:
    """One attempt at one deal. Seats are 0 to 4, hands are lists of cards."""

    options: Mapping[str, Any]
    first: int
    hands: list[list[str]]
    travelling: list[str] = field(default_factory=list)  # with the throne: emperor card, gifts
    offered: int | None = None  # who holds what travels
    emperor: int | None = None
    guard: int | None = None  # the true guard, secret or not
    solo: str | None = None  # the true solo, secret or not
    called: str | None = None
    trump: str | None = None  # the card that lies somewhere as `*`
    shown: bool = False  # everyone knows the guard, or that there is none
    rebels: list[int] = field(default_factory=list)  # who stood up, in that order
    factor: int = 1
    out: list[int] = field(default_factory=list)  # in the order of going out
    leader: int | None = None
    to_beat: str | None = None
    by: int | None = None
    passed: list[int] = field(default_factory=list)
    history: list[tuple[int, str]] = field(default_factory=list)  # what everyone heard

    def ask(self, seat: int, phase: str, legal: Sequence[str], fallback: str) -> Story:
        """Put a question; with one legal answer it is answered at once (rules.md 3.2)."""
        answer = legal[0]
        if len(legal) > 1:
            answer = yield Question(seat, phase, list(legal), fallback)
            assert answer in legal
        if answer != "hidden":  # saying nothing is no public answer
            self.history.append((seat, answer))
        return answer

    def clear(self, leader: int) -> None:
        """An empty table before this seat's lead."""
        self.leader, self.to_beat, self.by, self.passed = leader, None, None, []

    def held(self, seat: int) -> list[str]:
        """The seat's cards; what travels with the throne counts where it is offered."""
        return self.hands[seat] + (self.travelling if seat == self.offered else [])

    def tokens(self, seat: int) -> list[str]:
        return [token(card) for card in self.hands[seat]]

    def active(self) -> list[int]:
        return [seat for seat in SEATS if self.hands[seat]]

    def copies(self, seat: int, card: str) -> int:
        return [kind(held) for held in self.held(seat)].count(card)

    def callable_cards(self, seat: int, copies: Sequence[int] = (3, 4)) -> list[str]:
        """The cards of which the seat holds three or four alike and which may be called."""
        barred = {"any": "xX", "no_twos": "xX2", "jokers_too": ""}[self.options["callable"]]
        kinds = dict.fromkeys(kind(card) for card in in_order(self.held(seat)))
        return [
            card for card in kinds if card[0] not in barred and self.copies(seat, card) in copies
        ]

    def holder(self, card: str) -> int:
        """Who holds this very card (a marked one, or the called trump)."""
        return next(seat for seat in SEATS if card in self.hands[seat])

    def side(self, seat: int) -> set[int]:
        """The seats on the same side, in truth."""
        court = {self.emperor, self.guard} - {None}
        return {other for other in SEATS if (other in court) == (seat in court)}
