"""The life of a match: claimed, kept, checkpointed, finished - each by whoever holds its epoch.

A queue job is a nudge and may come twice or never; what counts is the match's row. `epoch` rises
with every claim and guards every later write, so a worker that was taken for dead writes nothing.
Where the tournament's row is locked as well it is locked first, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, literal, or_, select, update
from sqlalchemy.orm import Session, aliased

from baohuang.engine.commentary import Saying
from baohuang.engine.rules import RuleSet
from baohuang.engine.tournament.par import Model, Worth

from ..models import Agent, Match, MatchStatus, Table, Tournament, TournamentStatus, utc_now
from ..remote.faults import ChargedTo
from ..remote.table import SeatClock
from ..vault import Vault
from . import agent_health, endings, intervals, match_events, match_log
from .clock import now_seconds
from .lifecycle import Move, make
from .match_hold import Held, hold, tournament_runs
from .match_log import LogEntry, RecordedMatch, SeatCall, SeatFault, SeatFurther
from .match_terms import place, terms
from .own_seats import agents_at
from .rows import lock_row
from .seat_plans import SeatPlan

__all__ = [
    "Claim",
    "Held",
    "LogEntry",
    "RecordedMatch",
    "SeatCall",
    "SeatFault",
    "SeatFurther",
    "SeatPlan",
    "checkpoint",
    "claim",
    "fail",
    "fail_claim",
    "finish",
    "pending",
    "release",
    "renew",
]

MAX_ATTEMPTS = 5
ERROR_CHARS = 400
OWNER_CHARS = 80
PRACTICE_RANK = 20  # among the tables of tournaments: behind the twentieth of each
AT_A_TABLE = 5  # matches of one table that are played at once, where it has several


@dataclass(frozen=True)
class Claim:
    """A match that is the caller's to play until the lease runs out.

    `log` is what earlier workers stored: those decisions are not asked again. `clocks` of seats and
    `charges` of faults (by place in the log) are as those workers left them.
    """

    match_id: str
    epoch: int
    tournament_id: str | None
    round: int | None
    table: int | None
    rules: RuleSet
    key: bytes = field(repr=False)
    deals: int
    budget_ms: int
    bank_ms: int
    log: tuple[LogEntry, ...] = field(repr=False)
    seats: tuple[SeatPlan, ...]
    clocks: Mapping[int, SeatClock] = field(default_factory=dict)
    charges: Mapping[int, ChargedTo] = field(default_factory=dict)
    par: Model | None = None


def claim(
    session: Session, vault: Vault, match_id: str, owner: str, lease_s: float
) -> Claim | None:
    """Take a match that is queued, or whose worker's lease ran out; None if there is no such.

    One statement decides, by the database's clock, so of several claimers one gets it. Its agents
    are as they are at the commit.
    """
    taken = session.execute(
        update(Match)
        .where(Match.id == match_id, _free(), _has_turn(), tournament_runs())
        .values(
            status=MatchStatus.RUNNING,
            epoch=Match.epoch + 1,
            owner=owner[:OWNER_CHARS],
            lease_until=now_seconds() + lease_s,
            started_at=func.coalesce(Match.started_at, literal(utc_now(), Match.started_at.type)),
            version=Match.version + 1,
        )
        .returning(Match.epoch, Match.deals)
        .execution_options(synchronize_session=False)
    ).one_or_none()
    if taken is None:
        return None
    _hold_agents(session, match_id)
    claimed = _claimed(session, vault, match_id, taken)
    match_events.claimed(session, claimed)
    return claimed


def _hold_agents(session: Session, match_id: str) -> None:
    """Wait for who changes one of its agents just now, and let nobody begin to before the commit.

    Else what is read of them could be old, and whoever changed it not see the match that he is to
    recall (reclaim.py). One after the other by id, after the match, as everybody does.
    """
    agents = set(agents_at(session, match_id).values())
    if agents:
        theirs = select(Agent.id).where(Agent.id.in_(agents)).order_by(Agent.id)
        session.scalars(theirs.with_for_update(read=True)).all()


def _claimed(session: Session, vault: Vault, match_id: str, taken: Any) -> Claim:
    on = terms(session, vault, match_id)
    return Claim(
        match_id=match_id,
        epoch=taken.epoch,
        tournament_id=on.tournament_id,
        round=on.round,
        table=on.table,
        rules=on.rules,
        key=on.key,
        deals=taken.deals,
        budget_ms=on.budget_ms,
        bank_ms=on.bank_ms,
        log=match_log.load(session, match_id),
        seats=on.seats,
        clocks=match_log.clocks(session, match_id),
        charges=match_log.charges(session, match_id),
        par=on.par,
    )


def renew(session: Session, match_id: str, epoch: int, lease_s: float) -> bool:
    """Keep a match for another `lease_s` seconds; False: it is no longer yours, stop."""
    return hold(session, match_id, epoch, lease_s) is not Held.LOST


def checkpoint(
    session: Session,
    match_id: str,
    epoch: int,
    start_seq: int,
    log_entries: Sequence[LogEntry],
    faults: Sequence[SeatFault],
    lease_s: float,
    sayings: Sequence[Saying] = (),
    calls: Sequence[SeatCall] = (),
    further: Sequence[SeatFurther] = (),
) -> Held:
    """Store a block of the log that begins at place `start_seq`, and keep the match.

    `sayings` is what spectators may hear of the match since the block before.

    `Held.LOST`: stop. Either the epoch is stale and nothing was written, or the tournament no
    longer runs: then the block is stored and the match is queued again for when it does.
    `Held.RECALLED`: ask nobody anything more, and `release` it; it is held until then.
    """
    held = hold(session, match_id, epoch, lease_s)
    if held is Held.LOST:
        return held
    match_log.store(session, match_id, epoch, start_seq, log_entries, calls)
    match_log.store_faults(session, match_id, faults)
    match_log.store_further(session, match_id, further)
    match_events.played(session, match_id, sayings, faults)
    if held is Held.PAUSED:
        release(session, match_id, epoch)
        return Held.LOST
    return held


def finish(
    session: Session,
    match_id: str,
    epoch: int,
    match: RecordedMatch,
    tail: Sequence[LogEntry],
    faults: Sequence[SeatFault],
    sayings: Sequence[Saying] = (),
    calls: Sequence[SeatCall] = (),
    par: Worth | None = None,
    further: Sequence[SeatFurther] = (),
) -> bool:
    """Store a match that is over: the rest of its log, its record, a tournament's results - once.

    par: what the hands are worth, where the claim had a model of it.

    False, and nothing written, for a stale epoch or a match that is finished already.
    """
    tournament = _lock_tournament(session, match_id)
    done: dict[str, Any] = {
        "status": MatchStatus.FINISHED,
        "finished_at": utc_now(),
        "lease_until": None,
        "error": None,
        "record": match.record(match_log.names(session, match_id), match=match_id),
    }
    if not _write(session, match_id, epoch, **done):
        return False
    match_log.store(session, match_id, epoch, len(match.log) - len(tail), tail, calls)
    match_log.store_faults(session, match_id, faults)
    match_log.store_further(session, match_id, further)
    if tournament is not None:
        _tell_of_health(session, match_id, match)
        match_log.store_results(session, match_id, match, par)
        tournament.results_count += 1
        intervals.ask_for_late(session, tournament, match_id)
    match_events.played(session, match_id, sayings, faults)
    match_events.finished(session, match_id, match)
    if tournament is not None:
        endings.replan(session, tournament)
    return True


def _tell_of_health(session: Session, match_id: str, match: RecordedMatch) -> None:
    """Practice is for failing in: it has no consequence, whoever set it up."""
    agents = agents_at(session, match_id)
    left = {agent for seat, agent in agents.items() if match.penalties[seat]}
    agent_health.after_match(session, match_id, left, set(agents.values()) - left)


def release(session: Session, match_id: str, epoch: int) -> None:
    """Give a match back (a pause, a worker that shuts down); its decisions are kept."""
    free: dict[str, Any] = {"status": MatchStatus.QUEUED, "owner": None, "lease_until": None}
    if _write(session, match_id, epoch, **free):
        match_events.interrupted(session, match_id)


def fail(session: Session, match_id: str, epoch: int, error: str) -> None:
    """A worker could not go on with a match. After `MAX_ATTEMPTS` it is shown, not retried.

    Then its tournament needs attention, and `error` is its reason: it must hold no secret.
    """
    if _failed(session, match_id, error, *_held(epoch)):
        release(session, match_id, epoch)


def fail_claim(session: Session, match_id: str, error: str) -> None:
    """A worker could not even claim a match. It counts the same, and the match stays as it is.

    Not if somebody else could meanwhile.
    """
    _failed(session, match_id, error, _free(), tournament_runs())


def _failed(session: Session, match_id: str, error: str, *which: ColumnElement[bool]) -> bool:
    """Count an attempt at a match, if it is still as `which` says; whether more are to follow."""
    tournament = _lock_tournament(session, match_id)
    note = error[:ERROR_CHARS]
    broken: dict[str, Any] = {"attempts": Match.attempts + 1, "error": note}
    if not _change(session, match_id, *which, **broken):
        return False
    attempts = session.scalar(select(Match.attempts).where(Match.id == match_id)) or 0
    match_events.attempt_failed(session, match_id, attempts, note)
    if attempts < MAX_ATTEMPTS:
        return True
    _change(session, match_id, status=MatchStatus.FAILED, owner=None, lease_until=None)
    match_events.failed(session, match_id, note)
    if tournament is not None:
        at = place(session, match_id)
        reason = f"Round {at.round}, table {at.table} cannot be played: {note}"
        make(session, tournament, Move.ALERT, reason)
    return False


def lease_left(session: Session, match_id: str) -> float | None:
    """Seconds until a match that is being played may be taken over; None if it is not played."""
    left = select(Match.lease_until - now_seconds())
    return session.scalar(
        left.where(Match.id == match_id, Match.status == MatchStatus.RUNNING, tournament_runs())
    )


def pending(session: Session, limit: int) -> list[tuple[str, int]]:
    """(match id, priority) of what waits for a worker, the most urgent first.

    Priority is minus the match's rank in its round: the k-th table of every tournament comes
    before the next one of any, so a small tournament is not stuck behind a big one.
    """
    return _nudges(session, _pending().limit(limit))


def of_round(session: Session, match_ids: Sequence[str]) -> list[tuple[str, int]]:
    """The same, of matches that have just been made."""
    return _nudges(session, _pending().where(Match.id.in_(match_ids)))


def next_at_table(session: Session, match_id: str) -> list[tuple[str, int]]:
    """The same, of the table's other matches, whose turn may have come with the end of this one."""
    table = select(Match.table_id).where(Match.id == match_id).scalar_subquery()
    return _nudges(session, _pending().where(Match.table_id == table))


