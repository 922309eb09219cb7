"""What was ruled in a tournament, and what was held against it."""

from __future__ import annotations

from ..services import appeals, ruling_names, rulings, tournaments
from . import places
from .blueprint import blp
from .visit import Visit, page

ROWS = 100  # of each
APPEALS = "appeals"
"""Says where the page of the appeals begins; `after` says it of the rulings."""


@blp.get("/tournaments/<ulid:tournament_id>/rulings")
@page()
def tournament_rulings(visit: Visit, tournament_id: str) -> str:
    """Both lists, the newest first; each goes on while the other stays where it is."""
    who = visit.session, visit.actor, tournament_id
    ruled, appealed = places.number(), places.number(APPEALS)
    made = rulings.search(*who, ruled, ROWS, newest_first=True)
    held = appeals.search(*who, appealed, ROWS, newest_first=True)
    return visit.show(
        "rulings.html",
        tournament=tournaments.find(*who),
        rulings=made.items,
        appeals=held.items,
        names=ruling_names.of(visit.session, [*made.items, *held.items]),
        here=(ruled and ruled[0], appealed and appealed[0]),
        older=(places.following(made), places.following(held)),
    )
