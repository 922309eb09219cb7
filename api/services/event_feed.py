"""Reading events: which of them a reader may have by now, from a number on.

There are three views. `public` is for all, as late as the organizer decided; `after` has what was
hidden while it was played, once the secret is revealed; `arbiter` has everything at once. Public
events are numbered apart, so in `public` and in `arbiter` no number is missing; in `after` those of
the arbiter are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..db import db_now
from ..errors import Conflict, Forbidden
from ..models import Event, EventView, Journal, Match, Tournament
from . import tournaments
from .arbiters import judges
from .events import moment
from .lifecycle import visible
from .paging import Page
from .principal import Principal
from .rows import get_row, missing

_COLUMNS = ("kind", "view", "at", "tournament_id", "match_id", "payload")


@dataclass(frozen=True, slots=True)
class Topic:
    """The events of one tournament in one view."""

    tournament_id: str
    view: EventView


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of a topic's events: of one match, of some kinds (empty: of all)."""

    match_id: str | None = None
    kinds: frozenset[str] = field(default_factory=frozenset)

    def takes(self, match_id: str | None, kind: str) -> bool:
        return self.match_id in (None, match_id) and (not self.kinds or kind in self.kinds)


EVERYTHING = Wanted()


@dataclass(frozen=True, slots=True)
class Slice:
    """Some events in order, as mappings.

    `end`: the number up to which the reader knows everything now. `more`: whether there is more.
    `lost`: the number up to which events are gone, where the reader wanted some of those;
    `unknown`: the reader's number was never given (another database, say), so it was not counted.
    """

    events: Sequence[Mapping[str, Any]]
    end: int
    more: bool = False
    lost: int | None = None
    unknown: bool = False


def of_tournament(
    session: Session, actor: Principal, tournament_id: str, view: EventView
) -> tuple[Topic, Wanted]:
    """What to read for a tournament's events. Raises `NotFound`, `Forbidden`, `Conflict`."""
    return _topic(session, actor, tournament_id, view), EVERYTHING


def of_match(
    session: Session, actor: Principal, match_id: str, view: EventView
) -> tuple[Topic, Wanted]:
    """What to read for a match's events; they are numbered with those of its tournament.

    Raises `NotFound` for a practice match, which has none.
    """
    tournament_id = get_row(session, Match, match_id).tournament_id
    if tournament_id is None:
        raise missing(Match)
    return _topic(session, actor, tournament_id, view), Wanted(match_id)


def read(session: Session, topic: Topic, wanted: Wanted, after: int, limit: int) -> Slice:
    """The wanted events after a number, `limit` at most, as far as they may be seen by now."""
    journal = session.get(Journal, topic.tournament_id, populate_existing=True)
    if journal is None:
        return Slice([], 0, unknown=after > 0)
    given, purged = _counts(journal, topic.view)
    until = _until(session, topic)
    head = _head(session, topic, given, until)  # first, or some could be taken as read
    if after > given:
        return Slice([], head, unknown=True)
    lost = purged if after < purged else None
    events = _events(session, topic, wanted, max(after, purged), limit, until)
    more = len(events) == limit
    last = events[-1]["seq"] if events else 0
    return Slice(events, last if more else max(after, purged, head, last), more, lost)


def newest(session: Session, topic: Topic) -> int:
    """The number of the newest event that may be seen by now."""
    journal = session.get(Journal, topic.tournament_id, populate_existing=True)
    if journal is None:
        return 0
    return _head(session, topic, _counts(journal, topic.view)[0], _until(session, topic))


def numbers(session: Session, topics: Collection[Topic]) -> dict[Topic, int]:
    """The last number given in each topic; some of them may not be seen yet."""
    ids = {topic.tournament_id for topic in topics}
    rows = session.scalars(select(Journal).where(Journal.tournament_id.in_(ids)))
    journals = {journal.tournament_id: journal for journal in rows}
    return {
        topic: _counts(journals[topic.tournament_id], topic.view)[0]
        for topic in topics
        if topic.tournament_id in journals
    }


def search(
    session: Session,
    topic: Topic,
    wanted: Wanted,
    after: tuple[object, ...] | None,
    limit: int,
    since: int = 0,
) -> Page[Mapping[str, Any]]:
    """A page of events, the oldest first: after number `since`, or after the page before."""
    found = read(session, topic, wanted, int(str(after[0])) if after else since, limit)
    return Page(found.events, (found.end,) if found.more else None)


def _topic(session: Session, actor: Principal, tournament_id: str, view: EventView) -> Topic:
    tournament = visible(session, actor, tournament_id)
    if view is EventView.ARBITER and not judges(actor, tournament):
        raise Forbidden("Only the organizer and arbiters see this.", code="not_arbiter")
    if view is EventView.AFTER and not tournaments.revealed(tournament.status):
        raise Conflict(
            f"The tournament is {tournament.status}; this is shown when its secret is revealed.",
            code="not_revealed",
        )
    return Topic(tournament_id, view)


def _counts(journal: Journal, view: EventView) -> tuple[int, int]:
    """The last number given, and the last one purged."""
    if view is EventView.PUBLIC:
        return journal.public_seq, journal.purged_public_seq
    return journal.seq, journal.purged_seq


def _until(session: Session, topic: Topic) -> datetime | None:
    """Up to when events may be seen; None: all that have a number."""
    if topic.view is not EventView.PUBLIC:
        return None
    delay = select(Tournament.spectator_delay_s).where(Tournament.id == topic.tournament_id)
    seconds = session.scalar(delay)
    return moment(db_now(session) - seconds) if seconds else None


def _head(session: Session, topic: Topic, given: int, until: datetime | None) -> int:
    """The last number that may be seen: from the newest down, so that a delay's worth is read."""
    if until is None:
        return given
    shown = (Event.tournament_id == topic.tournament_id, Event.at <= until)
    last = select(Event.public_seq).where(*shown, Event.public_seq.is_not(None))
    return session.scalar(last.order_by(Event.public_seq.desc()).limit(1)) or 0


def _events(
    session: Session,
    topic: Topic,
    wanted: Wanted,
    after: int,
    limit: int,
    until: datetime | None,
) -> list[Mapping[str, Any]]:
    number = Event.public_seq if topic.view is EventView.PUBLIC else Event.seq
    columns = [number.label("seq"), *(getattr(Event, name) for name in _COLUMNS)]
    query = select(*columns).where(Event.tournament_id == topic.tournament_id, number > after)
    if topic.view is EventView.AFTER:
        query = query.where(Event.view != EventView.ARBITER)
    if until is not None:
        query = query.where(Event.at <= until)
    if wanted.match_id is not None:
        query = query.where(Event.match_id == wanted.match_id)
    if wanted.kinds:
        query = query.where(Event.kind.in_(wanted.kinds))
    rows = session.execute(query.order_by(number).limit(limit)).mappings()
    return [dict(row) for row in rows]
