"""What a ruling is made of: what was asked for, and the tournament that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from ..errors import Invalid
from ..models import Entry, Ruling, RulingKind, Tournament


@dataclass(frozen=True)
class Ask:
    """A ruling as it is asked for; each kind wants its own fields (schemas/rulings.py)."""

    kind: RulingKind
    reason: str
    match_id: str | None = None
    entry_id: str | None = None
    round: int | None = None
    points: int | None = None
    ruling_id: str | None = None
    tables: Sequence[Sequence[str]] = ()
    byes: Sequence[str] | None = None
    others: str = "bye"


@dataclass(frozen=True)
class Case:
    """A ruling in the making; its tournament is locked."""

    session: Session
    tournament: Tournament
    ruling: Ruling

    def entry(self, ask: Ask) -> Entry:
        """The entry that is asked about; raises `Invalid`."""
        found = None if ask.entry_id is None else self.session.get(Entry, ask.entry_id)
        if found is None or found.tournament_id != self.tournament.id:
            raise refuse("/entry_id", "There is no such entry in this tournament.")
        self.ruling.entry_id = found.id
        return found


def refuse(pointer: str, detail: str, code: str = "unknown") -> Invalid:
    """The error for a field that does not fit the tournament."""
    return Invalid([(pointer, code, detail)])
