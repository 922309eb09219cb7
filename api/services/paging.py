"""Lists in pages: keyset paging on unique sort keys, so that pages neither skip nor repeat rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Select, tuple_
from sqlalchemy.orm import InstrumentedAttribute, Session

T = TypeVar("T")
Key = ColumnElement[Any] | InstrumentedAttribute[Any]


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some rows, and the sort keys after which the next page starts (None at the end)."""

    items: Sequence[T]
    after: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True)
class TextPage:
    """A page whose items are JSON already, as the API shows them, with commas between them."""

    text: str
    after: tuple[object, ...] | None = None


def page_of(
    session: Session,
    statement: Select[T],
    keys: Sequence[Key],
    after: tuple[object, ...] | None,
    limit: int,
    *,
    descending: bool = False,
) -> Page[T]:
    """One page of `statement`, ordered by `keys` (text or integer columns, together unique).

    `after` holds the keys of the last row already seen. The rows must have the keys as attributes.
    """
    place = tuple_(*keys)
    if after is not None:
        statement = statement.where(place < after if descending else place > after)
    ordered = statement.order_by(*(key.desc() if descending else key.asc() for key in keys))
    rows = session.scalars(ordered.limit(limit + 1)).all()
    if len(rows) <= limit:
        return Page(rows)
    return Page(rows[:limit], tuple(getattr(rows[limit - 1], _name(key)) for key in keys))


def _name(key: Key) -> str:
    return str(key.key)
