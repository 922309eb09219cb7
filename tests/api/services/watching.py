"""A database's own count of changes, kept by triggers that know nothing of the audit log."""

from __future__ import annotations

from sqlalchemy import text

from baohuang.api.db import Database
from baohuang.api.trail.scope import audited, facts

# `mark` is the last row of the log when the change happened: the same for a whole transaction,
# because a transaction adds its rows at its end.
_TABLE = "CREATE TABLE seen (name TEXT, row_id TEXT, mark INTEGER)"
_TRIGGER = """CREATE TRIGGER seen_{event}_{name} AFTER {event} ON {name} {condition}
BEGIN INSERT INTO seen SELECT '{name}', {row}.id, coalesce(max(seq), 0) FROM audit; END"""


def watch(database: Database) -> None:
    """From now on SQLite itself notes every change of a fact."""
    with database.begin() as session:
        session.execute(text(_TABLE))
        for name, model in audited().items():
            differs = " OR ".join(f'OLD."{fact}" IS NOT NEW."{fact}"' for fact in facts(model))
            for event, row, condition in (
                ("INSERT", "NEW", ""),
                ("UPDATE", "NEW", f"WHEN {differs}"),
                ("DELETE", "OLD", ""),
            ):
                sql = _TRIGGER.format(event=event, name=name, row=row, condition=condition)
                session.execute(text(sql.replace(":", "\\:")))


def seen(database: Database) -> int:
    """How many things changed, each counted once a transaction."""
    with database.read() as session:
        query = "SELECT count(*) FROM (SELECT DISTINCT name, row_id, mark FROM seen)"
        return int(session.execute(text(query)).scalar_one())
