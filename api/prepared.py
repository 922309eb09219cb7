"""Statements that run in most requests, put together once and handed to the driver.

SQLAlchemy takes 15 to 45 µs to find out each time what it knows already; the driver takes 2. The
session's transaction is the same, the values come out by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Dialect, Select
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.orm import Session

Process = Callable[[Any], Any]
Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class _Text:
    """A statement in an engine's words; `names` are the parameters in order, None: by name.

    `fixed` are those that the statement brings itself.
    """

    sql: str
    fixed: dict[str, Any]
    names: tuple[str, ...] | None
    processes: tuple[tuple[int, Process], ...]
    refusal: type[Exception]


class Prepared:
    """A `Select` of columns; its parameters are texts and numbers that need no conversion."""

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        self._statement = statement
        self._texts: dict[str, _Text] = {}

    def rows(self, session: Session, **values: str | int) -> Rows:
        """All rows. What the driver refuses is asked once more by SQLAlchemy, whose errors others
        know how to handle.
        """
        connection = session.connection()
        text = self._texts.get(connection.dialect.name) or self._prepare(connection.dialect)
        given: Any = text.fixed | values
        if text.names is not None:
            given = [given[name] for name in text.names]
        driver: Any = connection.connection.driver_connection
        try:
            found: Rows = driver.execute(text.sql, given).fetchall()
        except text.refusal:
            return [tuple(row) for row in session.execute(self._statement, values)]
        return [_processed(row, text.processes) for row in found] if text.processes else found

    def first(self, session: Session, **values: str | int) -> tuple[Any, ...] | None:
        """The first row, None without any."""
        return next(iter(self.rows(session, **values)), None)

    def _prepare(self, dialect: Dialect) -> _Text:
        compiled = self._statement.compile(dialect=dialect)
        columns = enumerate(self._statement.selected_columns)
        made = [
            (index, column.type.dialect_impl(dialect).result_processor(dialect, None))
            for index, column in columns
        ]
        names = tuple(compiled.positiontup) if compiled.positiontup is not None else None
        processes = tuple((index, process) for index, process in made if process is not None)
        fixed = {name: value for name, value in compiled.params.items() if value is not None}
        refusal = cast(DefaultDialect, dialect).loaded_dbapi.Error
        text = _Text(compiled.string, fixed, names, processes, refusal)
        self._texts[dialect.name] = text
        return text


def _processed(row: tuple[Any, ...], processes: tuple[tuple[int, Process], ...]) -> tuple[Any, ...]:
    values = list(row)
    for index, process in processes:
        values[index] = process(values[index])
    return tuple(values)
