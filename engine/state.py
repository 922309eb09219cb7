"""One deal as a state machine: who must answer what, and what an answer does (rules.md section 3).

The state asks one seat at a time. `legal` lists that seat's answers, `apply` takes one. A seat with
only one legal answer is not asked: the engine answers for it, in every phase (rules.md 3.2). The
chapters of a deal are the modules of `phases`; each sets the next question or enters the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .cards import SEATS, Card
from .combinations import JOKER_TOKENS, Combinations, Play, combinations_for
from .phases import call, declare, grab, kick, play, throne
from .rules import RuleSet
from .scoring import Outcome, outcome
from .shown import shown

Step = Callable[["DealState", str], None]
NOBODY = -1
MARKED_TWIN = {"x": "G", "X": "E"}  # for a call a marked joker is a plain one


class IllegalAnswer(ValueError):
    """An answer that is not on the list of legal ones; the state is as it was."""


class DealState:
    """The state of one deal, from the first offer of the throne to its end. Mutable; see `copy`.

    Public: `phase` (`throne grab call declare kick play`, `over`), `seat` (who must answer, -1 when
    over), `legal` (that seat's answers, sorted as contract.md section 1 says), `history` (every
    public answer, those of the engine included, as (seat, answer); `hidden` is none), `emperor`,
    `guard`, `solo`, `called`, `factor`, `rebels`, `out` (seats in the order of going out), `result`
    (None, then `scored`, `redeal` or `abdicated`).
    """

    __slots__ = (
        "alive",
        "around",
        "asked_again",
        "by",
        "called",
        "cards",
        "combinations",
        "emperor",
        "factor",
        "guard",
        "guard_public",
        "guard_shift",
        "hands",
        "history",
        "kickers",
        "lanes",
        "leader",
        "legal",
        "lock",
        "locked",
        "next_turn",
        "offered",
        "offers",
        "out",
        "passed",
        "phase",
        "prev",
        "queue",
        "rebels",
        "result",
        "rules",
        "seat",
        "solo",
        "solo_public",
        "step",
        "travelling",
    )

    def __init__(self, rules: RuleSet, hands: Sequence[Sequence[Card]], offered: int) -> None:
        """A deal with these hands (tribute done) whose throne is first offered to `offered`.

        Where the emperor card was laid aside it comes with the offer and is in no hand.
        """
        self._set_out(rules, hands, offered)
        self.enter("throne")
        _answer_forced(self)

    @classmethod
    def at_offer(
        cls,
        rules: RuleSet,
        hands: Sequence[Sequence[Card]],
        refusals: Sequence[tuple[int, str]],
        seat: int,
        travelling: Sequence[Card],
    ) -> DealState:
        """A deal whose throne has come to `seat` after `refusals` (as in `history`).

        `travelling` (the emperor card and gifts) is in the hand of `seat` already. The seat is
        asked even if it has one answer only.
        """
        state = cls.__new__(cls)
        state._set_out(rules, hands, refusals[0][0] if refusals else seat)
        state.history += refusals
        throne.come_to(state, seat, len(refusals), travelling)
        return state

    def _set_out(self, rules: RuleSet, hands: Sequence[Sequence[Card]], offered: int) -> None:
        self.rules = rules
        self.combinations = tables_of(rules)
        self.cards = [list(hand) for hand in hands]
        self.offered = offered
        self.history: list[tuple[int, str]] = []
        self.seat = NOBODY
        self.legal: tuple[str, ...] = ()
        self.phase = "throne"
        self.step: Step | None = PHASES["throne"][1]
        self.result: str | None = None
        # throne
        self.offers = 0
        self.travelling: list[Card] = []
        # roles, as they are and as everybody knows them
        self.emperor = NOBODY
        self.guard = NOBODY
        self.guard_public = False
        self.guard_shift = 0
        self.solo: str | None = None
        self.solo_public = False
        self.called: Card | None = None
        self.factor = 1
        # grab, declarations, kick
        self.queue: list[int] = []
        self.rebels: list[int] = []
        self.asked_again = False
        self.kickers = 0
        # play
        self.hands: list[int] = []
        self.lanes: list[Any] = [None] * SEATS  # kept by view.py: suits matter to eyes only
        self.prev: Play | None = None
        self.by = NOBODY
        self.leader = NOBODY
        self.alive = (1 << SEATS) - 1
        self.passed = 0  # seats (a bit each) since the last play; with a lock: in the trick
        self.lock = rules.pass_lock
        self.locked = 0  # those that passed before the last play, where this locks them
        self.around = play.AROUND[self.alive]  # who is asked after whom in this trick
        self.next_turn: play.Turn | None = None
        self.out: list[int] = []

    apply = play.apply

    def refusal(self, answer: object) -> IllegalAnswer:
        """The error for an answer that is not legal now (used by the phases)."""
        if self.phase == "over":
            return IllegalAnswer("the deal is over")
        return IllegalAnswer(
            f"{shown(answer)} is no legal answer of seat {self.seat} in the {self.phase} phase"
        )

    def ask(self, seat: int, legal: tuple[str, ...]) -> None:
        """Put the next question (used by the phases)."""
        self.seat = seat
        self.legal = legal

    def enter(self, phase: str) -> None:
        """Go on to another phase (used by the phases); it may be over at once."""
        self.phase = phase
        begin, self.step = PHASES[phase]
        begin(self)

    def end(self, result: str) -> None:
        """The deal is over (used by the phases)."""
        self.phase = "over"
        self.result = result
        self.ask(NOBODY, ())

    @property
    def fallback(self) -> str:
        """What autoplay answers (rules.md section 6): see `phases`. ValueError when over."""
        if not self.legal:
            raise ValueError("the deal is over: nobody is asked")
        return FALLBACKS[self.phase](self.legal)

    def role(self, seat: int) -> str | None:
        """`emperor`, `guard` or `rebel`; None while it is not settled."""
        if seat == self.emperor:
            return "emperor"
        if self.emperor == NOBODY or self.phase in ("throne", "grab", "call"):
            return None
        return "guard" if seat == self.guard else "rebel"

    def holder(self, card: Card, but: int = NOBODY) -> int:
        """The seat (other than `but`) that holds a card alike, or -1. A marked joker is itself."""
        twin = MARKED_TWIN.get(card, card)
        for seat, cards in enumerate(self.cards):
            if seat != but and (card in cards or twin in cards):
                return seat
        return NOBODY

    def hand_sizes(self) -> list[int]:
        """Cards held, by seat."""
        if not self.hands:
            return [len(cards) for cards in self.cards]
        return [sum(hand.to_bytes(17, "little")) for hand in self.hands]

    def places(self) -> list[int]:
        """Places by seat, 1 to 5; 0 while a seat has not gone out."""
        places = [0] * SEATS
        for place, seat in enumerate(self.out, 1):
            places[seat] = place
        return places

    def outcome(self) -> Outcome:
        """Places and scores of a deal that is over, by seat. ValueError while it runs."""
        if self.result is None:
            raise ValueError("the deal is not over")
        return outcome(self)

    def copy(self) -> DealState:
        """An independent state with the same past and future."""
        twin = DealState.__new__(DealState)
        for name in DealState.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value.copy() if type(value) is list else value)
        twin.cards = [list(cards) for cards in self.cards]
        return twin


def tables_of(rules: RuleSet) -> Combinations:
    """The plays of a rule set; shared by all that have the same deck and the same beating."""
    return combinations_for(
        rules.low_rank, bool(rules.called_trump), rules.roast, rules.three_twos, rules.hold_back
    )


def _answering(take: Step) -> Step:
    """The step of a phase before play: write down, take, then answer what is forced."""

    def step(state: DealState, answer: str) -> None:
        state.history.append((state.seat, answer))
        take(state, answer)
        _answer_forced(state)

    return step


def _answer_forced(state: DealState) -> None:
    if len(state.legal) == 1:
        state.apply(state.legal[0])


PHASES: dict[str, tuple[Callable[[DealState], None], Step | None]] = {
    "throne": (throne.begin, _answering(throne.apply)),
    "grab": (grab.begin, _answering(grab.apply)),
    "call": (call.begin, _answering(call.apply)),
    "declare": (declare.begin, _answering(declare.apply)),
    "kick": (kick.begin, _answering(kick.apply)),
    "play": (play.begin, None),
}
"""The table of contents of a deal: how a phase begins, and its step; `play.apply` is play's own."""


def _lowest(legal: tuple[str, ...]) -> str:
    """`pass`; as leader the lowest single card, where none may be led the first play.

    `legal` begins with the lowest natural rank, but among jokers alone with the highest.
    """
    if legal[0] in JOKER_TOKENS:
        return next(joker for joker in JOKER_TOKENS if joker in legal)
    return legal[0]


FALLBACKS: dict[str, Callable[[tuple[str, ...]], str]] = {
    "throne": lambda legal: "yield",
    "grab": lambda legal: "silent",
    "call": lambda legal: legal[0],  # the lowest callable card; `hidden` of a marked-card solo
    "declare": lambda legal: "silent",
    "kick": lambda legal: "silent",
    "play": _lowest,
}
"""Autoplay's answers to a question with at least two (rules.md section 6)."""
