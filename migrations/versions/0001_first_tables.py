"""The first tables: accounts, agents, rule sets, tournaments and all that is played in them.

Revision ID: 0001
Revises:
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

JSON_VALUE = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Make every table, those first that others point at."""
    for make in TABLES.values():
        make()


def downgrade() -> None:
    """Drop them again, with their indexes, in the opposite order."""
    for name in reversed(TABLES):
        op.drop_table(name)


def _accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name", name="uq_accounts_name"),
    )


def _firings() -> None:
    op.create_table(
        "firings",
        sa.Column("job", sa.String(length=80), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("job", "due", name="pk_firings"),
    )


def _agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.String(length=26), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_fault", sa.String(length=20), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["accounts.id"], name="fk_agents_owner_id_accounts"),
        sa.PrimaryKeyConstraint("id", name="pk_agents"),
        sa.UniqueConstraint("owner_id", "name", name="uq_agents_owner_id_name"),
    )
    op.create_index("ix_agents_owner_id", "agents", ["owner_id"])


def _idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("account_id", sa.String(length=26), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_digest", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("headers", JSON_VALUE, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_idempotency_keys_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("account_id", "key", name="pk_idempotency_keys"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])


def _rule_sets() -> None:
    op.create_table(
        "rule_sets",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.String(length=26), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("preset", sa.String(length=40), nullable=False),
        sa.Column("overrides", JSON_VALUE, nullable=False),
        sa.Column("options", JSON_VALUE, nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["accounts.id"], name="fk_rule_sets_owner_id_accounts"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rule_sets"),
        sa.UniqueConstraint("owner_id", "name", name="uq_rule_sets_owner_id_name"),
    )
    op.create_index("ix_rule_sets_owner_id", "rule_sets", ["owner_id"])


def _tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("account_id", sa.String(length=26), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("hint", sa.String(length=12), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("scopes", JSON_VALUE, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_tokens_account_id_accounts"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_index("ix_tokens_account_id", "tokens", ["account_id"])


def _tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("organizer_id", sa.String(length=26), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("status_reason", sa.String(length=500), nullable=True),
        sa.Column("rules", JSON_VALUE, nullable=False),
        sa.Column("format", sa.String(length=30), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.Column("house_bot", sa.String(length=30), nullable=False),
        sa.Column("budget_ms", sa.Integer(), nullable=False),
        sa.Column("bank_ms", sa.Integer(), nullable=False),
        sa.Column("round_interval_s", sa.Integer(), nullable=False),
        sa.Column("tie_breaks", JSON_VALUE, nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_round_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("commitment", sa.String(length=64), nullable=False),
        sa.Column("entrants_hash", sa.String(length=64), nullable=True),
        sa.Column("course", JSON_VALUE, nullable=True),
        sa.Column("results_count", sa.Integer(), nullable=False),
        sa.Column("standings_count", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organizer_id"], ["accounts.id"], name="fk_tournaments_organizer_id_accounts"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_index("ix_tournaments_organizer_id", "tournaments", ["organizer_id"])
    op.create_index("ix_tournaments_status", "tournaments", ["status"])


def _entries() -> None:
    op.create_table(
        "entries",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("agent_id", sa.String(length=26), nullable=True),
        sa.Column("house_bot", sa.String(length=30), nullable=True),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("lot", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name="fk_entries_agent_id_agents"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_entries_tournament_id_tournaments"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_entries"),
        sa.UniqueConstraint("tournament_id", "agent_id", name="uq_entries_tournament_id_agent_id"),
        sa.UniqueConstraint("tournament_id", "name", name="uq_entries_tournament_id_name"),
    )
    op.create_index("ix_entries_agent_id", "entries", ["agent_id"])
    op.create_index("ix_entries_tournament_id_id", "entries", ["tournament_id", "id"])


def _rounds() -> None:
    op.create_table(
        "rounds",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_rounds_tournament_id_tournaments"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_rounds_tournament_id_number"),
    )


def _standings() -> None:
    op.create_table(
        "standings",
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.String(length=26), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("row", JSON_VALUE, nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entries.id"], name="fk_standings_entry_id_entries"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_standings_tournament_id_tournaments"
        ),
        sa.PrimaryKeyConstraint("tournament_id", "position", name="pk_standings"),
    )
    op.create_index("ix_standings_entry_id", "standings", ["entry_id"])


def _tables() -> None:
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.String(length=26), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_tables_round_id_rounds"),
        sa.PrimaryKeyConstraint("id", name="pk_tables"),
        sa.UniqueConstraint("round_id", "number", name="uq_tables_round_id_number"),
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.String(length=26), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("round_id", sa.String(length=26), nullable=False),
        sa.Column("table_id", sa.String(length=26), nullable=False),
        sa.Column("board", sa.String(length=120), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(length=80), nullable=True),
        sa.Column("lease_until", sa.Float(precision=53), nullable=True),
        sa.Column("error", sa.String(length=500), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("record", JSON_VALUE, nullable=True),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.id"], name="fk_matches_round_id_rounds"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_matches_table_id_tables"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id_tournaments"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("table_id", name="uq_matches_table_id"),
    )
    op.create_index("ix_matches_round_id", "matches", ["round_id"])
    op.create_index("ix_matches_status_lease_until", "matches", ["status", "lease_until"])
    op.create_index("ix_matches_tournament_id", "matches", ["tournament_id"])


def _seats() -> None:
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(length=26), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.String(length=26), nullable=False),
        sa.CheckConstraint("seat BETWEEN 0 AND 4", name=op.f("ck_seats_seat_range")),
        sa.ForeignKeyConstraint(["entry_id"], ["entries.id"], name="fk_seats_entry_id_entries"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_seats_table_id_tables"),
        sa.PrimaryKeyConstraint("table_id", "seat", name="pk_seats"),
    )
    op.create_index("ix_seats_entry_id", "seats", ["entry_id"])


def _decisions() -> None:
    op.create_table(
        "decisions",
        sa.Column("match_id", sa.String(length=26), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("answer", sa.String(length=40), nullable=False),
        sa.Column("auto", sa.Boolean(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_decisions_match_id_matches"),
        sa.PrimaryKeyConstraint("match_id", "seq", name="pk_decisions"),
    )


def _faults() -> None:
    op.create_table(
        "faults",
        sa.Column("match_id", sa.String(length=26), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("entry_id", sa.String(length=26), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("charged_to", sa.String(length=10), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("detail", sa.String(length=300), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entries.id"], name="fk_faults_entry_id_entries"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_faults_match_id_matches"),
        sa.PrimaryKeyConstraint("match_id", "seq", name="pk_faults"),
    )
    op.create_index("ix_faults_entry_id", "faults", ["entry_id"])


def _results() -> None:
    op.create_table(
        "results",
        sa.Column("match_id", sa.String(length=26), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("tournament_id", sa.String(length=26), nullable=False),
        sa.Column("entry_id", sa.String(length=26), nullable=False),
        sa.Column("round_number", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("penalty", sa.Integer(), nullable=False),
        sa.Column("deals", sa.Integer(), nullable=False),
        sa.Column("places", JSON_VALUE, nullable=False),
        sa.Column("roles", JSON_VALUE, nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["entries.id"], name="fk_results_entry_id_entries"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_results_match_id_matches"),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name="fk_results_tournament_id_tournaments"
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", name="pk_results"),
    )
    op.create_index("ix_results_entry_id", "results", ["entry_id"])
    op.create_index(
        "ix_results_tournament_id_round_number", "results", ["tournament_id", "round_number"]
    )


TABLES = {
    "accounts": _accounts,
    "firings": _firings,
    "agents": _agents,
    "idempotency_keys": _idempotency_keys,
    "rule_sets": _rule_sets,
    "tokens": _tokens,
    "tournaments": _tournaments,
    "entries": _entries,
    "rounds": _rounds,
    "standings": _standings,
    "tables": _tables,
    "matches": _matches,
    "seats": _seats,
    "decisions": _decisions,
    "faults": _faults,
    "results": _results,
}
