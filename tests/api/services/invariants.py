"""What holds in a database of tournaments after every step, asked of SQLite itself.

What must never change is guarded by triggers, so nothing has to be read again for it; the rest are
a few queries past the ORM. Whoever breaks one of these fails at the step that did it.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import text

from baohuang.api.db import Database

from .watching import watch

NEVER = {
    "matches": ("OLD.status = 'finished'", "a finished match changed"),
    "results": ("1", "a result changed"),
    "tables": ("1", "a table changed"),
    "seats": ("1", "a seat changed"),
    "rounds": (
        "NEW.byes IS NOT OLD.byes OR NEW.out IS NOT OLD.out OR NEW.number IS NOT OLD.number",
        "who sits a round out changed",
    ),
    "rulings": ("1", "a ruling changed"),
    "appeals": ("OLD.status <> 'open'", "a decided appeal changed"),
    "tournaments": (
        "OLD.status IN ('finished', 'cancelled') AND NEW.status IS NOT OLD.status",
        "what had ended went on",
    ),
}
"""table -> (when an update is forbidden, what it would be)."""

CHECKS = {
    "an entry sits at two tables of a round": """
        SELECT 1 FROM rounds r JOIN tables t ON t.round_id = r.id AND t.replays IS NULL
        JOIN seats s ON s.table_id = t.id WHERE r.tournament_id = :it
        GROUP BY r.id, s.entry_id HAVING count(*) > 1""",
    "an entry sits and has a bye, or is out": """
        SELECT 1 FROM rounds r JOIN tables t ON t.round_id = r.id
        JOIN seats s ON s.table_id = t.id WHERE r.tournament_id = :it AND s.entry_id IN
        (SELECT value FROM json_each(r.byes) UNION ALL SELECT value FROM json_each(r.out))""",
    "a table is not of five": """
        SELECT 1 FROM rounds r JOIN tables t ON t.round_id = r.id
        LEFT JOIN seats s ON s.table_id = t.id WHERE r.tournament_id = :it
        GROUP BY t.id HAVING count(s.seat) <> 5""",
    "the points of a match do not add up": """
        SELECT 1 FROM results WHERE tournament_id = :it
        GROUP BY match_id HAVING sum(points) <> 0 OR count(*) <> 5 OR max(penalty) > 0""",
    "a finished match has no results, or another one has": """
        SELECT 1 FROM matches m WHERE m.tournament_id = :it AND (m.status = 'finished') <>
        EXISTS (SELECT 1 FROM results x WHERE x.match_id = m.id)""",
    "finished matches are miscounted": """
        SELECT 1 FROM tournaments t WHERE t.id = :it AND t.results_count <>
        (SELECT count(*) FROM matches m WHERE m.tournament_id = t.id AND m.status = 'finished')""",
    "points are not what they are made of": """
        SELECT 1 FROM standings WHERE tournament_id = :it AND json_extract("row", '$.points') <>
        json_extract("row", '$.scored') + json_extract("row", '$.penalty')
        + json_extract("row", '$.adjustment')""",
    "somebody waits beside a free place": """
        SELECT 1 FROM tournaments t WHERE t.id = :it AND t.status = 'open'
        AND EXISTS (SELECT 1 FROM entries e WHERE e.tournament_id = t.id AND e.status = 'waiting')
        AND t.capacity > (SELECT count(*) FROM entries e WHERE e.tournament_id = t.id
                          AND e.status = 'entered' AND NOT e.fills)""",
    "more have a place than there are": """
        SELECT 1 FROM tournaments t WHERE t.id = :it AND t.status = 'open' AND t.capacity <
        (SELECT count(*) FROM entries e WHERE e.tournament_id = t.id AND e.status = 'entered')""",
    "a tournament that does not go on has something to play": """
        SELECT 1 FROM tournaments t JOIN matches m ON m.tournament_id = t.id WHERE t.id = :it
        AND t.status IN ('finished', 'cancelled') AND m.status IN ('queued', 'running')""",
    "who needs attention is not told why": """
        SELECT 1 FROM tournaments WHERE id = :it AND status = 'needs_attention'
        AND coalesce(status_reason, '') = ''""",
    "events are not numbered through": """
        SELECT 1 FROM (SELECT max(seq) AS last, count(seq) AS many FROM events
                       WHERE tournament_id = :it) WHERE last <> many""",
}
"""What would be wrong -> a query that finds it in a tournament."""


class Invariants:
    """Watches a SQLite database from now on; there must be nothing but what the log knows."""

    def __init__(self, database: Database) -> None:
        with database.begin() as session:
            for name, (when, what) in NEVER.items():
                for event, condition in (("UPDATE", when), ("DELETE", "1")):
                    sql = (
                        f"CREATE TRIGGER never_{event}_{name} BEFORE {event} ON {name} "
                        f"WHEN {condition} BEGIN SELECT RAISE(ABORT, '{what}'); END"
                    )
                    session.execute(text(sql.replace(":", "\\:")))
        watch(database)
        self._connection = sqlite3.connect(str(database.engine.url.database))
        self._seen, self._rows = 0, self._head()

    def close(self) -> None:
        self._connection.close()

    def check(self, tournament_id: str) -> None:
        """After a step. Raises AssertionError."""
        self._check_audit()
        for what, query in CHECKS.items():
            assert self._one(query, it=tournament_id) is None, what

    def _check_audit(self) -> None:
        """One row in the log for each thing that the database itself saw changing, not one more."""
        changed = """SELECT count(*) FROM
                     (SELECT DISTINCT name, row_id, mark FROM seen WHERE rowid > :done)"""
        count = self._one(changed, done=self._seen)
        self._seen = self._one("SELECT coalesce(max(rowid), 0) FROM seen")
        before, self._rows = self._rows, self._head()
        assert self._rows - before == count, "audit rows are not the changes"

    def _head(self) -> int:
        return int(self._one("SELECT coalesce(max(seq), 0) FROM audit"))

    def _one(self, query: str, **values: Any) -> Any:
        found = self._connection.execute(query, values).fetchone()
        return found[0] if found else None
