"""Where changes are noticed: in the session itself, so that no service can forget to tell.

A write session remembers which rows its flushes and its bulk statements touch. Right before the
commit their facts are compared with what the log knows of them, and what differs becomes rows of
the log, in the same transaction. What is undone by a savepoint differs in nothing and leaves none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import event, inspect, select
from sqlalchemy.orm import ORMExecuteState, Session

from ..models.base import Identified
from .changes import Note, Touched
from .scope import audited, facts
from .writing import write

_KEY: Final = "audit"


class WritingSession(Session):
    """A session whose commits write the audit log."""


def note(
    session: Session, action: str, kind: str, object_id: str, payload: Mapping[str, Any]
) -> None:
    """Tell of something that changes no versioned row; `payload` must hold no secret."""
    _touched(session).notes.append(Note(action, kind, object_id, payload))


def _touched(session: Session) -> Touched:
    found: Touched = session.info.setdefault(_KEY, Touched())
    return found


@event.listens_for(WritingSession, "after_flush")
def _flushed(session: Session, _context: object) -> None:
    for row in session.new:
        _touch(session, row, made=True)
    for row in session.dirty:
        _touch(session, row)
    for row in session.deleted:
        _touch(session, row, gone=True)


def _touch(session: Session, row: object, *, made: bool = False, gone: bool = False) -> None:
    if not (isinstance(row, Identified) and type(row) in audited().values()):
        return
    history = inspect(row).attrs
    columns = {name for name in facts(type(row)) if history[name].history.has_changes()}
    if columns or made or gone:
        _touched(session).add(type(row), [row.id], columns, made=made)


@event.listens_for(WritingSession, "do_orm_execute")
def _executed(state: ORMExecuteState) -> None:
    if not (state.is_insert or state.is_update or state.is_delete):
        return
    statement: Any = state.statement
    model = audited().get(statement.table.name)
    if model is None:
        return
    columns = _columns(statement, _rows(state)) & set(facts(model))
    touched = _touched(state.session)
    if state.is_insert:
        touched.add(model, _inserted(model, _rows(state)), columns, made=True)
    elif columns or state.is_delete:
        touched.add(model, _affected(state, model, statement), columns)


def _rows(state: ORMExecuteState) -> Sequence[Mapping[str, Any]]:
    given = state.parameters or ()
    return [given] if isinstance(given, Mapping) else given


def _columns(statement: Any, rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """The columns that a bulk statement writes."""
    values = getattr(statement, "_values", None) or {}
    return {getattr(column, "key", column) for column in values} | set(rows[0] if rows else ())


def _inserted(model: type[Identified], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows or not all("id" in row for row in rows):
        raise RuntimeError(f"a bulk insert of {model.__name__} names every id, for the audit log")
    return [row["id"] for row in rows]


def _affected(state: ORMExecuteState, model: type[Identified], statement: Any) -> Iterable[str]:
    """The rows that an UPDATE or DELETE will meet, locked so that it meets the same ones.

    One after the other by id, as whoever locks several by themselves does (services/reclaim.py):
    in the order of the plan two statements could wait for each other.
    """
    rows = _rows(state)
    if rows and all("id" in row for row in rows):
        return [row["id"] for row in rows]
    query = select(model.id).order_by(model.id).with_for_update(of=model)
    if statement.whereclause is not None:
        query = query.where(statement.whereclause)
    return state.session.scalars(query).all()


@event.listens_for(WritingSession, "before_commit")
def _committing(session: Session) -> None:
    if session.in_nested_transaction():
        return
    session.flush()
    touched: Touched | None = session.info.pop(_KEY, None)
    if touched is not None:
        write(session, touched)


@event.listens_for(WritingSession, "after_rollback")
def _rolled_back(session: Session) -> None:
    session.info.pop(_KEY, None)
