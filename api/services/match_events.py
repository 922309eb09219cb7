"""What there is to tell of a tournament's matches, from their seats to their points.

Nobody follows a practice match, so nothing is told of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from baohuang.engine.commentary import Saying

from ..models import UNFINISHED, Entry, EventView, Match, Round, Table, Tournament
from . import pseudonyms, shared_cards
from .events import Telling, tell_all
from .match_log import RecordedMatch, SeatFault
from .seat_plans import SeatPlan
from .seating import Seated, changed_versions


class Claimed(Protocol):
    """A match that a worker has just taken (matches.Claim)."""

    @property
    def match_id(self) -> str: ...
    @property
    def epoch(self) -> int: ...
    @property
    def tournament_id(self) -> str | None: ...
    @property
    def round(self) -> int | None: ...
    @property
    def table(self) -> int | None: ...
    @property
    def deals(self) -> int: ...
    @property
    def seats(self) -> Sequence[SeatPlan]: ...


def seated(session: Session, opened: Round, made: Sequence[Seated]) -> None:
    """A new round is there; its matches and who sits where, table 1 first."""
    of_tournament = Entry.tournament_id == opened.tournament_id
    rows = session.execute(select(Entry.id, Entry.name).where(of_tournament))
    names = {row.id: row.name for row in rows}
    hidden = pseudonyms.hides(session.get_one(Tournament, opened.tournament_id))
    told = {"round": opened.number, "tables": len({each.table for each in made})}
    tellings = [Telling("round.opened", {**told, "byes": opened.byes, "out": opened.out})]
    for each in made:
        seats = [{"entry_id": entry, "name": names[entry]} for entry in each.seats]
        seats = pseudonyms.masked(seats) if hidden else seats
        place = {"round": opened.number, "table": each.table}
        tellings.append(Telling("match.seated", {**place, "seats": seats}, each.match_id))
    tellings += [
        Telling("entry.version", {**changed, "round": opened.number})
        for changed in changed_versions(session, opened)
    ]
    tell_all(session, opened.tournament_id, tellings)


def claimed(session: Session, claim: Claimed) -> None:
    """A worker plays it: the first one, or one after another."""
    if claim.tournament_id is None:
        return
    place = {"round": claim.round, "table": claim.table}
    kind, more = "match.started", {"deals": claim.deals}
    if claim.epoch > 1:
        kind, more = "match.taken_over", {"epoch": claim.epoch}
    tellings = [Telling(kind, place | more, claim.match_id)]
    stand_ins = [
        {"seat": seat, "entry_id": plan.entry_id, "house_bot": plan.house_bot}
        for seat, plan in enumerate(claim.seats)
        if plan.stand_in
    ]
    if stand_ins and claim.epoch == 1:
        # everybody knows who has just withdrawn, so not even the seat is told
        hidden = pseudonyms.hides(session.get_one(Tournament, claim.tournament_id))
        view = EventView.AFTER if hidden else None
        tellings.append(Telling("match.stand_ins", {"seats": stand_ins}, claim.match_id, view))
    tell_all(session, claim.tournament_id, tellings)


def played(
    session: Session, match_id: str, sayings: Sequence[Saying], faults: Sequence[SeatFault]
) -> None:
    """What spectators hear of a block; who had which fault is told after the tournament.

    While another table has yet to play the same cards, the play waits for the reveal as well: each
    card that is laid here tells of a hand there.
    """
    view = EventView.AFTER if sayings and _shared_board(session, match_id) else None
    tellings = [Telling(saying.kind, saying.facts, match_id, view) for saying in sayings]
    if faults:
        shown = [
            {"seat": f.seat, "kind": f.kind, "charged_to": f.charged_to, "ms": f.ms} for f in faults
        ]
        tellings.append(Telling("match.faults", {"faults": shown}, match_id))
    if tellings:
        _tell(session, match_id, tellings)


def interrupted(session: Session, match_id: str) -> None:
    """Its worker gave it back."""
    _tell(session, match_id, [Telling("match.interrupted", match_id=match_id)])


def attempt_failed(session: Session, match_id: str, attempts: int, error: str) -> None:
    """A worker could not go on with it."""
    told = {"attempts": attempts, "error": error}
    _tell(session, match_id, [Telling("match.attempt_failed", told, match_id)])


def failed(session: Session, match_id: str, error: str) -> None:
    """It is not tried again."""
    _tell(session, match_id, [Telling("match.failed", {"error": error}, match_id)], place=True)


def finished(session: Session, match_id: str, match: RecordedMatch) -> None:
    """It is over: points and penalties by seat, unless others have yet to play the same cards."""
    scores = [deal["scores"] for deal in match.deals_done]
    points = [sum(by_seat) for by_seat in zip(*scores, strict=True)]
    told: dict[str, Any] = {"points": points, "penalties": list(match.penalties)}
    if _kept_back(session, match_id):
        told = dict.fromkeys(told)
    _tell(session, match_id, [Telling("match.finished", told, match_id)], place=True)


def _tell(
    session: Session, match_id: str, tellings: Sequence[Telling], *, place: bool = False
) -> None:
    """Tell something of a match, with the numbers of round and table if `place` says so."""
    tournament_id = session.scalar(select(Match.tournament_id).where(Match.id == match_id))
    if tournament_id is None:
        return
    where = _place(session, match_id) if place else {}
    tell_all(
        session,
        tournament_id,
        [replace(each, payload={**where, **each.payload}) for each in tellings],
    )


def _kept_back(session: Session, match_id: str) -> bool:
    tournament_id = session.scalar(select(Match.tournament_id).where(Match.id == match_id))
    if tournament_id is None or not _shared_board(session, match_id):
        return False
    return shared_cards.shares(session.get_one(Tournament, tournament_id))


def _shared_board(session: Session, match_id: str) -> bool:
    other = aliased(Match)
    twin = select(other.id).where(
        Match.id == match_id,
        other.tournament_id == Match.tournament_id,
        other.board == Match.board,
        other.id != match_id,
        other.status.in_(UNFINISHED),
    )
    return session.scalar(twin.limit(1)) is not None


def _place(session: Session, match_id: str) -> dict[str, int]:
    row = session.execute(
        select(Round.number.label("round"), Table.number.label("table"))
        .select_from(Match)
        .join(Round, Round.id == Match.round_id)
        .join(Table, Table.id == Match.table_id)
        .where(Match.id == match_id)
    ).one()
    return dict(row._mapping)
