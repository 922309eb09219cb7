"""The database's clock inside a statement, so that a lease is checked and set at one moment.

`db_now` of ../db.py asks for the time before a statement; a claim that waited for a row's lock
must compare with the time after the wait.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Float
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.expression import FunctionElement


def milliseconds(since: float | None, till: float | None) -> int:
    """Between two readings of the clock; none from what has not been read."""
    return max(0, round(((till or 0.0) - (since or 0.0)) * 1000))


class now_seconds(FunctionElement[float]):
    """Seconds since 1970 by the database's clock, at the moment the row is looked at."""

    type = Float(53)
    inherit_cache = True


@compiles(now_seconds, "sqlite")
def _sqlite(_element: now_seconds, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(now_seconds, "postgresql")
def _postgresql(_element: now_seconds, _compiler: SQLCompiler, **_options: Any) -> str:
    return "extract(epoch FROM clock_timestamp())::float8"
