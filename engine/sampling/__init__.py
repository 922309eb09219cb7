"""Deals that a seat could be in: the cards it does not see dealt anew, for bots that search.

Nothing is used but the rules and the seat's own view, so a bot on the other side of the wire can do
the same. `seen` reads what the view makes certain, `dealing` draws the rest, `question` has the
engine play that deal from the throne, with all that was said and laid, up to the open question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bots.protocol import Lots
from ..cards import SEATS, Card, sort_hand
from ..rules import RuleSet
from ..state import DealState
from ..view import held_cards
from .dealing import deal
from .question import replayed
from .seen import read

__all__ = ["sample_hands", "sample_state"]

ATTEMPTS = 1000  # dealings that do not lead to the question, until the view is given up


def sample_hands(rules: RuleSet, view: Mapping[str, Any], lots: Lots) -> list[list[Card]]:
    """What the five seats may hold at this question: hands by seat, sorted as they are written.

    The seat's own hand is what it is, the others are drawn; all as in `sample_state`.
    """
    state = sample_state(rules, view, lots)
    return [sort_hand(held_cards(state, seat)) for seat in range(SEATS)]


def sample_state(rules: RuleSet, view: Mapping[str, Any], lots: Lots) -> DealState:
    """A deal at the question that `view` puts, in any phase; its asked seat sees the same view.

    `view` is a `View`, or a `decide` request (contract.md 4), of the seat that is asked; its match
    scores are not kept. Every way to put the unseen cards into the places that the hand sizes leave
    is equally likely, given what is certain:

    - the own hand, what every seat laid, the emperor card with who took the throne;
    - the shown copies of a called card at the emperor;
    - the card of a guard who is public, or who threw the throne away; once a guard became public
      by laying it he has no other of its kind, because it goes last (rules.md 3.4);
    - the card of a secret guard lies with a seat that did not rebel, or with the emperor as a
      hidden solo; with nobody who would have ended the deal already (rules.md 3.7);
    - all that was said before play was legal then, from the answer to the last offer on.

    A gift that went with the throne is taken to be a two while enough are unseen; where the seat is
    asked to take the throne itself, to be its highest card. Nothing is inferred from choices: not
    from passes, nor from silence, nor from refusals of the throne, nor from tribute. The suits of
    laid cards are drawn too. `lots` (a `Draw`) is used up as it is read.

    Raises ValueError for a seat that is not asked, and where no deal fits the view.
    """
    if not view["legal"]:
        raise ValueError("only a seat that is asked can sample: this view has no legal answers")
    seen = read(rules, view)
    for _ in range(ATTEMPTS):
        hands = deal(seen, lots)
        state = None if hands is None else replayed(seen, hands)
        if state is not None:
            return state
    raise ValueError(f"no deal was found that fits what seat {seen.seat} sees")
