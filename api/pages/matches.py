"""One match: who plays, what came out, and the play as spectators may hear it."""

from __future__ import annotations

from ..services import tables
from .blueprint import blp
from .visit import Visit, page


@blp.get("/matches/<ulid:match_id>")
@page()
def match(visit: Visit, match_id: str) -> str:
    """The seats with their points; the script adds the play."""
    found = tables.find_match(visit.session, visit.actor, match_id)
    return visit.show("match.html", match=found)
