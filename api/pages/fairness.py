"""The fairness certificate of a tournament, as people read it."""

from __future__ import annotations

from collections.abc import Sequence

from ..services import fairness, tournaments
from .blueprint import blp
from .visit import Visit, page


@blp.get("/tournaments/<ulid:tournament_id>/fairness")
@page()
def tournament_fairness(visit: Visit, tournament_id: str) -> str:
    """How equally it treats its entries; it costs what the API's costs, and is kept with it."""
    who = visit.session, visit.actor, tournament_id
    made = fairness.certificate(*who, visit.arena.figures)
    return visit.show(
        "fairness.html",
        tournament=tournaments.find(*who),
        made=made,
        told=fairness.told(*who),
        met=_range(made["pairs"]),
        after=_range(made["neighbours"]),
    )


def _range(pairs: Sequence[int]) -> tuple[int, int]:
    """The least and the most of a count, of which pairs[n] is how many pairs have n."""
    found = [count for count, number in enumerate(pairs) if number] or [0]
    return found[0], found[-1]
