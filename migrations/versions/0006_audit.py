"""The audit log: rows that are only ever added, and their head.

Revision ID: 0006
Revises: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")

# SQLite's INSERT OR REPLACE deletes without asking a trigger on DELETE, hence the third one.
SQLITE = (
    """CREATE TRIGGER audit_never_changes BEFORE UPDATE ON audit
       BEGIN SELECT RAISE(ABORT, 'rows of the audit log never change'); END""",
    """CREATE TRIGGER audit_never_shrinks BEFORE DELETE ON audit
       BEGIN SELECT RAISE(ABORT, 'rows of the audit log are never deleted'); END""",
    """CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
       WHEN EXISTS (SELECT 1 FROM audit WHERE seq = NEW.seq)
       BEGIN SELECT RAISE(ABORT, 'rows of the audit log never change'); END""",
)
POSTGRESQL = (
    """CREATE FUNCTION audit_refuses() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'rows of the audit log are neither changed nor deleted'; END $$""",
    """CREATE TRIGGER audit_never_changes BEFORE UPDATE OR DELETE ON audit
       FOR EACH ROW EXECUTE FUNCTION audit_refuses()""",
    """CREATE TRIGGER audit_never_shrinks BEFORE TRUNCATE ON audit
       FOR EACH STATEMENT EXECUTE FUNCTION audit_refuses()""",
)


def upgrade() -> None:
    """The log begins now; what is there already is told of when it changes."""
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("account_id", sa.String(length=26), nullable=True),
        sa.Column("token_id", sa.String(length=26), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=True),
        sa.Column("operation", sa.String(length=60), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=30), nullable=False),
        sa.Column("object_id", sa.String(length=26), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=True),
        sa.Column("before", sa.String(length=64), nullable=True),
        sa.Column("after", sa.String(length=64), nullable=True),
        sa.Column("payload", JSON_VALUE, nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_audit"),
    )
    op.create_index("ix_audit_kind_object_id_seq", "audit", ["kind", "object_id", "seq"])
    op.create_index("ix_audit_tournament_id_seq", "audit", ["tournament_id", "seq"])
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_head"),
    )
    for statement in POSTGRESQL if _postgresql() else SQLITE:
        op.execute(sa.text(statement))


def downgrade() -> None:
    """Forget the log."""
    op.drop_table("audit_head")
    op.drop_index("ix_audit_tournament_id_seq", "audit")
    op.drop_index("ix_audit_kind_object_id_seq", "audit")
    op.drop_table("audit")
    if _postgresql():
        op.execute(sa.text("DROP FUNCTION audit_refuses()"))


def _postgresql() -> bool:
    return op.get_bind().dialect.name == "postgresql"
