"""Random tournaments through the services, with invented results, and what must hold all the time.

Entries come and go (goings.py), rounds are seated by hand, matches are annulled and replayed,
points are ruled and rulings undone, tournaments pause, end early or run to their end. Nothing is
played.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sqlalchemy import select, text

from baohuang.api.errors import Conflict, Invalid
from baohuang.api.models import Match, Result, Ruling, RulingKind
from baohuang.api.models import TournamentStatus as Status
from baohuang.api.services import (
    archive_check,
    archive_file,
    audit,
    history,
    rounds,
    rulings,
    standings,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .conftest import World
from .goings import Goings
from .playing import FakeMatch, deal, finish

MOST_ROUNDS = 4
FORMATS = ("round_robin", "round_robin", "swiss", "knockout", "ladder", "single_table")
POINTS = (4, 1, 0, -2, -3)


@dataclass
class Counts:
    """How many rows the log has, and how many changes the database itself has seen."""

    seen: int = 0
    rows: int = 0


@dataclass
class Simulation(Goings):
    """One tournament; `check` after every step."""

    world: World
    random: Random
    agents: list[str]
    counts: Counts
    tournament_id: str = ""
    finished: dict[str, Any] = field(default_factory=dict)
    steps: Counter[str] = field(default_factory=Counter)

    def run(self, size: int) -> None:
        """From a draft to the archive."""
        self.begin(size)
        for _ in range(MOST_ROUNDS):
            if self.status != Status.RUNNING or not self.round():
                break
        if self.status not in (Status.FINISHED, Status.CANCELLED):
            self.act("cancel")
        self.rule_some()
        self.check_archive()

    def begin(self, size: int) -> None:
        format_ = self.random.choice(FORMATS if size <= 9 else FORMATS[:-1])
        options: dict[str, Any] = {**self.settings(size), "format": format_, "format_options": {}}
        options["rounds"] = None if format_ == "knockout" else self.random.randint(1, 3)
        if format_ == "round_robin":
            options["format_options"] = {"effort": 2}
        try:
            self.tournament_id = self.world.draft(**options)
        except Invalid:  # the format has no such option
            self.tournament_id = self.world.draft(**{**options, "format_options": {}})
        self.step("draft")
        self.act("open_entry")
        for agent_id in self.random.sample(self.agents, size):
            self.enter(agent_id)
        if self.one_in(3):
            self.withdraw()
        if options["check_in_s"] is not None:
            self.check_in()
        self.act("start")

    @property
    def status(self) -> Status:
        return Status(self.world.tournament(self.tournament_id).status)

    def round(self) -> bool:
        """One round with what happens around it; whether there was one."""
        while self.one_in(2):
            self.come_or_go()
        if self.one_in(6):
            self.seat_by_hand()
        ids = self.world.open_next(self.tournament_id)
        self.step("open")
        for match_id in ids:
            if not self.waits(match_id):
                continue  # a ruling has cancelled it
            if self.one_in(25):
                self.rule("annul", match_id=match_id)
                continue
            if self.one_in(10):
                self.withdraw()
            with self.somebody_missing() if self.one_in(10) else nullcontext():
                self.finish(match_id)
            if self.one_in(8):
                self.rule_some()
        if self.one_in(6):
            self.act("pause")
            self.act("resume")
        self.finish_replays()
        self.world.close_rounds()
        self.step("close")
        return bool(ids)

    def waits(self, match_id: str) -> bool:
        with self.world.database.read() as session:
            return session.get_one(Match, match_id).status == "queued"

    def finish(self, match_id: str) -> None:
        """Three deals with random places; now and then a penalty."""
        deals, penalties = [], [0] * 5
        for _ in range(3):
            places = self.random.sample(range(1, 6), 5)
            scores = [POINTS[place - 1] for place in places]
            deals.append(deal(scores, places=places, emperor=0, guard=1))
        if self.one_in(20):
            penalties[self.random.randrange(5)] = -40
        finish(self.world, match_id, FakeMatch(deals, penalties))
        self.step("finish")

    def finish_replays(self) -> None:
        with self.world.database.read() as session:
            left = select(Match.id).where(
                Match.tournament_id == self.tournament_id, Match.status == "queued"
            )
            waiting = list(session.scalars(left))
        for match_id in waiting:
            self.finish(match_id)

    def seat_by_hand(self) -> None:
        """The next round as it would be drawn, two entries exchanged."""
        with self.world.database.read() as session:
            drawn = rounds.draw_next(session, self.world.vault, self.tournament_id).decision
        made = getattr(drawn, "round", None)
        if made is None:
            return
        tables = [list(table) for table in made.tables]
        tables[0][0], tables[-1][4] = tables[-1][4], tables[0][0]
        self.rule("seat", tables=tables, byes=list(made.byes))

    def rule_some(self) -> None:
        """Some rulings about what there is; a refusal is an answer too."""
        with self.world.database.read() as session:
            of_match = select(Match.id).where(Match.tournament_id == self.tournament_id)
            of_ruling = select(Ruling.id).where(Ruling.tournament_id == self.tournament_id)
            matches, made = list(session.scalars(of_match)), list(session.scalars(of_ruling))
            last = history.last_number(session, self.tournament_id)
        entry = self.any_entry()
        points = {"entry_id": entry, "round": self.random.randint(1, last or 1), "points": -7}
        wishes: list[tuple[str, dict[str, Any]]] = [
            ("adjust", {**points, "points": 5}),
            ("penalize", points),
            ("warn", {"entry_id": entry}),
            ("disqualify", {"entry_id": entry}),
        ]
        if matches:
            wishes += [(kind, {"match_id": self.random.choice(matches)}) for kind in
                       ("annul", "replay")]  # fmt: skip
        if made:
            wishes += [("undo", {"ruling_id": self.random.choice(made)})] * 3
        for kind, fields in self.random.sample(wishes, self.random.randint(0, 2)):
            self.rule(kind, **fields)

    def rule(self, kind: str, **fields: Any) -> None:
        try:
            with self.world.database.begin() as session:
                ask = Ask(RulingKind(kind), "drawn by lot", **fields)
                rulings.make(session, self.world.people["olga"], self.tournament_id, ask)
        except (Conflict, Invalid):
            kind = f"{kind} refused"
        self.step(kind)

    def act(self, action: str) -> None:
        self.world.act(action, self.tournament_id)
        self.step(action)

    def step(self, what: str) -> None:
        """Whatever was just done, everything holds."""
        self.steps[what] += 1
        self.check_audit()
        self.check_play()

    def check_audit(self) -> None:
        with self.world.database.begin() as session:
            changes = "SELECT count(*) FROM (SELECT DISTINCT name, row_id, mark FROM seen)"
            self.counts.seen += session.execute(text(changes)).scalar_one()
            session.execute(text("DELETE FROM seen"))
            self.counts.rows = audit.head(session).seq
        assert self.counts.seen == self.counts.rows, self.steps

    def check_play(self) -> None:
        with self.world.database.read() as session:
            drawn = history.rounds(session, self.tournament_id)
            results = session.execute(
                select(*Result.__table__.columns)
                .where(Result.tournament_id == self.tournament_id)
                .order_by(Result.match_id, Result.seat)
            ).all()
            query = select(Match.id, Match.version, Match.record).where(
                Match.tournament_id == self.tournament_id, Match.status == "finished"
            )
            finished = {row.id: tuple(row) for row in session.execute(query)}
            tournament = self.world.tournament(self.tournament_id)
            made = standings.compute(session, tournament) if drawn else ()
            counting = history.played(session, self.tournament_id)
        byes: Counter[str] = Counter()
        for round_ in drawn:
            seated = [x for table in round_.tables for x in table]
            placed = [*seated, *round_.byes, *round_.out]
            assert len(placed) == len(set(placed)), "an entry is in two places"
            byes.update(round_.byes)
        assert max(byes.values(), default=0) - min((byes[x] for x in byes), default=0) <= 2
        by_match: dict[str, list[Any]] = {}
        points: Counter[str] = Counter()
        for row in results:
            by_match.setdefault(row.match_id, []).append(tuple(row))
            points[row.match_id] += row.points
            assert row.penalty <= 0
        assert not any(points.values()), "the points of a match do not add up"
        assert by_match.keys() == finished.keys()
        for match_id, rows in by_match.items():
            fact = (finished[match_id], rows)
            assert self.finished.setdefault(match_id, fact) == fact, "a finished match changed"
        assert self.finished.keys() == finished.keys()
        nobodys = sum(row.points for row in counting if row.stand_in)
        assert sum(row.scored for row in made) + nobodys == 0
        assert all(row.points == row.scored + row.penalty + row.adjustment for row in made)

    def check_archive(self) -> None:
        """It replays without a difference: every seating, every standing."""
        with self.world.database.read() as session:
            if self.world.tournament(self.tournament_id).entrants_hash is None:
                return
            lines = archive_file.export(session, self.world.vault, ANONYMOUS, self.tournament_id)
            parsed = archive_file.parse(lines)
        found = [str(difference) for difference in archive_check.check(parsed, records=False)]
        assert not found, found
