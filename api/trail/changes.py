"""What a transaction has touched so far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..models.base import Identified


@dataclass(frozen=True)
class Note:
    """A row of the log that a service asked for."""

    action: str
    kind: str
    object_id: str
    payload: Mapping[str, Any]


@dataclass
class Touch:
    """A row: which of its facts were written; `made` in this transaction or not."""

    made: bool = False
    columns: set[str] = field(default_factory=set)


@dataclass
class Touched:
    """By model and id, in the order in which they were met first."""

    rows: dict[type[Identified], dict[str, Touch]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def add(
        self,
        model: type[Identified],
        ids: Iterable[str],
        columns: Iterable[str],
        *,
        made: bool = False,
    ) -> None:
        """Remember that rows were written."""
        by_id = self.rows.setdefault(model, {})
        for row_id in ids:
            touch = by_id.setdefault(row_id, Touch(made))
            touch.columns.update(columns)
