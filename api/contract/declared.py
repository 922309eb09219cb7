"""Breaking changes that were announced: `openapi/breaking.toml`.

A change is let through only when it is listed with a reason, the day from which the old way was
called deprecated, and the day of its sunset, not before it (RFC 9745, RFC 8594).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from .operations import Change


class DeclarationError(ValueError):
    """The file of declarations cannot be used; the message says which entry."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One announced change. `change` is a change's key: its kind and its place."""

    change: str
    reason: str
    deprecated: date
    sunset: date


Declarations = dict[str, Declaration]


def parse(text: str) -> Declarations:
    """The declarations of a TOML file with `[[breaking]]` tables. Raises DeclarationError."""
    try:
        tables = tomllib.loads(text).get("breaking", [])
    except tomllib.TOMLDecodeError as error:
        raise DeclarationError(f"not TOML: {error}") from error
    if not isinstance(tables, list):
        raise DeclarationError("breaking must be a list of tables")
    found = [_declaration(number, table) for number, table in enumerate(tables, 1)]
    return {declaration.change: declaration for declaration in found}


def _declaration(number: int, table: object) -> Declaration:
    names = {"change": str, "reason": str, "deprecated": date, "sunset": date}
    if not isinstance(table, dict) or set(table) != set(names):
        raise DeclarationError(f"entry {number} must have exactly {', '.join(names)}")
    for name, kind in names.items():
        if not isinstance(table[name], kind) or not table[name]:
            raise DeclarationError(f"entry {number}: {name} must be a {kind.__name__}")
    if table["sunset"] < table["deprecated"]:
        raise DeclarationError(f"entry {number}: the sunset comes before the deprecation")
    return Declaration(**table)


def undeclared(found: Iterable[Change], declared: Declarations) -> list[Change]:
    """The changes that nobody announced."""
    return [change for change in found if change.key not in declared]
