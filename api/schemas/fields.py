"""The kinds of fields: `from . import fields` in place of marshmallow's own.

Types are those of JSON Schema (no "1" for 1), times are RFC 3339 in UTC, integers are bounded so
that no value overflows a column, and names hold nothing that cannot be seen.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import marshmallow.fields
from marshmallow import ValidationError, validate
from marshmallow.fields import Constant, Dict, Enum, Float, List, Nested, Pluck, String

from ..models.base import ULID

__all__ = [
    "INT32", "MOST_ROUND", "Boolean", "Constant", "Dict", "Enum", "Float", "Id", "Integer", "List",
    "Name", "Nested", "OptionValue", "Pluck", "Search", "String", "Time", "shown_time",
]  # fmt: skip

INT32 = 2**31 - 1
MOST_ROUND = 1_000_000
"""The highest number of a round that can be named; a ladder has no end."""

_RFC3339 = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)


class Integer(marshmallow.fields.Integer):
    """A whole number as JSON writes it; without bounds of its own it fits 32 bits."""

    def __init__(self, *, minimum: int = -INT32 - 1, maximum: int = INT32, **options: Any) -> None:
        super().__init__(strict=True, **options)
        self.validators.insert(0, validate.Range(minimum, maximum))

    def _validated(self, value: Any) -> int:
        """5.0 is an integer to JSON Schema, so it is one here."""
        whole = isinstance(value, float) and value.is_integer()
        return super()._validated(int(value) if whole else value)


class Boolean(marshmallow.fields.Boolean):
    """`true` or `false`, nothing that merely looks like it."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **_options: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class Time(marshmallow.fields.Field[datetime]):
    """A moment: RFC 3339 with an offset when read, UTC with `Z` and milliseconds when shown."""

    default_error_messages = {  # noqa: RUF012 - marshmallow reads this class attribute
        "invalid": "Not a valid RFC 3339 time with an offset, such as 2026-01-31T18:00:00Z."
    }

    def show(self, value: datetime) -> str:
        """A moment as the API writes it; what http/dump.py asks."""
        return shown_time(value)

    def _serialize(self, value: datetime | None, attr: Any, obj: Any, **_options: Any) -> Any:
        return None if value is None else shown_time(value)

    def _deserialize(self, value: Any, attr: Any, data: Any, **_options: Any) -> datetime:
        if not isinstance(value, str) or not _RFC3339.fullmatch(value):
            raise self.make_error("invalid")
        try:
            return datetime.fromisoformat(value.upper()).astimezone(UTC)
        except (ValueError, OverflowError):
            raise self.make_error("invalid") from None


class Id(String):
    """The identifier of a row (a ULID)."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.validators.insert(0, validate.Regexp(f"^{ULID}$", error="Not a valid identifier."))


class Search(String):
    """Part of a name; A to Z in either case (SQLite knows no other letters' cases)."""

    def __init__(self, **options: Any) -> None:
        options.setdefault(
            "metadata", {"description": "Only those whose name holds this; A to Z in either case."}
        )
        super().__init__(validate=validate.Length(1, 80), **options)


class OptionValue(marshmallow.fields.Raw):
    """What an option of a format may be; whether it fits is for the format to say."""

    def __init__(self, **options: Any) -> None:
        kinds = [
            {"type": "integer", "minimum": -INT32 - 1, "maximum": INT32},
            {"type": "string", "maxLength": 40},
            {"type": "boolean"},
        ]
        super().__init__(metadata={"anyOf": kinds}, **options)


class Name(String):
    """A name that people see: printable, without blanks at its ends, at most `maximum` long."""

    def __init__(self, *, maximum: int, **options: Any) -> None:
        super().__init__(**options)
        self.validators[:0] = [validate.Length(1, maximum), _printable]


def shown_time(moment: datetime) -> str:
    """A moment as the API writes it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def _printable(text: str) -> None:
    if not text.isprintable() or text != text.strip():
        raise ValidationError("Only printable characters, without blanks at the ends.")
