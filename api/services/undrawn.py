"""A round to be drawn: all that is looked at for it, read first; to draw it needs no database.

So a big field can be seated while nothing is locked, and a ruling's seating be told after the
ruling was rolled back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from baohuang.engine.tournament import by_hand, plan
from baohuang.engine.tournament.checker import sense
from baohuang.engine.tournament.scheme import (
    Decision,
    Finished,
    NeedsAttention,
    Scheme,
    Seated,
    State,
)

from ..models import Tournament
from ..vault import Vault
from . import formats, history, overlay
from .rows import get_row

DESERTED = "Every agent has withdrawn."
RETIRED = "Every agent has withdrawn or is retired."
NOBODY_PLAYS = "no agent is active, stand-ins alone would play on and on"


@dataclass(frozen=True)
class Drawn:
    """A round worked out in advance: good as long as the tournament is still at `version`."""

    number: int
    version: int
    decision: Decision


@dataclass(frozen=True)
class Undrawn:
    """`foregone`: what comes instead of any round; `ruled`: how it is seated by hand, if it is."""

    state: State
    version: int
    scheme: Scheme
    foregone: Decision | None
    ruled: Mapping[str, Any] | None

    def drawn(self) -> Drawn:
        """Draw it. Some fields take seconds to seat well."""
        return Drawn(self.state.number, self.version, self.foregone or self._decision())

    def _decision(self) -> Decision:
        decision = self.scheme.next_round(self.state)
        return decision if self.ruled is None else _seated_by_hand(self.state, decision, self.ruled)


def undrawn(
    session: Session, vault: Vault, tournament_id: str, past: history.Past | None = None
) -> Undrawn:
    """The next round of a tournament; reads only. `past` spares most of the reading."""
    tournament = get_row(session, Tournament, tournament_id)
    state = history.drawing_state(session, vault, tournament, past)
    ruled = overlay.seating(session, tournament_id, state.number)
    foregone = _foregone(session, tournament, seated=ruled is not None)
    scheme = formats.scheme(tournament)[0]
    return Undrawn(state, tournament.version, scheme, foregone, ruled)


def _foregone(session: Session, tournament: Tournament, *, seated: bool) -> Decision | None:
    if history.deserted(session, tournament.id):
        return Finished(RETIRED if history.nobody_plays(session, tournament.id) else DESERTED)
    endless = formats.last_round(tournament) is None
    if endless and not seated and history.nobody_plays(session, tournament.id):
        return NeedsAttention(NOBODY_PLAYS)
    return None


def _seated_by_hand(state: State, decision: Decision, ruled: Mapping[str, Any]) -> Decision:
    """A ruling's tables, if they still fit: entries may have come and gone since.

    The format's schedule goes on as if it had drawn the round.
    """
    tables = tuple(tuple(table) for table in ruled["tables"])
    if ruled.get("others") == "drawn":
        return by_hand.put_in(state, decision, tables)
    course = decision.course if isinstance(decision, Seated) else state.course
    round_ = plan.Round(state.number, tables, tuple(ruled["byes"]), tuple(ruled["out"]))
    if wrong := list(sense(round_, state)):
        return NeedsAttention(f"the tables seated by hand do not fit: {'; '.join(wrong)}")
    return Seated(round_, course)
