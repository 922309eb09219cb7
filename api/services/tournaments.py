"""Tournaments as their organizers run them: create, edit, open, start, pause, resume, cancel.

What may happen when is the table of lifecycle.py. The server secret is drawn when the tournament is
created and its commitment is public from then on; it is shown when the last match has ended.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, or_, select, update
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.draw import commitment

from ..errors import Conflict
from ..models import (
    EventView,
    Match,
    MatchStatus,
    Round,
    RoundStatus,
    Tournament,
    TournamentStatus,
    utc_now,
)
from ..models.base import UtcDateTime
from ..vault import Vault
from . import (
    deadlines,
    formats,
    places,
    running_settings,
    standings,
    tournament_settings,
    trouble,
)
from .events import Telling, tell, tell_all
from .lifecycle import Move, lock_own, make, permit, public, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import lock_row, update_versioned
from .tournament_settings import Settings

SECRET_BYTES = 32

LISTED = (
    "id", "version", "created_at", "organizer_id", "name", "status", "status_reason", "format",
    "rounds", "deals", "capacity", "starts_at", "started_at", "finished_at", "next_round_at",
)  # fmt: skip
"""The columns that a list shows."""


_STARTS = func.coalesce(Tournament.started_at, Tournament.starts_at, type_=UtcDateTime())

_FILTERS: Mapping[str, Callable[[Any], ColumnElement[bool]]] = {
    "status": lambda value: Tournament.status == value,
    "organizer_id": lambda value: Tournament.organizer_id == value,
    "series_id": lambda value: Tournament.series_id == value,
    "name": lambda value: Tournament.name.icontains(value, autoescape=True),
    "rule_set": lambda value: Tournament.rules["preset"].as_string() == value,
    "format": lambda value: Tournament.format == value,
    "starts_after": lambda value: value <= _STARTS,
    "starts_before": lambda value: value > _STARTS,
    "created_after": lambda value: Tournament.created_at >= value,
    "created_before": lambda value: Tournament.created_at < value,
}


def search(
    session: Session,
    actor: Principal,
    after: tuple[object, ...] | None,
    limit: int,
    **wanted: Any,
) -> Page[Row[Any]]:
    """Tournaments that the caller may see, the newest first, without their rules.

    `wanted`: what `_FILTERS` knows; None asks for nothing.
    """
    columns = [getattr(Tournament, name) for name in LISTED]
    query: Select[Any] = select(Bundle("tournament", *columns)).where(
        or_(
            public(),
            Tournament.organizer_id == (actor.account_id if actor.may("tournaments:read") else ""),
        )
    )
    for name, value in wanted.items():
        if value is not None:
            query = query.where(_FILTERS[name](value))
    return page_of(session, query, [Tournament.id], after, limit, descending=True)


def find(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """One tournament; `NotFound` also for what is private to its organizer."""
    return visible(session, actor, tournament_id)


def revealed_secret(vault: Vault, tournament: Tournament) -> str | None:
    """The server secret in hex once no match can be played any more, else None."""
    return vault.open(tournament.secret).hex() if revealed(tournament.status) else None


REVEALED = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)


def revealed(status: str) -> bool:
    """Whether a tournament's secret and the keys of its matches are public."""
    return status in REVEALED


def create(session: Session, vault: Vault, actor: Principal, settings: Settings) -> Tournament:
    """A draft of the caller's own. Raises `Invalid`."""
    secret = secrets.token_bytes(SECRET_BYTES)
    tournament = Tournament(
        organizer_id=actor.account_id,
        secret=vault.seal(secret),
        commitment=commitment(secret),
        **tournament_settings.columns(session, actor, settings),
    )
    session.add(tournament)
    session.flush()
    tell(session, tournament.id, "tournament.created", {"name": tournament.name})
    return tournament


def update_settings(
    session: Session, actor: Principal, tournament_id: str, version: int, settings: Settings
) -> Tournament:
    """Change some settings (the rules: of a draft only; after the start: `running_settings`).

    Raises `PreconditionFailed` if `version` is no longer the current one.
    """
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.EDIT)
    running_settings.require_changeable(tournament, settings)
    columns = tournament_settings.columns(session, actor, settings, tournament)
    if "starts_at" in settings:
        columns["status_reason"] = None  # why it did not start before
    before = {x: getattr(tournament, x) for x in columns if getattr(tournament, x) != columns[x]}
    changed = update_versioned(session, Tournament, tournament_id, version, **columns)
    view = EventView.ARBITER if changed.status == TournamentStatus.DRAFT else None
    told = {"settings": sorted(settings)}
    tell(session, tournament_id, "tournament.changed", told, view=view)
    places.promote(session, changed)
    running_settings.take_effect(session, changed, before)
    return changed


def open_entry(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """Let entries in; from now on the rules are frozen. Raises `Conflict` if it is too late."""
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.OPEN)
    _require_time(tournament)
    make(session, tournament, Move.OPEN, name=tournament.name, commitment=tournament.commitment)
    return tournament


