"""What the audit log tells of: every versioned table but a few, and of these all facts.

A new table or column is told of without being named here. What is left out is named, and why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from sqlalchemy import LargeBinary, Table, inspect
from sqlalchemy.orm import Mapper

from ..models import Base
from ..models.base import Identified

LEFT_OUT: Final[Mapping[str, str]] = {
    "tables": "never change; their matches and their round are told of",
    "deliveries": "attempts to reach a webhook, not changes of the arena's state",
}

BOOKKEEPING: Final[Mapping[str, frozenset[str]]] = {
    "tokens": frozenset({"last_used_at"}),
    "logins": frozenset({"last_used_at"}),
    "agents": frozenset({"last_fault", "strikes", "passes", "desertions", "probe_at"}),
    "agent_versions": frozenset(
        {"shadow_asked", "shadow_skipped", "check_at", "checked_at", "findings"}
    ),
    "tournaments": frozenset(
        {"course", "results_count", "standings_count", "intervals_due", "intervals_done"}
    ),
    "matches": frozenset({"epoch", "attempts", "owner", "lease_until"}),
    "webhooks": frozenset({"failures", "failing_since", "next_at", "epoch", "lease_until"}),
}
"""Columns whose changes are no changes of state: leases, counters, what can be worked out again."""

HIDDEN: Final = frozenset({"digest", "hint", "url", "record"})
"""Facts whose values are not shown, beside all bytes; they are in the digests."""


@cache
def audited() -> Mapping[str, type[Identified]]:
    """Model by the name of its table."""
    mappers: list[Mapper[Any]] = list(Base.registry.mappers)
    found = {mapper.class_.__tablename__: mapper.class_ for mapper in mappers}
    return {
        name: model
        for name, model in sorted(found.items())
        if issubclass(model, Identified) and name not in LEFT_OUT
    }


def kind_of(model: type[Identified]) -> str:
    """What the log calls it: `tournament`, `custom_rule_set`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", model.__name__).lower()


def facts(model: type[Identified]) -> tuple[str, ...]:
    """The names of the columns that make a thing what it is."""
    return _facts(_table(model))


def shown(model: type[Identified]) -> frozenset[str]:
    """The facts whose values may stand in the log."""
    return _shown(_table(model))


def _table(model: type[Identified]) -> Table:
    table = inspect(model).local_table
    assert isinstance(table, Table), "models are tables"
    return table


@cache
def _facts(table: Table) -> tuple[str, ...]:
    kept = BOOKKEEPING.get(table.name, frozenset()) | {"version"}
    return tuple(column.key for column in table.columns if column.key not in kept)


@cache
def _shown(table: Table) -> frozenset[str]:
    return frozenset(
        name
        for name in _facts(table)
        if name not in HIDDEN and not isinstance(table.columns[name].type, LargeBinary)
    )