def _pending() -> Select[str, int]:
    rank = func.coalesce(Table.number, PRACTICE_RANK)
    return (
        select(Match.id, rank.label("rank"))
        .outerjoin(Table, Table.id == Match.table_id)
        .outerjoin(Tournament, Tournament.id == Match.tournament_id)
        .where(_free(), _has_turn(), or_(Match.tournament_id.is_(None), _RUNS))
        .order_by(rank, Match.id)
    )


def _nudges(session: Session, query: Select[str, int]) -> list[tuple[str, int]]:
    return [(match_id, -rank) for match_id, rank in session.execute(query)]


_RUNS = Tournament.status == TournamentStatus.RUNNING


def _free() -> ColumnElement[bool]:
    """Nobody plays it: queued, or its worker let the lease run out."""
    dead = and_(Match.status == MatchStatus.RUNNING, Match.lease_until < now_seconds())
    return or_(Match.status == MatchStatus.QUEUED, dead)


def _has_turn() -> ColumnElement[bool]:
    """Whether few enough of its table's matches are to be played before it.

    An agent gets so many questions at once at most, and the first one in line always has its turn.
    """
    other = aliased(Match)
    before = (
        select(func.count())
        .where(
            other.table_id == Match.table_id,
            other.id < Match.id,
            other.status.in_((MatchStatus.QUEUED, MatchStatus.RUNNING)),
        )
        .correlate(Match)
        .scalar_subquery()
    )
    return before < AT_A_TABLE


def _write(session: Session, match_id: str, epoch: int, **values: object) -> bool:
    """Change a match that is running under this epoch; False if it is not."""
    return _change(session, match_id, *_held(epoch), **values)


def _held(epoch: int) -> tuple[ColumnElement[bool], ...]:
    return Match.epoch == epoch, Match.status == MatchStatus.RUNNING


def _change(session: Session, match_id: str, *which: ColumnElement[bool], **values: object) -> bool:
    statement = (
        update(Match)
        .where(Match.id == match_id, *which)
        .values(version=Match.version + 1, **values)
        .returning(Match.id)
        .execution_options(synchronize_session=False)
    )
    return session.execute(statement).first() is not None


def _lock_tournament(session: Session, match_id: str) -> Tournament | None:
    """The match's tournament, locked; None if it belongs to none."""
    tournament_id = session.scalar(select(Match.tournament_id).where(Match.id == match_id))
    return None if tournament_id is None else lock_row(session, Tournament, tournament_id)
