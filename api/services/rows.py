"""Changing rows safely: the version is checked inside the UPDATE, the lock is the row's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import inspect, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ..errors import Conflict, NotFound, PreconditionFailed
from ..models.base import Identified

M = TypeVar("M", bound=Identified)

_SQLITE_UNIQUE = ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")
_POSTGRESQL_UNIQUE = "23505"


def get_row(session: Session, model: type[M], row_id: str) -> M:
    """The row with this id, or `NotFound`."""
    row = session.get(model, row_id)
    if row is None:
        raise missing(model)
    return row


def lock_row(session: Session, model: type[M], row_id: str) -> M:
    """The row, re-read and locked to the end of the transaction (for moves from state to state).

    Not against those that name it: rows are added for several agents at once, in any order, while
    some of these are locked. SQLite's write transactions already stand one after the other.
    """
    for_update = {"key_share": True}  # FOR NO KEY UPDATE
    row = session.get(model, row_id, with_for_update=for_update, populate_existing=True)
    if row is None:
        raise missing(model)
    return row


def update_versioned(
    session: Session, model: type[M], row_id: str, expected_version: int, **values: Any
) -> M:
    """Change a row only if it still has the version that the caller saw.

    The check is part of the UPDATE, so of several writers with one version exactly one wins.
    Returns the row as it is now. Raises `PreconditionFailed`, or `NotFound`.
    """
    statement = (
        update(model)
        .where(model.id == row_id, model.version == expected_version)
        .values(version=model.version + 1, **values)
        .returning(model.id)
        .execution_options(synchronize_session=False)
    )
    if session.execute(statement).first() is None:
        get_row(session, model, row_id)
        raise PreconditionFailed("The thing was changed since you read it; read it again.")
    return session.get_one(model, row_id, populate_existing=True)


@contextmanager
def unique(pointer: str) -> Iterator[None]:
    """Say `Conflict` (`taken`, at `pointer`) when what happens inside breaks a unique constraint.

    The database decides, so two at once cannot both have the name. The transaction is lost then.
    """
    try:
        yield
    except IntegrityError as error:
        if not _breaks_unique(error):
            raise
        taken = (pointer, "taken", "Something else has this already.")
        raise Conflict(f"{pointer}: {taken[2]}", code="taken", errors=[taken]) from None


def columns(row: Identified) -> dict[str, Any]:
    """A row's columns by name, for an answer that shows them together with something else."""
    return {
        attribute.key: getattr(row, attribute.key) for attribute in inspect(row).mapper.column_attrs
    }


def missing(model: type[Identified]) -> NotFound:
    """The error for an id that no row has (or none that the caller may know of)."""
    return NotFound(f"There is no such {model.__name__.lower()}.")


def _breaks_unique(error: IntegrityError) -> bool:
    sqlite = getattr(error.orig, "sqlite_errorname", "")
    return sqlite in _SQLITE_UNIQUE or getattr(error.orig, "sqlstate", "") == _POSTGRESQL_UNIQUE
