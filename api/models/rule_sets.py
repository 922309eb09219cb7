"""Organizers' own rule sets: a preset plus overrides. (Presets are code, not rows.)"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base, Identified


class CustomRuleSet(Identified, Base):
    """A named rule set; `options` is the resolved form of rules.md section 8."""

    __tablename__ = "rule_sets"
    __table_args__ = (UniqueConstraint("owner_id", "name"),)

    owner_id: Mapped[str] = mapped_column(ForeignKey("accounts.id"), index=True)
    name: Mapped[str] = mapped_column(String(60))
    preset: Mapped[str] = mapped_column(String(40))
    overrides: Mapped[dict[str, Any]]
    options: Mapped[dict[str, Any]]
