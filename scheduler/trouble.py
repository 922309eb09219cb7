"""What is written down of an error: its kind and where it came from.

Its text stays out, of logs too: it may quote a key, a URL or a hidden card.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from sqlalchemy.exc import DBAPIError


def place_of(error: BaseException) -> str:
    """Kind and place, in a few words."""
    frames = traceback.extract_tb(error.__traceback__)
    kind = type(error).__name__
    return f"{kind} at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else kind


def trail_of(error: BaseException) -> str:
    """The way that an error took, and those that it came from: a line a call, innermost last."""
    return "\n".join(line for each in _chain(error) for line in _lines(each))


def database_away(error: BaseException) -> bool:
    """Whether the database did not answer, or gave way to another transaction: nobody's fault."""
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated
        or type(error).__name__ in {"OperationalError", "InterfaceError"}
    )


class PlacesOnly(logging.Formatter):
    """Writes errors that are logged as `trail_of` does, whoever logs them."""

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, ...],
    ) -> str:
        return trail_of(ei[1]) if ei[1] is not None else ""


def _chain(error: BaseException) -> list[BaseException]:
    """The first cause first."""
    found: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in found:
        found.append(current)
        hidden = current.__suppress_context__
        current = current.__cause__ or (None if hidden else current.__context__)
    return found[::-1]


def _lines(error: BaseException) -> Iterator[str]:
    yield f"{type(error).__name__}, from"
    for frame in traceback.extract_tb(error.__traceback__):
        yield f"  {frame.filename}:{frame.lineno} {frame.name}"
