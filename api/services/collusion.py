"""Whether entries of a tournament help each other, for those who judge it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import collusion
from baohuang.engine.tournament.deals import of_results

from ..figures import Figures, figured
from ..models import Agent, Entry
from . import history
from .arbiters import require_arbiter
from .lifecycle import visible
from .principal import Principal

SHOWN = 50  # pairs in a report


def tag(session: Session, actor: Principal, tournament_id: str) -> str:
    """What changes whenever the report does. Raises `NotFound`, `Forbidden`."""
    tournament = visible(session, actor, tournament_id)
    require_arbiter(actor, tournament)
    return f"{tournament.version}.{tournament.results_count}"


def report(
    session: Session, actor: Principal, tournament_id: str, figures: Figures | None = None
) -> dict[str, Any]:
    """The most striking pairs among all that could be tested; annulled matches do not count."""
    key = ("collusion", tournament_id, tag(session, actor, tournament_id))
    matches = visible(session, actor, tournament_id).results_count
    return figured(figures, matches, key, lambda: _report(session, tournament_id), lambda _: SHOWN)


def _report(session: Session, tournament_id: str) -> dict[str, Any]:
    known = history.played(session, tournament_id, hands=True)
    house = {result.entry for result in known if result.house}
    found = collusion.examine(of_results(r for r in known if not r.stand_in), house)
    entries = _entries(session, tournament_id)
    return {
        "level": collusion.LEVEL,
        "least_boards": collusion.LEAST,
        "boards": found.boards,
        "hands": found.rows,
        "compared_hands": found.compared,
        "tested": len(found.pairs),
        "untested": found.untested,
        "suspicious": sum(pair.suspicious for pair in found.pairs),
        "pairs": [_shown(pair, entries) for pair in found.pairs[:SHOWN]],
    }


def _entries(session: Session, tournament_id: str) -> dict[str, Any]:
    rows = session.execute(
        select(Entry.id, Entry.name, Agent.owner_id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .where(Entry.tournament_id == tournament_id)
    )
    return {row.id: row for row in rows}


def _shown(pair: collusion.Pair, entries: Mapping[str, Any]) -> dict[str, Any]:
    helper, helped = entries[pair.helper], entries[pair.helped]
    return {
        "helper": {"entry_id": helper.id, "name": helper.name},
        "helped": {"entry_id": helped.id, "name": helped.name},
        "same_owner": helper.owner_id is not None and helper.owner_id == helped.owner_id,
        "suspicious": pair.suspicious,
        "together": pair.together,
        "helper_apart": pair.apart[0],
        "helped_apart": pair.apart[1],
        "help": round(pair.help, 4),
        "gain": round(pair.gain, 4),
        "cost": round(pair.cost, 4),
        "error": round(pair.error, 4),
        "t": round(pair.t, 3),
        "freedom": round(pair.freedom, 1),
        "chance": pair.chance,
        "adjusted_chance": pair.adjusted,
    }
