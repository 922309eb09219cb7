"""A firing happens once: the first to insert its row acts, in the transaction of that row.

Election alone does not give this; for a moment two schedulers may both believe that they lead.
"""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from baohuang.api.models import Firing


def grid(now: float, every: float) -> datetime:
    """The latest due time of a timer: multiples of its period since 1970, so that all agree.

    `now` and `every` are seconds; `now` is the database's clock.
    """
    return datetime.fromtimestamp(now // every * every, UTC)


def once(session: Session, job: str, due: datetime) -> bool:
    """Claim a firing; False if another process has it. A rollback gives it back."""
    claim = _insert(session).values(job=job, due=due).on_conflict_do_nothing()
    return session.execute(claim.returning(Firing.job)).first() is not None


def _insert(session: Session) -> postgresql.Insert | sqlite.Insert:
    if session.get_bind().dialect.name == "postgresql":
        return postgresql.insert(Firing)
    return sqlite.insert(Firing)
