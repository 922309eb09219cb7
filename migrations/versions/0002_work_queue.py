"""Tables of the work queue, in a schema of their own (PostgreSQL only).

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

from alembic import op
from pgqueuer.adapters.persistence.qb import QueryBuilderEnvironment
from pgqueuer.domain.settings import DBSettings

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SCHEMA = "pgqueuer"


def upgrade() -> None:
    """Run PgQueuer's own installer; on SQLite the queue lives in memory."""
    if op.get_bind().dialect.name == "postgresql":
        _run(QueryBuilderEnvironment(DBSettings(db_schema=SCHEMA)).build_install_query())


def downgrade() -> None:
    """Drop the schema with all jobs; the sweep makes new ones from the matches."""
    if op.get_bind().dialect.name == "postgresql":
        _run(f"DROP SCHEMA {SCHEMA} CASCADE")


def _run(script: str) -> None:
    # The script holds `%` and `:name`, which are no parameters.
    op.get_bind().exec_driver_sql(script, execution_options={"no_parameters": True})
