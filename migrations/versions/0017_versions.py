"""Agents have versions: where they are called and with what secret, pinned by each round.

Revision ID: 0017
Revises: 0016
"""

from __future__ import annotations

import secrets
import time
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

ID = sa.String(length=26)
TIME = sa.DateTime(timezone=True)
CONTACT = ("url", "secret", "previous_secret", "previous_secret_until")
PINNED = ("seats", "practice_seats")

COLUMNS: tuple[sa.Column[Any], ...] = (
    sa.Column("agent_id", ID, nullable=False),
    sa.Column("number", sa.Integer(), nullable=False),
    sa.Column("label", sa.String(length=60), nullable=True),
    sa.Column("url", sa.String(length=2048), nullable=True),
    sa.Column("status", sa.String(length=20), nullable=False),
    sa.Column("shadow", sa.Boolean(), nullable=False, server_default=sa.false()),
    sa.Column("secret", sa.LargeBinary(), nullable=False),
    sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
    sa.Column("previous_secret_until", TIME, nullable=True),
    sa.Column("verified_at", TIME, nullable=True),
    sa.Column("shadow_asked", sa.Integer(), nullable=False, server_default=sa.text("0")),
    sa.Column("shadow_skipped", sa.Integer(), nullable=False, server_default=sa.text("0")),
    sa.Column("id", ID, nullable=False),
    sa.Column("created_at", TIME, nullable=False),
    sa.Column("version", sa.Integer(), nullable=False),
)


def upgrade() -> None:
    """What an agent is called by becomes its version 1."""
    versions = op.create_table(
        "agent_versions",
        *COLUMNS,
        sa.ForeignKeyConstraint(
            ["agent_id"], ["agents.id"], name="fk_agent_versions_agent_id_agents"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_agent_versions"),
        sa.UniqueConstraint("agent_id", "number", name="uq_agent_versions_agent_id_number"),
    )
    _create_shadow_calls()
    for agent_id in op.get_bind().execute(sa.text("SELECT id FROM agents")).scalars().all():
        op.execute(_first(versions, agent_id))
    with op.batch_alter_table("agents") as batch:
        batch.add_column(
            sa.Column("current", sa.Integer(), nullable=False, server_default=sa.text("1"))
        )
        for name in CONTACT:
            batch.drop_column(name)
    for table in PINNED:
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("agent_version_id", ID, nullable=True))
            batch.create_foreign_key(
                f"fk_{table}_agent_version_id_agent_versions",
                "agent_versions",
                ["agent_version_id"],
                ["id"],
            )


def downgrade() -> None:
    """An agent keeps what its live version is called by."""
    op.drop_table("shadow_calls")
    for table in PINNED:
        with op.batch_alter_table(table) as batch:
            batch.drop_constraint(f"fk_{table}_agent_version_id_agent_versions", type_="foreignkey")
            batch.drop_column("agent_version_id")
    for name in CONTACT:
        op.add_column("agents", sa.Column(name, _type(name), nullable=True))
    agents = sa.table("agents", *map(sa.column, ("id", "current", *CONTACT)))
    versions = sa.table("agent_versions", *map(sa.column, ("agent_id", "number", *CONTACT)))
    for name in CONTACT:
        live = sa.select(versions.c[name]).where(
            versions.c.agent_id == agents.c.id, versions.c.number == agents.c.current
        )
        op.execute(agents.update().values({name: live.scalar_subquery()}))
    with op.batch_alter_table("agents") as batch:
        batch.alter_column("secret", existing_type=sa.LargeBinary(), nullable=False)
        batch.drop_column("current")
    op.drop_table("agent_versions")


def _create_shadow_calls() -> None:
    op.create_table(
        "shadow_calls",
        sa.Column("agent_version_id", ID, nullable=False),
        sa.Column("request", ID, nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("phase", sa.String(length=10), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("budget_ms", sa.Integer(), nullable=False),
        sa.Column("played", sa.String(length=40), nullable=True),
        sa.Column("played_ms", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(length=40), nullable=True),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("fault", sa.String(length=20), nullable=True),
        sa.Column("detail", sa.String(length=300), nullable=True),
        sa.ForeignKeyConstraint(
            ["agent_version_id"],
            ["agent_versions.id"],
            name="fk_shadow_calls_agent_version_id_agent_versions",
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name="fk_shadow_calls_match_id_matches"
        ),
        sa.PrimaryKeyConstraint("agent_version_id", "request", name="pk_shadow_calls"),
    )
    op.create_index(
        "ix_shadow_calls_agent_version_id_asked_at",
        "shadow_calls",
        ["agent_version_id", "asked_at"],
    )


def _first(versions: sa.Table, agent_id: str) -> sa.Insert:
    kept = ("created_at", "verified_at", *CONTACT)
    agents = sa.table("agents", *map(sa.column, ("id", "status", *kept)))
    status = sa.case((agents.c.status == "unverified", "unverified"), else_="verified")
    made = {"id": _new_id(), "number": 1, "shadow": False, "version": 1}
    values = [sa.literal(value) for value in made.values()]
    copied = sa.select(agents.c.id, status, *(agents.c[name] for name in kept), *values)
    return versions.insert().from_select(
        ["agent_id", "status", *kept, *made], copied.where(agents.c.id == agent_id)
    )


def _type(name: str) -> sa.types.TypeEngine[Any]:
    if name == "url":
        return sa.String(length=2048)
    if name.endswith("secret"):
        return sa.LargeBinary()
    return TIME if name.endswith(("_at", "_until")) else ID


def _new_id() -> str:
    """A ULID."""
    alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = (int(time.time() * 1000) << 80) | secrets.randbits(80)
    return "".join(alphabet[(value >> shift) & 31] for shift in range(125, -1, -5))
