"""One tournament: what it is, its rounds and tables, its standings."""

from __future__ import annotations

from ..services import rounds, standings, tables, tournaments
from . import places
from .blueprint import blp
from .visit import Visit, page

LEADERS = 20  # rows of the standings on the tournament's own page
ROWS = 100


@blp.get("/tournaments/<ulid:tournament_id>")
@page()
def tournament(visit: Visit, tournament_id: str) -> str:
    """Its settings, its rounds, and who leads."""
    who = visit.session, visit.actor, tournament_id
    return visit.show(
        "tournament.html",
        tournament=tournaments.find(*who),
        rounds=rounds.search(*who, None, ROWS),
        standings=standings.rows(*who, None, LEADERS),
    )


@blp.get("/tournaments/<ulid:tournament_id>/standings")
@page()
def tournament_standings(visit: Visit, tournament_id: str) -> str:
    """The whole standings, page by page."""
    who = visit.session, visit.actor, tournament_id
    found = standings.rows(*who, places.number(), ROWS)
    return visit.show(
        "standings.html",
        tournament=tournaments.find(*who),
        standings=found,
        more=places.following(found),
    )


@blp.get("/tournaments/<ulid:tournament_id>/rounds/<int(min=1, max=500):number>")
@page()
def tournament_round(visit: Visit, tournament_id: str, number: int) -> str:
    """Who sits at which table."""
    who = visit.session, visit.actor, tournament_id
    found = tables.search_tables(*who, number, places.number(), ROWS)
    return visit.show(
        "round.html",
        tournament=tournaments.find(*who),
        round=rounds.find(*who, number),
        tables=found.items,
        more=places.following(found),
    )
