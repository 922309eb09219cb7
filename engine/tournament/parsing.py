"""Reading a JSON object that nobody vouches for: every field checked, none left unread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

NUMBERS = 10**12
"""No number in an archive is larger."""


class ArchiveError(ValueError):
    """What is wrong, and in which line (from 1)."""

    def __init__(self, line: int, message: str) -> None:
        self.line, self.message = line, message
        super().__init__(f"line {line}: {message}")


class Reader:
    """The fields of one object; each may be read once by its type. Raises ArchiveError."""

    def __init__(self, line: int, data: object) -> None:
        self.line = line
        if not isinstance(data, dict):
            raise self.error("not an object")
        self.data: dict[str, Any] = data
        self.unread = set(data)

    @classmethod
    def of_line(cls, line: int, text: str) -> Reader:
        """From a line of NDJSON."""
        try:
            return cls(line, json.loads(text))
        except (json.JSONDecodeError, RecursionError):
            raise ArchiveError(line, "not JSON") from None

    def error(self, message: str) -> ArchiveError:
        return ArchiveError(self.line, message)

    def done(self) -> None:
        """Refuses fields that nobody asked for."""
        if self.unread:
            raise self.error(f"unknown field {min(self.unread)}")

    def has(self, name: str) -> bool:
        """Whether there is such a field: newer ones may be missing in older archives."""
        return name in self.data

    def text(self, name: str) -> str:
        return self._text(name, self._take(name))

    def text_or_none(self, name: str) -> str | None:
        value = self._take(name)
        return None if value is None else self._text(name, value)

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self._text(name, item) for item in self._list(name, self._take(name)))

    def rows(self, name: str, width: int) -> tuple[tuple[str, ...], ...]:
        """A list of lists of `width` texts."""
        rows = [self._list(name, row, width) for row in self._list(name, self._take(name))]
        return tuple(tuple(self._text(name, item) for item in row) for row in rows)

    def lists(self, name: str, width: int) -> list[list[Any]]:
        """A list of lists of `width` values of any kind."""
        return [self._list(name, row, width) for row in self._list(name, self._take(name))]

    def number(self, name: str) -> int:
        return self._number(name, self._take(name))

    def number_or_none(self, name: str) -> int | None:
        value = self._take(name)
        return None if value is None else self._number(name, value)

    def numbers(self, name: str, width: int | None = None) -> tuple[int, ...]:
        return tuple(self._number(name, x) for x in self._list(name, self._take(name), width))

    def pairs(self, name: str) -> dict[str, tuple[int, int]]:
        """An object of pairs of numbers."""
        found: dict[str, tuple[int, int]] = {}
        for key, pair in self.mapping(name).items():
            first, second = self._list(name, pair, 2)
            found[key] = self._number(name, first), self._number(name, second)
        return found

    def flag(self, name: str) -> bool:
        value = self._take(name)
        if not isinstance(value, bool):
            raise self.error(f"{name} is not true or false")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        value = self._take(name)
        if not isinstance(value, dict):
            raise self.error(f"{name} is not an object")
        return value

    def mappings(self, name: str) -> tuple[Mapping[str, Any], ...]:
        return tuple(reader.data for reader in self.readers(name))

    def readers(self, name: str) -> list[Reader]:
        """A list of objects."""
        return [Reader(self.line, item) for item in self._list(name, self._take(name))]

    def _take(self, name: str) -> Any:
        if name not in self.data:
            raise self.error(f"{name} is missing")
        self.unread.discard(name)
        return self.data[name]

    def _text(self, name: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.error(f"{name} is not a text")
        return value

    def _number(self, name: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > NUMBERS:
            raise self.error(f"{name} is not a whole number in range")
        return value

    def _list(self, name: str, value: object, width: int | None = None) -> list[Any]:
        if not isinstance(value, list) or (width is not None and len(value) != width):
            size = "" if width is None else f" of {width}"
            raise self.error(f"{name} is not a list{size}")
        return value
