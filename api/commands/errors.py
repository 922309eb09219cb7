"""Errors of a command: one sentence, no traceback, status 1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click
from sqlalchemy.exc import OperationalError, ProgrammingError

from ..config import ConfigError
from ..errors import DomainError


@contextmanager
def said_plainly() -> Iterator[None]:
    """Turn the errors that an operator can mend into sentences; others stay what they are."""
    try:
        yield
    except (ConfigError, DomainError) as error:
        raise click.ClickException(str(error)) from error
    except (OperationalError, ProgrammingError) as error:
        raise click.ClickException(_sentence(error)) from error


def _sentence(error: OperationalError | ProgrammingError) -> str:
    reason = str(error.orig).strip().splitlines()[0]
    if "no such table" in reason or "does not exist" in reason:
        return f"The database is not ready ({reason}); run `baohuang db upgrade`."
    return f"The database cannot be used: {reason}."
