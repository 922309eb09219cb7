"""Whether the server can work, and what it has in hand."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from ..migrate import current, head
from ..models import Agent, Match, Tournament

COUNTED = {"agents": Agent.status, "matches": Match.status, "tournaments": Tournament.status}


def unready(session: Session) -> str | None:
    """Why the server is not ready, or None: the tables must be those that this code knows."""
    found = current(session.connection())
    if found != head():
        return f"The database is at revision {found}, the program needs {head()}."
    return None


def counts(session: Session) -> dict[str, dict[str, int]]:
    """How many agents, matches and tournaments there are in each status."""
    return {noun: _by(session, column) for noun, column in COUNTED.items()}


def _by(session: Session, column: InstrumentedAttribute[str]) -> dict[str, int]:
    rows = session.execute(select(column, func.count()).group_by(column))
    return {str(value): number for value, number in rows}
