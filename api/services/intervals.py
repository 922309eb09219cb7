"""How sure standings are: each entry's interval, chance of coming first and likely ranks.

Resampling takes seconds in a big field, so nobody waits for it: closing a round and ruling ask for
it, a timer works it out and stores it, and the standings' page reads it. The draw's key is no
secret, so that anybody gets the same numbers from the archive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from baohuang.engine.draw import Draw
from baohuang.engine.tournament import luck
from baohuang.engine.tournament.confidence import Confidence, confidence
from baohuang.engine.tournament.results import Result
from baohuang.engine.tournament.scheme import State

from ..models import Interval, Match, Round, RoundStatus, Tournament
from . import formats, history, standing_texts
from .rows import lock_row

STEPS = 5_000_000  # of resampling: a second or two
SAMPLES = (200, 1000)
BY_DEAL = 50_000  # hands; beyond that whole matches are resampled


@dataclass(frozen=True)
class Worked:
    """Intervals as of a round, and which demand for them this answers."""

    tournament_id: str
    due: int
    as_of: int
    rows: tuple[Mapping[str, Any], ...]


def ask(tournament: Tournament) -> None:
    """There is cause to make them anew; the tournament is locked."""
    tournament.intervals_due += 1


def ask_for_late(session: Session, tournament: Tournament, match_id: str) -> None:
    """A match has finished: that is cause if its round had closed (a ruled replay)."""
    late = (
        select(Match.id)
        .join(Round, Round.id == Match.round_id)
        .where(Match.id == match_id, Round.status == RoundStatus.FINISHED)
    )
    if session.scalar(late) is not None:
        ask(tournament)


def due(session: Session) -> list[str]:
    """Ids of the tournaments whose stored intervals are old."""
    query = select(Tournament.id).where(Tournament.intervals_due != Tournament.intervals_done)
    return list(session.scalars(query.order_by(Tournament.id)))


def work_out(session: Session, tournament_id: str) -> Worked:
    """The intervals by all rounds that are closed. Reads only, and takes its time."""
    tournament = session.get_one(Tournament, tournament_id)
    as_of = closed(session, tournament_id)
    state = history.state(session, tournament, as_of=as_of)
    played = history.played(session, tournament_id, as_of, hands=True)
    mine = [result for result in played if not result.stand_in and result.hands]
    by_deal = sum(len(result.hands) for result in mine) <= BY_DEAL
    units = luck.units(played, tournament.scoring, by_deal=by_deal)
    made = confidence(
        units,
        Draw(sha256(f"intervals-v1/{tournament_id}/{as_of}".encode()).digest(), "intervals"),
        house={*history.field(session, tournament_id).house, *_disqualified(state)},
        fixed=_fixed(state, mine),
        samples=min(max(STEPS // max(len(units), 1), SAMPLES[0]), SAMPLES[1]),
    )
    deals, ranked = _deals(mine), _points_decide(tournament, state)
    rows = tuple(_row(made[x], deals[x], ranked=ranked) for x in sorted(made))
    return Worked(tournament_id, tournament.intervals_due, as_of, rows)


def _disqualified(state: State) -> set[str]:
    return {entrant.id for entrant in state.entrants if entrant.disqualified}


def store(session: Session, worked: Worked) -> None:
    """Keep what was worked out; a later demand stays open."""
    tournament = lock_row(session, Tournament, worked.tournament_id)
    if worked.due < tournament.intervals_done:
        return
    of = {"tournament_id": worked.tournament_id, "as_of": worked.as_of}
    session.execute(delete(Interval).where(Interval.tournament_id == worked.tournament_id))
    sure = {row["entry_id"]: {**of, **row} for row in worked.rows}
    if sure:
        session.execute(insert(Interval), list(sure.values()))
    standing_texts.renew(session, worked.tournament_id, sure)
    tournament.intervals_done = worked.due


def closed(session: Session, tournament_id: str) -> int:
    """The number of the last round that is closed, 0 before."""
    query = select(func.max(Round.number)).where(
        Round.tournament_id == tournament_id, Round.status == RoundStatus.FINISHED
    )
    return session.scalar(query) or 0


def of_entries(
    session: Session, tournament_id: str, entries: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """entry id -> its stored interval."""
    rows = session.execute(
        select(*Interval.__table__.columns).where(
            Interval.tournament_id == tournament_id, Interval.entry_id.in_(entries)
        )
    )
    return {row.entry_id: dict(row._mapping) for row in rows}


def _deals(results: Sequence[Result]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for result in results:
        counts[result.entry] = counts.get(result.entry, 0) + len(result.hands)
    return counts


def _points_decide(tournament: Tournament, state: State) -> bool:
    """Whether nothing of the format ranks before points (as a knockout's stages do)."""
    return not formats.scheme(tournament)[0].progress(state)


def _fixed(state: State, mine: Sequence[Result]) -> dict[str, float]:
    """Penalties and rulings, by entry."""
    more: dict[str, float] = {}
    for entry, points in (
        *((r.entry, r.penalty) for r in mine),
        *((a.entry, a.points) for a in state.adjustments),
    ):
        more[entry] = more.get(entry, 0.0) + points
    return more


def _row(made: Confidence, deals: int, *, ranked: bool) -> dict[str, Any]:
    """For storing: by deal, whatever the units were."""
    scale = made.deals / deals
    has_rank = ranked and made.rank_low > 0
    return {
        "entry_id": made.entry,
        "deals": deals,
        "mean": made.mean * scale,
        "low": made.low * scale,
        "high": made.high * scale,
        "first": made.first if has_rank else None,
        "rank_low": made.rank_low if has_rank else None,
        "rank_high": made.rank_high if has_rank else None,
    }
