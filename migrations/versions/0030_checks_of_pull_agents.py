"""Questions of a check: they belong to no match.

Revision ID: 0030
Revises: 0029
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

MATCH = sa.String(length=26)


def upgrade() -> None:
    """A match is named where there is one."""
    with op.batch_alter_table("questions") as questions:
        questions.alter_column("match_id", existing_type=MATCH, nullable=True)


def downgrade() -> None:
    """Checks that go on have failed."""
    op.execute(sa.text("DELETE FROM questions WHERE match_id IS NULL"))
    with op.batch_alter_table("questions") as questions:
        questions.alter_column("match_id", existing_type=MATCH, nullable=False)
