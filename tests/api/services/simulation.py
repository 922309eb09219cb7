"""Random tournaments through the services, with invented results; invariants.py says what holds.

Entries come and go (goings.py), rounds are seated by hand, matches are annulled and replayed,
points are ruled and rulings undone, owners appeal, rounds run over their time, tournaments pause,
cannot be seated, end early or run to their end. Nothing is played.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sqlalchemy import select

from baohuang.api.errors import Conflict, Invalid
from baohuang.api.models import Appeal, Entry, Match, Round, Ruling, RulingKind, Seat, utc_now
from baohuang.api.models import TournamentStatus as Status
from baohuang.api.services import (
    appeals,
    archive_check,
    archive_file,
    deadlines,
    formats,
    history,
    next_round,
    overlay,
    rounds,
    rulings,
    standings,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask
from baohuang.engine.tournament import luck

from .conftest import World
from .goings import Goings
from .invariants import Invariants
from .playing import FakeMatch, deal, finish_at_once

MOST_ROUNDS = 4
FORMATS = ("round_robin", "round_robin", "swiss", "knockout", "ladder", "single_table")
POINTS = (4, 1, 0, -2, -3)
SMALL = 14  # entries of a tournament that can afford five matches a table


@dataclass
class Simulation(Goings):
    """One tournament; everything is checked after every step."""

    world: World
    random: Random
    agents: list[str]
    invariants: Invariants
    tournament_id: str = ""
    deals: int = 3
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
        self.appeal_some()
        self.check_archive()

    def begin(self, size: int) -> None:
        format_ = self.random.choice(FORMATS if size <= 9 else FORMATS[:-1])
        options: dict[str, Any] = {**self.settings(size), "format": format_}
        options["rounds"] = None if format_ == "knockout" else self.random.randint(1, 3)
        effort = {"effort": 2} if format_ in ("round_robin", "single_table") else {}
        entering = self.random.sample(self.agents, size)
        options |= {"format_options": effort, **self.scheduling(entering), "deals": self.deals}
        if self.one_in(6):
            options |= self.duplicate(size, effort)
        elif self.one_in(6):
            options |= {"par": {"bot": "greedy", "playouts": 2}, "scoring": "adjusted"}
        self.tournament_id = self.world.draft(**options)
        self.step("draft")
        self.act("open_entry")
        self.enter_all(entering)
        if self.one_in(3):
            self.withdraw()
        if options["check_in_s"] is not None:
            self.check_in()
        self.act("start")

    def duplicate(self, size: int, options: dict[str, Any]) -> dict[str, Any]:
        """Boards that are played again, at the same table or at all."""
        self.deals = 1 if size <= SMALL else self.deals
        how: dict[str, Any] = {"boards": 5} if size <= SMALL else {"shared_boards": True}
        scoring = self.random.choice(["points", "board_difference"])
        return {"format_options": options | how, "scoring": scoring, "deals": self.deals}

    def scheduling(self, entering: list[str]) -> dict[str, Any]:
        """What may go wrong later: pairs that must not meet, rounds that take too long."""
        pairs = [sorted(self.random.sample(entering, 2)) for _ in range(self.random.randint(0, 3))]
        return {
            "forbidden_pairs": pairs if self.one_in(3) else [],
            "advance": self.random.choice(["automatic", "automatic", "manual"]),
            "round_limit_s": 600,
            "overdue": self.random.choice(["autoplay", "cancel", "attention"]),
            "appeal_window_s": 3600,
        }

    @property
    def status(self) -> Status:
        return Status(self.world.tournament(self.tournament_id).status)

    def round(self) -> bool:
        """One round with what happens around it; whether there was one."""
        while not self.one_in(3):
            self.come_or_go()
        if self.one_in(4):
            self.seat_by_hand()
        ids = self.open()
        for match_id in ids:
            if self.waits(match_id):  # else a ruling or the deadline has ended it
                self.play(match_id)
        if self.status == Status.RUNNING and self.one_in(6):
            self.act("pause")
            self.act("resume")
        self.finish_replays()
        if self.status == Status.NEEDS_ATTENTION:
            self.act("resume")
            self.finish_replays()
        self.close()
        return bool(ids)

    def play(self, match_id: str) -> None:
        """One match, and what happens beside it."""
        if self.one_in(25):
            self.rule("annul", match_id=match_id)
            return
        if self.one_in(10):
            self.withdraw()
        with self.somebody_missing() if self.one_in(10) else nullcontext():
            self.finish(match_id)
        beside = (self.rule_some, 8), (self.appeal_some, 8), (self.run_over, 20)
        for happens, chances in beside:
            if self.one_in(chances):
                happens()

    def open(self) -> list[str]:
        """The next round, asked for where it does not come by itself; by hand if it must be."""
        if self.world.tournament(self.tournament_id).next_round_at is None:
            self.attempt("ask for a round", next_round.ask, self.tournament_id)
        ids = self.world.open_next(self.tournament_id)
        self.step("open")
        if self.status == Status.NEEDS_ATTENTION:
            self.seat_whatever()
            self.act("resume")
            ids = self.world.open_next(self.tournament_id)
            self.step("open by hand")
        self.check_byes()
        return ids

    def close(self) -> None:
        self.world.close_rounds()
        self.step("close")
        with self.world.database.read() as session:
            tournament = self.world.tournament(self.tournament_id)
            made = standings.compute(session, tournament)
            kept = standings.rows(session, ANONYMOUS, self.tournament_id, None, 1000).items
            luck_told = history.tells_luck(tournament)
            played = history.played(session, self.tournament_id, hands=luck_told)
            counting = luck.told(played, formats.scheme(tournament)[1])
        assert [row.to_json()["entry"] for row in made] == [row["entry"] for row in kept]
        assert sum(row.scored for row in made) + sum(r.points for r in counting if r.stand_in) == 0
        assert sum(r.board or 0 for r in counting) == 0 == sum(r.adjusted or 0 for r in counting)
        assert all((r.adjusted is None) == (tournament.par is None) for r in counting if r.deals)

    def waits(self, match_id: str) -> bool:
        with self.world.database.read() as session:
            return session.get_one(Match, match_id).status == "queued"

    def finish(self, match_id: str) -> None:
        """Some deals with random places; now and then a penalty."""
        if self.status != Status.RUNNING:
            return
        deals, penalties = [], [0] * 5
        for _ in range(self.deals):
            places = self.random.sample(range(1, 6), 5)
            scores = [POINTS[place - 1] for place in places]
            deals.append(deal(scores, places=places, emperor=0, guard=1))
        if self.one_in(20):
            penalties[self.random.randrange(5)] = -40
        finish_at_once(self.world, match_id, FakeMatch(deals, penalties))
        self.step("finish")

    def finish_replays(self) -> None:
        with self.world.database.read() as session:
            left = select(Match.id).where(
                Match.tournament_id == self.tournament_id, Match.status == "queued"
            )
            waiting = list(session.scalars(left))
        for match_id in waiting:
            self.finish(match_id)

    def run_over(self) -> None:
        """The round's time is up."""
        with self.world.database.begin() as session:
            running = select(Round).where(
                Round.tournament_id == self.tournament_id, Round.status == "running"
            )
            late = session.scalars(running).one_or_none()
            if late is None:
                return
            late.deadline_at = utc_now()
            late.version += 1
        self.step("deadline")
        with self.world.database.begin() as session:
            deadlines.enforce(session, late.id)
        self.step("overdue")

    def seat_by_hand(self) -> None:
        """The next round as it would be drawn, two entries exchanged; or one table of it."""
        with self.world.database.read() as session:
            drawn = rounds.draw_next(session, self.world.vault, self.tournament_id).decision
        made = getattr(drawn, "round", None)
        if made is None:
            return
        tables = [list(table) for table in made.tables]
        tables[0][0], tables[-1][4] = tables[-1][4], tables[0][0]
        if self.one_in(2):
            self.rule("seat", tables=tables[:1], others="drawn")
        else:
            self.rule("seat", tables=tables, byes=list(made.byes))

    def seat_whatever(self) -> None:
        """As many tables as there are, by the order of entry; spare house bots fill the last."""
        with self.world.database.read() as session:
            number = history.last_number(session, self.tournament_id) + 1
            state = history.state(session, self.world.tournament(self.tournament_id))
        there = [entrant.id for entrant in state.active(number)]
        there += state.house[: -len(there) % 5]
        whole = len(there) - len(there) % 5
        self.rule("seat", tables=[there[at : at + 5] for at in range(0, whole, 5)])

    def rule_some(self) -> None:
        """Some rulings about what there is; a refusal is an answer too."""
        with self.world.database.read() as session:
            of_match = select(Match.id).where(Match.tournament_id == self.tournament_id)
            of_ruling = select(Ruling.id).where(
                Ruling.tournament_id == self.tournament_id, Ruling.kind != RulingKind.UNDO
            )
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
        for kind, fields in self.random.sample(wishes, self.random.randint(1, 3)):
            self.rule(kind, **fields)

    def rule(self, kind: str, **fields: Any) -> None:
        try:
            with self.world.database.begin() as session:
                ask = Ask(RulingKind(kind), "drawn by lot", **fields)
                rulings.make(session, self.world.people["olga"], self.tournament_id, ask)
        except (Conflict, Invalid):
            kind = f"{kind} refused"
        self.step(kind)

    def appeal_some(self) -> None:
        """Somebody appeals about a match that its entry sat in; another appeal is decided."""
        with self.world.database.read() as session:
            sat = (
                select(Seat.entry_id, Match.id)
                .join(Match, Match.table_id == Seat.table_id)
                .join(Entry, Entry.id == Seat.entry_id)
                .where(Match.tournament_id == self.tournament_id, Entry.agent_id.is_not(None))
                .order_by(Match.id, Seat.seat)
            )
            seats = session.execute(sat).all()
            pending = select(Appeal.id).where(
                Appeal.tournament_id == self.tournament_id, Appeal.status == "open"
            )
            waiting = list(session.scalars(pending.order_by(Appeal.id)))
        if seats:
            entry_id, match_id = self.random.choice(seats)
            about = {"entry_id": entry_id, "match_id": match_id, "statement": "drawn by lot"}
            self.attempt("appeal", appeals.make, self.tournament_id, who="ada", **about)
        if waiting and self.one_in(2):
            outcome = self.random.choice(["upheld", "rejected"])
            decision = {"outcome": outcome, "reason": "drawn by lot"}
            self.attempt("decide", appeals.decide, self.random.choice(waiting), **decision)
        elif waiting and self.one_in(3):
            self.attempt("withdraw", appeals.withdraw, self.random.choice(waiting), who="ada")

    def act(self, action: str) -> None:
        self.world.act(action, self.tournament_id)
        self.step(action)

    def step(self, what: str) -> None:
        """Whatever was just done, everything holds."""
        self.steps[what] += 1
        self.invariants.check(self.tournament_id)

    def check_byes(self) -> None:
        """Of those who were there all the time nobody has two byes more than another.

        A round by hand may do as it likes; the rounds after it make the difference no greater.
        """
        with self.world.database.read() as session:
            drawn = history.rounds(session, self.tournament_id)
            everybody = history.field(session, self.tournament_id).entrants
            seated = [overlay.seating(session, self.tournament_id, r.number) for r in drawn]
        always = [e.id for e in everybody if all(e.active(r.number) for r in drawn)]
        had, before = Counter[str](), 0
        for round_, by_hand in zip(drawn, seated, strict=True):
            had.update(round_.byes)
            counts = [had[x] for x in always]
            now = max(counts, default=0) - min(counts, default=0)
            assert by_hand or now <= max(1, before), f"round {round_.number}: {counts}"
            before = now

    def check_archive(self) -> None:
        """It replays without a difference: every seating, every standing."""
        with self.world.database.read() as session:
            if self.world.tournament(self.tournament_id).entrants_hash is None:
                return
            lines = archive_file.export(session, self.world.vault, ANONYMOUS, self.tournament_id)
            parsed = archive_file.parse(lines)
        found = [str(difference) for difference in archive_check.check(parsed, records=False)]
        assert not found, found
