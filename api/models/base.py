"""What every table shares: typed base, identifiers, UTC times, row versions."""

from __future__ import annotations

import secrets
import time
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from sqlalchemy import JSON, DateTime, MetaData, String, TypeDecorator
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]
ULID = "[0-7][0-9A-HJKMNP-TV-Z]{25}"  # a regular expression for what `new_id` makes

# Fixed names let Alembic alter constraints on both engines.
_NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

JsonValue = JSON().with_variant(JSONB(), "postgresql")


_lock = Lock()
_newest = 0


def new_id() -> str:
    """A ULID: 26 characters that sort by creation time (48 bits of ms, 80 random bits).

    Within one process each is greater than the one before, so rows sort as they were made.
    """
    global _newest  # noqa: PLW0603 - the one counter of the process
    with _lock:
        drawn = (int(time.time() * 1000) << 80) | secrets.randbits(80)
        value = _newest = max(drawn, _newest + 1)
    return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])


def utc_now() -> datetime:
    """The present moment, aware, in UTC."""
    return datetime.now(UTC)


class UtcDateTime(TypeDecorator[datetime]):
    """Aware UTC datetimes on both engines (SQLite drops zones, so they are put back)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a zone was about to be stored")
        return value.astimezone(UTC) if value is not None else None

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """Declarative base; `dict` and `list` columns are JSON (JSONB on PostgreSQL)."""

    metadata = MetaData(naming_convention=_NAMING)
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads this class attribute
        datetime: UtcDateTime(),
        dict[str, Any]: JsonValue,
        list[Any]: JsonValue,
        list[str]: JsonValue,
        list[int]: JsonValue,
        dict[str, object]: JsonValue,
    }


class Identified:
    """A row with a ULID, a creation time and a version that every change raises by one.

    The version is what `ETag` and `If-Match` speak of; changes check it inside the UPDATE.
    """

    id: Mapped[str] = mapped_column(String(26), primary_key=True, default=new_id)
    created_at: Mapped[datetime] = mapped_column(default=utc_now)
    version: Mapped[int] = mapped_column(default=1)
