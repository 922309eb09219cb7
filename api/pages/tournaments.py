"""One tournament: what it is, its rounds and tables, its standings; what people may do there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import redirect
from werkzeug.wrappers import Response

from ..errors import Invalid
from ..models import AgentStatus, Tournament
from ..models.base import ULID
from ..services import (
    agents,
    appeals,
    attendance,
    entries,
    finishing,
    lifecycle,
    rounds,
    rulings,
    standings,
    tables,
    tournaments,
    uncounted,
)
from ..services.lifecycle import Move
from . import forms, places
from .blueprint import blp
from .visit import Visit, action, page

LEADERS = 20  # rows of the standings on the tournament's own page
ROWS = 100

MOVES: Final[Mapping[str, Callable[..., Tournament]]] = {
    Move.OPEN: tournaments.open_entry,
    Move.START: tournaments.start,
    Move.PAUSE: tournaments.pause,
    Move.RESUME: tournaments.resume,
    Move.FINISH: finishing.ask,
    Move.CANCEL: tournaments.cancel,
}
"""What an organizer's buttons do."""
FOR_GOOD: Final = (Move.FINISH, Move.CANCEL)


@blp.get("/tournaments/<ulid:tournament_id>")
@page()
def tournament(visit: Visit, tournament_id: str) -> str:
    """Its settings, its rounds, and who leads; what the visitor may do now."""
    who = visit.session, visit.actor, tournament_id
    found = tournaments.find(*who)
    return visit.show(
        "tournament.html",
        tournament=found,
        entries=entries.search(*who, None, ROWS),
        rounds=rounds.search(*who, None, ROWS),
        standings=standings.rows(*who, None, LEADERS),
        moves=_moves(visit, found),
        agents=_agents(visit, found),
        absent=_absent(visit, found),
        check_in_opens_at=attendance.check_in_opens_at(found),
        ruled=bool(rulings.search(*who, None, 1).items or appeals.search(*who, None, 1).items),
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


@blp.get("/tournaments/<ulid:tournament_id>/rounds/<int(min=1, max=1000000):number>")
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
        void=uncounted.at_tables(*who, number, [table["number"] for table in found.items]),
        more=places.following(found),
    )


@blp.post("/tournaments/<ulid:tournament_id>/entries")
@action("entries:write")
def enter(visit: Visit, tournament_id: str) -> Response:
    """Enter an agent of one's own."""
    agent_id = forms.read("agent_id")["agent_id"]
    if re.fullmatch(ULID, agent_id) is None:
        raise Invalid([("/agent_id", "form", "Choose one of your agents.")])
    entries.enter_agent(visit.session, visit.actor, tournament_id, agent_id)
    return redirect(f"/tournaments/{tournament_id}", 303)


@blp.post("/entries/<ulid:entry_id>/check-in")
@action("entries:write")
def check_in(visit: Visit, entry_id: str) -> Response:
    """Say that an entry of one's own is there."""
    forms.read()
    entry = attendance.check_in(visit.session, visit.actor, entry_id)
    return redirect(f"/tournaments/{entry.tournament_id}", 303)


@blp.post(f"/tournaments/<ulid:tournament_id>/<any({', '.join(MOVES)}):move>")
@action("tournaments:write")
def move_tournament(visit: Visit, tournament_id: str, move: str) -> Response:
    """What its organizer has decided; there is no way back from an end, so that asks."""
    forms.read(forms.SURE)
    if move in FOR_GOOD:
        forms.require_sure()
    MOVES[move](visit.session, visit.actor, tournament_id)
    return redirect(f"/tournaments/{tournament_id}", 303)


def _absent(visit: Visit, found: Tournament) -> list[Any]:
    """The visitor's entries that should check in now."""
    if not visit.actor.may("entries:write"):
        return []
    return attendance.may_check_in(visit.session, visit.actor, found)


def _moves(visit: Visit, found: Tournament) -> list[str]:
    """The buttons of an organizer, as the tournament is now."""
    if not (visit.actor.may("tournaments:write") and visit.actor.owns(found.organizer_id)):
        return []
    return [move for move in MOVES if found.status in lifecycle.MOVES[Move(move)]]


def _agents(visit: Visit, found: Tournament) -> list[Any]:
    """The agents that the visitor could enter now."""
    if found.status not in lifecycle.MOVES[Move.ENTER] or not visit.actor.may("entries:write"):
        return []
    own = agents.search(visit.session, visit.actor, None, ROWS, status=AgentStatus.ACTIVE)
    return list(own.items)