def _require_time(tournament: Tournament) -> None:
    """Nobody could enter any more, or would know that it starts."""
    if tournament.starts_at is not None and tournament.starts_at <= utc_now():
        raise Conflict(
            "Its time to start has passed; set another one, or none, before it opens.",
            code="start_passed",
            errors=[("/starts_at", "past", "The time has passed.")],
        )


def start(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """Close the entry, fill the free seats and let round 1 come. Raises `Conflict`."""
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.START)
    places.close_check_in(session, tournament)
    if not places.count(session, tournament_id):
        raise Conflict(f"{_nobody(tournament)}.", code="no_entries")
    _start(session, tournament)
    return tournament


def due(session: Session) -> list[str]:
    """Ids of the open tournaments that were to start by now."""
    query = (
        select(Tournament.id)
        .where(Tournament.status == TournamentStatus.OPEN, Tournament.starts_at <= utc_now())
        .order_by(Tournament.starts_at, Tournament.id)
    )
    return list(session.scalars(query))


def start_due(session: Session, tournament_id: str) -> bool:
    """Start it if it is to start by now and `min_entries` are there.

    Otherwise it stays open and waits for its organizer; one of a series is cancelled. Whether it
    started: another process may have been first, or the time been moved.
    """
    tournament = lock_row(session, Tournament, tournament_id)
    is_due = tournament.starts_at is not None and tournament.starts_at <= utc_now()
    if tournament.status != TournamentStatus.OPEN or not is_due:
        return False
    ready = places.ready(session, tournament)
    if ready >= tournament.min_entries:
        places.close_check_in(session, tournament)
        _start(session, tournament)
        return True
    _too_few(session, tournament, ready)
    return False


def _too_few(session: Session, tournament: Tournament, ready: int) -> None:
    """Nobody looks after each tournament of a series, and the next one comes anyway."""
    did = "were there" if tournament.check_in_s is None else "had checked in"
    some = f"{ready} of {tournament.min_entries} entries {did}"
    who = some if ready else _nobody(tournament)
    reason = f"{who} when it was to start."
    if tournament.series_id is None:
        trouble.stop(session, tournament.id, reason)
        return
    tournament.finished_at = utc_now()
    make(session, tournament, Move.CANCEL, reason)


def _nobody(tournament: Tournament) -> str:
    did = "entered" if tournament.check_in_s is None else "checked in"
    return f"Nobody had {did}"


def _start(session: Session, tournament: Tournament) -> None:
    entered = places.count(session, tournament.id)
    tournament.entrants_hash = places.freeze(session, tournament)
    tournament.rounds = formats.rounds_total(tournament, entered) or 0
    tournament.started_at = tournament.next_round_at = utc_now()
    total = places.count(session, tournament.id)
    make(session, tournament, Move.START, entries=total, entrants_hash=tournament.entrants_hash)


def pause(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """No match is begun any more; those that run stop at their next checkpoint."""
    tournament = lock_own(session, actor, tournament_id)
    make(session, tournament, Move.PAUSE)
    return tournament


def resume(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """Go on; matches that had failed for good are tried again."""
    tournament = lock_own(session, actor, tournament_id)
    go_on(session, tournament)
    return tournament


def go_on(session: Session, tournament: Tournament) -> None:
    """The same with a locked tournament. Raises `Conflict`."""
    again = session.scalars(
        update(Match)
        .where(Match.tournament_id == tournament.id, Match.status == MatchStatus.FAILED)
        .values(status=MatchStatus.QUEUED, attempts=0, error=None, version=Match.version + 1)
        .returning(Match.id)
        .execution_options(synchronize_session=False)
    )
    retried = [Telling("match.retried", match_id=match_id) for match_id in sorted(again)]
    make(session, tournament, Move.RESUME)
    deadlines.shift(session, tournament)
    tell_all(session, tournament.id, retried)


def cancel(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """End it: unfinished matches are cancelled and whoever plays them is fenced off."""
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.CANCEL)
    now = tournament.finished_at = utc_now()
    tournament.next_round_at = tournament.finishes_at = None
    ended = _cancel_play(session, tournament_id, now)
    make(session, tournament, Move.CANCEL)
    if tournament.started_at is not None:
        standings.outdate(tournament)  # what was kept back while a round ran is told now
    tell_all(session, tournament_id, ended)
    return tournament


def _cancel_play(session: Session, tournament_id: str, now: datetime) -> list[Telling]:
    """End what runs or waits; what there is to tell of it."""
    told = deadlines.cancelled(session, tournament_id)
    rounds = session.scalars(
        update(Round)
        .where(Round.tournament_id == tournament_id, Round.status == RoundStatus.RUNNING)
        .values(status=RoundStatus.CANCELLED, closed_at=now, version=Round.version + 1)
        .returning(Round.number)
    )
    return told + [Telling("round.cancelled", {"round": number}) for number in sorted(rounds)]
