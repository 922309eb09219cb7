"""A ruling tried out: it is made, looked at and rolled back, so what is shown is what would be.

Only that needs a write transaction. What takes long is done outside of it: the past is read before,
standings and seats are worked out after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.tournament.scheme import Finished, NeedsAttention, Seated

from ..figures import SMALL, SMALL_FIELD
from ..models import Entry, Tournament
from ..vault import Vault
from . import formats, history, places, rulings, standings
from .arbiters import lock_judged, require_arbiter
from .lifecycle import visible
from .principal import Principal
from .ruling_case import Ask
from .undrawn import Undrawn, undrawn

Facts = dict[str, Any]


@dataclass(frozen=True)
class Known:
    """The past of a tournament, when it was at `version`."""

    version: int
    past: history.Past


@dataclass(frozen=True)
class Course:
    """What is to be told of a tournament at one moment, not worked out yet.

    `undrawn`: the round to come; None where there is none.
    """

    basis: standings.Basis
    number: int
    undrawn: Undrawn | None

    def ranked(self) -> dict[str, Facts]:
        """Position, rank, points and tie-breaks by entry."""
        made = [row.to_json() for row in self.basis.ranked()]
        kept = ("rank", "points", "tie_breaks")
        return {
            str(row["entry"]): {"position": place, **{name: row[name] for name in kept}}
            for place, row in enumerate(made, 1)
        }

    def seated(self) -> Facts | None:
        """The round to come as it would be drawn now."""
        if self.undrawn is None:
            return None
        match self.undrawn.drawn().decision:
            case Seated(drawn):
                tables, byes = [list(table) for table in drawn.tables], list(drawn.byes)
                return {"round": self.number, "tables": tables, "byes": byes, "cause": None}
            case Finished(cause) | NeedsAttention(cause):
                return {"round": self.number, "tables": [], "byes": [], "cause": cause}


@dataclass(frozen=True)
class Tried:
    """A tournament before a ruling and after it, and its entries' names."""

    before: Course
    after: Course
    names: Mapping[str, str]

    def differences(self) -> Facts:
        """`standings` rows that differ, and the coming `seating`. No transaction need be open.

        Seats of house bots that the ruling brought in are None: they left with it.
        """
        seats = self._known(self.before.seated()), self._known(self.after.seated())
        return {
            "standings": _differences(self.names, self.before.ranked(), self.after.ranked()),
            "seating": {"before": seats[0], "after": seats[1], "changed": seats[0] != seats[1]},
        }

    def _known(self, seated: Facts | None) -> Facts | None:
        if seated is None:
            return None
        tables = [[x if x in self.names else None for x in table] for table in seated["tables"]]
        return {**seated, "tables": tables}


def is_small(session: Session, actor: Principal, tournament_id: str) -> bool:
    """Whether it takes no time to work out standings and seats. Raises `NotFound`, `Forbidden`."""
    tournament = visible(session, actor, tournament_id)
    require_arbiter(actor, tournament)
    few = tournament.results_count <= SMALL
    return few and places.count(session, tournament_id) <= SMALL_FIELD


def past(session: Session, actor: Principal, tournament_id: str) -> Known:
    """What takes long to read, for a transaction that shall be short.

    Raises `NotFound`, `Forbidden`.
    """
    tournament = visible(session, actor, tournament_id)
    require_arbiter(actor, tournament)
    return Known(tournament.version, history.past_of(session, tournament))


def tried(
    session: Session,
    vault: Vault,
    actor: Principal,
    tournament_id: str,
    ask: Ask,
    known: Known | None = None,
) -> Tried:
    """Make a ruling, look at it, and roll it back. Raises what `rulings.make` raises.

    known: what `past` gave; read again if a round was drawn or something ruled since.
    """
    tournament = lock_judged(session, actor, tournament_id)
    if known is None or known.version != tournament.version:
        known = past(session, actor, tournament_id)
    before = _course(session, vault, tournament, known.past)
    savepoint = session.begin_nested()
    try:
        rulings.make(session, actor, tournament_id, ask)
        after = _course(session, vault, tournament, known.past)
    finally:
        savepoint.rollback()
    query = select(Entry.id, Entry.name).where(Entry.tournament_id == tournament_id)
    return Tried(before, after, {row.id: row.name for row in session.execute(query)})


def _course(session: Session, vault: Vault, tournament: Tournament, known: history.Past) -> Course:
    number = history.last_number(session, tournament.id) + 1
    total = formats.last_round(tournament)
    over = total is not None and number > total
    going_on = tournament.status in rulings.GOING_ON and not over
    return Course(
        standings.basis(session, tournament, past=known),
        number,
        undrawn(session, vault, tournament.id, known) if going_on else None,
    )


def _differences(
    names: Mapping[str, str], before: Mapping[str, Facts], after: Mapping[str, Facts]
) -> Sequence[Facts]:
    """Entries whose row is another one afterwards, in the order of the standings after it."""
    return [
        {"entry_id": entry, "name": names[entry], "before": before.get(entry), "after": row}
        for entry, row in after.items()
        if before.get(entry) != row
    ]
