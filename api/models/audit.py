"""The audit log: what changed, when and by whom, each row sealed with the one before (api/trail).

No foreign keys: the log outlives what it tells of, and writing it locks nothing but its own head.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from .base import Base


class AuditRow(Base):
    """One change of one thing in one transaction. Triggers refuse to change or delete it.

    `before` and `after` are digests of the thing's facts (null where it did not or does not exist).
    """

    __tablename__ = "audit"
    __table_args__ = (
        Index("ix_audit_kind_object_id_seq", "kind", "object_id", "seq"),
        Index("ix_audit_tournament_id_seq", "tournament_id", "seq"),
    )

    seq: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    account_id: Mapped[str | None] = mapped_column(String(26))
    token_id: Mapped[str | None] = mapped_column(String(26))
    request_id: Mapped[str | None] = mapped_column(String(64))
    operation: Mapped[str] = mapped_column(String(60))  # of the API, or who else did it
    action: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(30))
    object_id: Mapped[str] = mapped_column(String(26))
    tournament_id: Mapped[str | None] = mapped_column(String(26))
    before: Mapped[str | None] = mapped_column(String(64))
    after: Mapped[str | None] = mapped_column(String(64))
    payload: Mapped[dict[str, Any]]
    hash: Mapped[str] = mapped_column(String(64))


class AuditHead(Base):
    """The last row's number and hash; the single row is the lock of whoever writes."""

    __tablename__ = "audit_head"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(BigInteger)
    hash: Mapped[str] = mapped_column(String(64))
