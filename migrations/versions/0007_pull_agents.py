"""Agents without an URL, and the table where their questions wait.

Revision ID: 0007
Revises: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Agents that are there are called at their URL, as before."""
    with op.batch_alter_table("agents") as agents:
        agents.add_column(
            sa.Column("kind", sa.String(length=10), nullable=False, server_default="http")
        )
        agents.alter_column("url", existing_type=sa.String(length=2048), nullable=True)
    op.create_table(
        "questions",
        sa.Column("request", sa.String(length=26), nullable=False),
        sa.Column("agent_id", sa.String(length=26), nullable=False),
        sa.Column("match_id", sa.String(length=26), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("budget_ms", sa.Integer(), nullable=False),
        sa.Column("limit_ms", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.Float(precision=53), nullable=False),
        sa.Column("fetched_at", sa.Float(precision=53), nullable=True),
        sa.Column("until", sa.Float(precision=53), nullable=False),
        sa.Column("answer", sa.String(length=40), nullable=True),
        sa.Column("note", sa.String(length=256), nullable=True),
        sa.Column("answered_at", sa.Float(precision=53), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name="fk_questions_agent_id_agents"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_questions_match_id_matches"),
        sa.PrimaryKeyConstraint("request", name="pk_questions"),
    )
    op.create_index("ix_questions_agent_id_status", "questions", ["agent_id", "status"])
    op.create_index("ix_questions_match_id_agent_id", "questions", ["match_id", "agent_id"])
    op.create_index("ix_questions_until", "questions", ["until"])


def downgrade() -> None:
    """Forget the questions; pull agents stay, with an URL that is refused."""
    op.drop_table("questions")
    op.execute(sa.text("UPDATE agents SET url = '' WHERE url IS NULL"))
    with op.batch_alter_table("agents") as agents:
        agents.alter_column("url", existing_type=sa.String(length=2048), nullable=False)
        agents.drop_column("kind")
