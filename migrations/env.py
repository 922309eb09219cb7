"""Alembic's entrance: runs revisions on a connection that it is handed, or on `DATABASE_URL`.

Only the models' own tables are compared. PgQueuer's live in a schema of their own, which Alembic
does not look into.
"""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection

from baohuang.api.config import Config
from baohuang.api.db import Database
from baohuang.api.models import Base
from baohuang.api.models.base import JsonValue, UtcDateTime


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write our own column types as what they are in the database: history outlives code."""
    if kind != "type":
        return False
    if isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return "JSON_VALUE" if item is JsonValue else False


def run(connection: Connection) -> None:
    """Run the revisions that were asked for, in the connection's transaction."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_item=render_item,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


handed = context.config.attributes.get("connection")
if handed is not None:
    run(handed)
else:
    with Database(Config.from_env().database_url).engine.begin() as own:
        run(own)
