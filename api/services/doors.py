"""Whether anybody could have fetched a question: API processes note every second that they answer.

Each has a row from the moment it began until it was last heard of, a new one after a gap. What is
between the rows is time in which no process answered, or none reached the database: what an agent
that fetches missed then was not its fault. As long as no process has ever noted anything, nothing
is known, and nothing is excused.

All times are the database's clock's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from ..models import Door, new_id
from .clock import now_seconds

BEAT_S = 1.0  # how often a process notes it
OPEN_S = 3.0  # for how long that holds: a note may be late on a busy machine
KEEP_S = 86_400.0

Span = tuple[float, float]


def open_new(session: Session) -> str:
    """A process begins to answer, or does so again: the id of its row."""
    now, door_id = now_seconds(), new_id()
    session.add(Door(id=door_id, since=now, seen=now))
    session.flush()
    return door_id


def keep_open(session: Session, door_id: str) -> bool:
    """It still answers. False after too long a silence: that row is over."""
    now = now_seconds()
    kept = session.execute(
        update(Door)
        .where(Door.id == door_id, Door.seen > now - OPEN_S)
        .values(seen=now)
        .returning(Door.id)
        .execution_options(synchronize_session=False)
    )
    return kept.first() is not None


def newest(session: Session) -> tuple[float | None, float]:
    """When the last note was taken (None: nothing is known), and the time now."""
    noted, now = session.execute(select(func.max(Door.seen), now_seconds())).one()
    return noted, now


def is_open(session: Session) -> bool:
    """Whether some process answers now, or nothing is known of any."""
    noted, now = newest(session)
    return noted is None or noted > now - OPEN_S


def spans(session: Session, since: float) -> Sequence[Span] | None:
    """When processes answered, as far as that reaches beyond `since`; None: nothing is known."""
    rows = session.execute(select(Door.since, Door.seen).where(Door.seen > since - OPEN_S)).all()
    if not rows and session.scalar(select(Door.id).limit(1)) is None:
        return None
    return [(row.since, row.seen + BEAT_S) for row in rows]


def closed_ms(session: Session, since: float, till: float) -> int:
    """Of that time, how much no process answered in; 0 if nothing is known."""
    opened = spans(session, since)
    return 0 if opened is None else round(closed_s(opened, since, till) * 1000)


def closed_s(opened: Iterable[Span], since: float, till: float) -> float:
    """Seconds between `since` and `till` that are in none of the spans."""
    closed, at = 0.0, since
    for begin, end in sorted(opened):
        closed += max(0.0, min(begin, till) - at)
        at = max(at, end)
    return closed + max(0.0, till - at)


def purge(session: Session) -> None:
    """Forget what is a day old, but for the newest: that a door was ever open stays known."""
    newest = select(func.max(Door.seen)).scalar_subquery()
    old = delete(Door).where(Door.seen < now_seconds() - KEEP_S, Door.seen < newest)
    session.execute(old.execution_options(synchronize_session=False))
