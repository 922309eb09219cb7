"""How the audit log is sealed: h(n) = SHA-256(h(n-1) || row n), from 32 zero bytes on.

A row is written as JSON in UTF-8: all columns but `hash` by name, keys sorted, no spaces, times as
`2026-01-31T12:00:00.000000Z`. So anybody can check an exported log without this program.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

GENESIS: Final = "00" * 32


def row_hash(previous: str, row: Mapping[str, Any]) -> str:
    """The hash of a row after the one whose hash is `previous` (hex)."""
    sealed = {name: value for name, value in row.items() if name != "hash"}
    return sha256(bytes.fromhex(previous) + canonical(sealed)).hexdigest()


def digest(facts: Mapping[str, Any]) -> str:
    """SHA-256 of a thing's facts."""
    return sha256(canonical(facts)).hexdigest()


def canonical(value: Any) -> bytes:
    """JSON that is the same bytes for the same value."""
    text = json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=plain
    )
    return text.encode()


def plain(value: object) -> str:
    """Times and bytes as text."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"a {type(value).__name__} has no place in the audit log")
