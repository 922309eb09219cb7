"""Series of tournaments: kept by their organizer, each tournament made once, some time ahead.

What a series makes is an open tournament like any other; editing the series changes those that are
still to be made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, cast

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from ..access import ROLE_SCOPES
from ..errors import DomainError, Invalid, PreconditionFailed
from ..models import Account, Role, Series, SeriesStatus, Tournament, TournamentStatus, utc_now
from ..vault import Vault
from . import cron, tournament_settings, tournaments
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, lock_row, update_versioned
from .tournament_settings import Settings

NEXT_RUNS = 5
MOST_OPEN = 100
"""So many of a series' tournaments may wait for their start; the next is made when one begins."""
REASON_CHARS = 500

_WAITING = (TournamentStatus.DRAFT, TournamentStatus.OPEN)

Problem = tuple[str, str, str]


def search(
    session: Session, actor: Principal, after: tuple[object, ...] | None, limit: int
) -> Page[Series]:
    """The caller's series, the oldest first."""
    mine = select(Series).where(Series.organizer_id == actor.account_id)
    return page_of(session, mine, [Series.id], after, limit)


def find(session: Session, actor: Principal, series_id: str) -> Series:
    """A series of the caller's; `NotFound` for those of others."""
    found = get_row(session, Series, series_id)
    actor.require_owner(found.organizer_id, "series")
    return found


def create(session: Session, actor: Principal, values: Mapping[str, Any]) -> Series:
    """A series that begins to make tournaments at once. Raises `Invalid`."""
    _check(session, actor, values)
    series = Series(organizer_id=actor.account_id, **values)
    series.next_at = _next(series, utc_now())
    session.add(series)
    session.flush()
    return series


def change(
    session: Session, actor: Principal, series_id: str, version: int, values: Mapping[str, Any]
) -> Series:
    """Change what is still to be made. Raises `Invalid`, `PreconditionFailed`."""
    before = find(session, actor, series_id)
    kept = {name: getattr(before, name) for name in ("cron", "time_zone", "settings", "until")}
    _check(session, actor, {**kept, **values})
    found = update_versioned(session, Series, series_id, version, **values, status_reason=None)
    found.next_at = _next(found, utc_now())
    session.flush()
    return found


def remove(session: Session, actor: Principal, series_id: str, version: int) -> None:
    """Forget a series; its tournaments stay."""
    find(session, actor, series_id)
    lock_row(session, Series, series_id)  # or a tournament could be made of it meanwhile
    session.execute(
        update(Tournament)
        .where(Tournament.series_id == series_id)
        .values(series_id=None, series_start=None)
        .execution_options(synchronize_session=False)
    )
    gone = session.execute(
        delete(Series)
        .where(Series.id == series_id, Series.version == version)
        .returning(Series.id)
        .execution_options(synchronize_session=False)
    )
    if gone.first() is None:
        raise PreconditionFailed("The series was changed since you read it; read it again.")


def next_runs(series: Series, now: datetime) -> list[dict[str, Any]]:
    """When its next tournaments start, those that are made already left out."""
    if series.next_at is None or series.status != SeriesStatus.ACTIVE:
        return []
    after = max(now, series.next_at - timedelta(microseconds=1))
    found = islice(cron.moments(series.cron, series.time_zone, after), NEXT_RUNS)
    return [
        {"at": moment, "local": cron.shown(moment, series.time_zone)}
        for moment in found
        if series.until is None or moment <= series.until
    ]


def waiting(session: Session, series_ids: Sequence[str]) -> dict[str, int]:
    """How many tournaments of each series wait for their start."""
    query = (
        select(Tournament.series_id, func.count())
        .where(Tournament.series_id.in_(series_ids), Tournament.status.in_(_WAITING))
        .group_by(Tournament.series_id)
    )
    return dict.fromkeys(series_ids, 0) | {str(x): n for x, n in session.execute(query)}


def due(session: Session) -> list[tuple[str, datetime]]:
    """(series, start of the tournament) of all that are to be made by now."""
    made = select(func.count()).where(
        Tournament.series_id == Series.id, Tournament.status.in_(_WAITING)
    )
    active = select(Series.id, Series.next_at, Series.lead_s).where(
        Series.status == SeriesStatus.ACTIVE,
        Series.next_at.is_not(None),
        made.correlate(Series).scalar_subquery() < MOST_OPEN,
    )
    now = utc_now()
    return [
        (series_id, next_at)
        for series_id, next_at, lead_s in session.execute(active.order_by(Series.next_at))
        if next_at is not None and next_at - timedelta(seconds=lead_s) <= now
    ]


def make_next(session: Session, vault: Vault, series_id: str, start: datetime) -> str | None:
    """Make the tournament that starts at `start`, and open it; None if that is not to be.

    It is skipped when its time has passed. When it cannot be made the series pauses and says why.
    """
    series = lock_row(session, Series, series_id)
    if series.status != SeriesStatus.ACTIVE or series.next_at != start:
        return None
    series.next_at = _next(series, max(start, utc_now()))
    if start <= utc_now() or _is_made(session, series, start):
        return None
    try:
        with session.begin_nested():
            return _make(session, vault, series, start)
    except DomainError as error:
        series.status, series.version = SeriesStatus.PAUSED, series.version + 1
        series.status_reason = f"No tournament could be made: {error.detail}"[:REASON_CHARS]
        series.next_at = start
        return None


def _is_made(session: Session, series: Series, start: datetime) -> bool:
    """A change of the series can bring back a moment whose tournament is there already."""
    made = select(Tournament.id).where(
        Tournament.series_id == series.id, Tournament.series_start == start
    )
    return session.scalar(made) is not None


def _make(session: Session, vault: Vault, series: Series, start: datetime) -> str:
    owner = session.get_one(Account, series.organizer_id)
    role = Role(owner.role)
    actor = Principal(owner.id, role, ROLE_SCOPES[role], owner.name)
    actor.require("tournaments:write")
    local = cron.shown(start, series.time_zone)[:16].replace("T", " ")
    settings = {**series.settings, "name": f"{series.name} {local}", "starts_at": start}
    made = tournaments.create(session, vault, actor, cast(Settings, settings))
    made.series_id, made.series_start = series.id, start
    tournaments.open_entry(session, actor, made.id)
    return made.id


def _next(series: Series, after: datetime) -> datetime | None:
    """The first start after a moment, if it is before the end of the series."""
    found = next(cron.moments(series.cron, series.time_zone, after))
    return found if series.until is None or found <= series.until else None


def _check(session: Session, actor: Principal, values: Mapping[str, Any]) -> None:
    problems: list[Problem] = []
    try:
        cron.check_zone(values["time_zone"])
    except cron.CronError as error:
        problems.append(("/time_zone", "unknown", str(error)))
    try:
        cron.check(values["cron"], "UTC" if problems else values["time_zone"], utc_now())
    except cron.CronError as error:
        problems.append(("/cron", "cron", str(error)))
    try:
        settings = {**values["settings"], "starts_at": None}
        tournament_settings.columns(session, actor, cast(Settings, settings))
    except Invalid as refused:
        problems += [(f"/settings{e.pointer}", e.code, e.detail) for e in refused.errors]
    if problems:
        raise Invalid(problems)
