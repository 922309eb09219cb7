"""Agents are probed, paused and resumed, and their owners told.

Revision ID: 0013
Revises: 0012
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

ID = sa.String(length=26)


def upgrade() -> None:
    """Whoever is paused now was paused by his owner."""
    op.add_column("agents", sa.Column("paused_by", sa.String(length=10), nullable=True))
    for name in ("strikes", "passes"):
        op.add_column(
            "agents", sa.Column(name, sa.Integer(), nullable=False, server_default=sa.text("0"))
        )
    op.add_column("agents", sa.Column("probe_at", sa.Float(precision=53), nullable=True))
    op.create_index("ix_agents_probe_at", "agents", ["probe_at"])
    op.execute(sa.text("UPDATE agents SET paused_by = 'owner' WHERE status = 'paused'"))
    op.execute(sa.text("UPDATE agents SET probe_at = 0 WHERE status = 'active'"))
    op.create_table(
        "agent_notices",
        sa.Column("id", ID, nullable=False),
        sa.Column("agent_id", ID, nullable=False),
        sa.Column("match_id", ID, nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.String(length=300), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name="fk_agent_notices_agent_id_agents"
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name="fk_agent_notices_match_id_matches"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_agent_notices"),
    )
    op.create_index("ix_agent_notices_agent_id_id", "agent_notices", ["agent_id", "id"])


def downgrade() -> None:
    """Forget it; agents stay paused."""
    op.drop_table("agent_notices")
    op.drop_index("ix_agents_probe_at", "agents")
    with op.batch_alter_table("agents") as agents:
        for name in ("probe_at", "passes", "strikes", "paused_by"):
            agents.drop_column(name)
