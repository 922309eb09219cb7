"""Whose an entry was when a round was drawn: a substitute may be another owner's.

Agents of one owner are kept apart, so who draws a round again has to know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import String, cast, select
from sqlalchemy.orm import Session

from ..models import Agent, Entry

Owners = Mapping[str, tuple[tuple[int, str | None], ...]]
"""entry -> (the last round drawn before, owner from then on), for entries that had substitutes."""


def of(session: Session, tournament_id: str) -> Owners:
    """The owners of a tournament's entries over its rounds."""
    query = select(Entry.id, Entry.agent_id, Entry.substitutions).where(
        Entry.tournament_id == tournament_id, cast(Entry.substitutions, String) != "[]"
    )
    rows = session.execute(query).all()
    ids = {agent_id for row in rows for agent_id in _agents(row)}
    agents = session.execute(select(Agent.id, Agent.owner_id).where(Agent.id.in_(ids)))
    owner = {agent.id: agent.owner_id for agent in agents}
    return {row.id: tuple(_steps(row.substitutions, owner)) for row in rows}


def before(owners: Owners, entry_id: str, number: int, now: str | None) -> str | None:
    """The owner that the draw of a round saw; `now` for an entry without substitutes."""
    known = [owner for drawn, owner in owners.get(entry_id, ()) if drawn < number]
    return known[-1] if known else now


def drawn_before(change: Mapping[str, Any]) -> int:
    """The last round that had been drawn when a substitute came."""
    after: int = change.get("after_round", change["round"] - 1)
    return after


def replaced(session: Session, tournament_id: str) -> set[str]:
    """The agents for which substitutes came."""
    query = select(Entry.substitutions).where(
        Entry.tournament_id == tournament_id, cast(Entry.substitutions, String) != "[]"
    )
    return {change["replaced"] for changes in session.scalars(query) for change in changes}


def _steps(
    changes: Sequence[Mapping[str, Any]], owner: Mapping[str, str]
) -> Iterator[tuple[int, str | None]]:
    yield 0, owner.get(changes[0]["replaced"])
    for change in changes:
        yield drawn_before(change), owner.get(change["agent_id"])


def _agents(row: Any) -> set[str]:
    return {x for change in row.substitutions for x in (change["replaced"], change["agent_id"])}
