"""Stored standings as the API shows them, put together by the database itself.

A page is read far more often than it changes. So each line is written down as it is shown
(`Standing.shown`), but for what may change without the standings, the entry's name and state. The
database joins the lines into the text of a page: taking fifty apart and writing them again would be
half the work of a request. A test holds the text against `StandingSchema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from sqlalchemy import (
    ColumnElement,
    Integer,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from baohuang.engine.titles import title
from baohuang.engine.tournament import standings as ranking

from ..models import Entry, Standing
from ..prepared import Prepared
from .paging import TextPage

SURE = ("as_of", "deals", "mean", "low", "high", "first", "rank_low", "rank_high")
"""Of an interval what is shown."""

Row = Mapping[str, Any]


def derived(row: Row, sure: Row | None) -> dict[str, Any]:
    """What is shown with a stored row beside its own members. sure: its interval."""
    called = title(row["points"])
    return {
        **dict.fromkeys(ranking.LUCK),
        **row,
        "title": {"name": called.name, "english": called.english},
        "interval": None if sure is None else {name: sure[name] for name in SURE},
    }


def written(position: int, row: Row, sure: Row | None) -> str:
    """The text of a line, for `Standing.shown`."""
    line = {"position": position, "entry_id": row["entry"], **derived(row, sure)}
    del line["entry"]
    return orjson.dumps(line).decode()


def renew(session: Session, tournament_id: str, sure: Mapping[str, Row]) -> None:
    """Write the lines of a tournament anew, now that there are other intervals."""
    rows = session.execute(
        select(Standing.position, Standing.row).where(Standing.tournament_id == tournament_id)
    )
    lines = [
        {
            "tournament_id": tournament_id,
            "position": position,
            "shown": written(position, row, sure.get(row["entry"])),
        }
        for position, row in rows
    ]
    if lines:
        session.execute(update(Standing), lines)


class _Quoted(FunctionElement[str]):
    """A text as JSON writes it."""

    type = Text()
    inherit_cache = True


@compiles(_Quoted, "sqlite")
def _quoted_by_sqlite(element: _Quoted, compiler: Any, **options: Any) -> str:
    return f"json_quote({compiler.process(element.clauses, **options)})"


@compiles(_Quoted, "postgresql")
def _quoted_by_postgresql(element: _Quoted, compiler: Any, **options: Any) -> str:
    return f"to_jsonb({compiler.process(element.clauses, **options)})::text"


class _Joined(FunctionElement[str]):
    """Texts (without nulls) with commas between them, by the order of a column.

    SQLite takes the rows in the order of the inner query; before 3.44 it knew no other way.
    """

    type = Text()
    inherit_cache = True


@compiles(_Joined, "sqlite")
def _joined_by_sqlite(element: _Joined, compiler: Any, **options: Any) -> str:
    text, _ = (compiler.process(clause, **options) for clause in element.clauses)
    return f"group_concat({text}, ',')"


@compiles(_Joined, "postgresql")
def _joined_by_postgresql(element: _Joined, compiler: Any, **options: Any) -> str:
    text, order = (compiler.process(clause, **options) for clause in element.clauses)
    return f"string_agg({text}, ',' ORDER BY {order})"


_KEPT = (
    select(Standing.position, Standing.shown, Entry.name, Entry.status)
    .join(Entry, Entry.id == Standing.entry_id)
    .where(
        Standing.tournament_id == bindparam("tournament_id"),
        Standing.position > bindparam("start", type_=Integer),
    )
    .order_by(Standing.position)
    .limit(bindparam("limit", type_=Integer))
    .subquery()
)


def _line() -> ColumnElement[str]:
    name: ColumnElement[str] = _Quoted(_KEPT.c.name)
    head = literal('{"name":') + name + ',"status":"' + _KEPT.c.status + '",'
    return head + func.substr(_KEPT.c.shown, 2, type_=Text)


_PAGE = Prepared(
    select(
        func.count(),
        func.count(_KEPT.c.shown),
        _Joined(
            case((_KEPT.c.position <= bindparam("last", type_=Integer), _line())),
            cast(_KEPT.c.position, Integer),
        ),
    )
)


def page(session: Session, tournament_id: str, start: int, limit: int) -> TextPage | None:
    """The lines after position `start`, at most `limit` of them; positions have no gaps.

    None if some have not been written down yet (stored before there was a place for it).
    """
    last = start + limit
    found, known, text = _PAGE.rows(
        session, tournament_id=tournament_id, start=start, last=last, limit=limit + 1
    )[0]
    if known < found:
        return None
    return TextPage(text or "", (last,) if found > limit else None)
