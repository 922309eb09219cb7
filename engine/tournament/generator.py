"""Random tournaments: what an organizer's life brings, for testing the checker and the formats.

Entries leave, come back, come late and have substitutes, are disqualified or do not show up;
rounds and single tables are seated by hand; matches are corrected and annulled; rulings are made
and undone; standings are published in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .archive import Annulled, Archive, Drawn, Entered, Event, Played, Ranked, Ruled, Settings
from .by_hand import put_in
from .checker import Replay
from .duplicate import Sitting, sittings
from .entrants import Entrant
from .formats import FORMATS
from .lots import Lots
from .plan import SEATS, Round
from .results import Adjustment, Result, rows
from .scheme import Options, Seated
from .standings import SCORINGS, TIE_BREAKS

HOUSE = tuple(f"house-{k:02}" for k in range(1, 61))
MOST_ROUNDS = 6
DEALS = 3
POINTS = (4, 1, 0, -2, -3)
EFFORT = 2
"""Thousands of moves; random tournaments are many, and any schedule will do."""

WHOLE = 20
"""The largest field whose schedule may be a whole round robin; it is made anew at every change."""


def random_tournament(
    lots: Lots, least: int = 5, most: int = 60, format_: str | None = None
) -> Archive:
    """A tournament of `least` to `most` entries, up to six rounds, as its archive."""
    made = _Made(lots, least + lots.below(most - least + 1), format_)
    while len(made.replay.state.rounds) < MOST_ROUNDS and made.round():
        pass
    made.publish()
    return Archive(made.settings, tuple(made.events))


class _Made:
    """A tournament in the making."""

    def __init__(self, lots: Lots, entries: int, format_: str | None) -> None:
        self.lots = lots
        names = [
            name for name, s in sorted(FORMATS.items()) if entries <= (s.most_entries or entries)
        ]
        name = format_ or names[lots.below(len(names))]
        key = bytes(lots.below(256) for _ in range(32))
        ties = sorted(TIE_BREAKS)
        lots.shuffle(ties)
        options = _options(name, lots, whole=entries <= WHOLE)
        never = [(f"e{k:03}", f"e{k + 1:03}") for k in range(0, entries - 1, 9) if self.one_in(3)]
        scoring = sorted(SCORINGS)[lots.below(len(SCORINGS))]
        self.par = {(k, 1, p): Fraction(p - 2, k) for k in range(1, DEALS + 1) for p in range(5)}
        self.settings = Settings(
            name, options, key, tuple(ties[: lots.below(4)]), HOUSE, tuple(never), scoring
        )
        self.replay = Replay(self.settings)
        self.events: list[Event] = []
        self.matches: list[Played] = []
        for k in range(entries):
            owner = f"o{lots.below(entries)}" if self.one_in(2) else None
            self.add(
                Entered(Entrant(f"e{k:03}", owner=owner, seed=k + 1 if self.one_in(2) else None))
            )

    def one_in(self, chances: int) -> bool:
        return self.lots.below(chances) == 0

    def add(self, event: Event) -> None:
        """The replay takes it too; a difference here is a mistake of this file or of a format."""
        self.events.append(event)
        if wrong := list(self.replay.add(event)):
            raise AssertionError(f"{event}: {'; '.join(wrong)}")

    def round(self) -> bool:
        """One round with what happens around it; whether there was one."""
        self.come_and_go()
        decision = self.replay.scheme.next_round(self.replay.state)
        if not isinstance(decision, Seated):
            return False
        manual = self.one_in(8)
        round_ = self.by_hand(decision) if manual else decision.round
        self.add(Drawn(round_, manual))
        for sitting in self.sittings(round_):
            self.play(round_.number, sitting)
        self.rule()
        if self.one_in(2):
            self.publish()
        return True

    def come_and_go(self) -> None:
        state = self.replay.state
        for e in state.entrants:
            if e.active(state.number) and self.one_in(15):
                self.add(Entered(replace(e, left=state.number, disqualified=self.one_in(4))))
            elif e.left is not None and not e.disqualified and self.one_in(4):
                missed = e.absent | set(range(e.left, state.number))
                self.add(Entered(replace(e, left=None, absent=missed)))
            elif self.one_in(25):  # a substitute, of another owner
                self.add(Entered(replace(e, owner=f"o{self.lots.below(9)}")))
        if state.number > 1 and self.one_in(4):
            late = Entrant(f"late-{state.number}", joined=state.number)
            self.add(Entered(late))

    def by_hand(self, drawn: Seated) -> Round:
        """The first entries of the first and the last table exchanged, or a bye for one of them; or
        one table put in.
        """
        tables = [list(table) for table in drawn.round.tables]
        seated = {x for table in tables for x in table}
        if self.one_in(3) and tables[0][0] not in HOUSE and HOUSE[-1] not in seated:
            byes = (*drawn.round.byes, tables[0][0])
            tables[0][0] = HOUSE[-1]
            return replace(drawn.round, tables=tuple(map(tuple, tables)), byes=byes)
        tables[0][0], tables[-1][0] = tables[-1][0], tables[0][0]
        if self.one_in(2):
            five = (tables[-1][1], *tables[0][1:]) if len(tables) > 1 else tuple(tables[0][::-1])
            made = put_in(self.replay.state, drawn, [five])
            if isinstance(made, Seated):
                return made.round
        return replace(drawn.round, tables=tuple(map(tuple, tables)))

    def sittings(self, round_: Round) -> list[Sitting]:
        """One board where it is replayed, three deals where it is not."""
        options = self.replay.state.options
        replays, shared = int(options["boards"]), bool(options["shared_boards"])
        return sittings(round_, DEALS if replays == 1 else 1, replays, shared=shared)

    def play(self, number: int, sitting: Sitting) -> None:
        match = f"{number}/{sitting.table}/{sitting.replay}"
        rows = self.results(match, number, sitting.table, sitting.board, sitting.seats)
        self.matches.append(Played(match, tuple(rows)))
        self.add(self.matches[-1])

    def results(
        self, match: str, number: int, table: int, board: str, five: Sequence[str]
    ) -> list[Result]:
        """Deals with random places; now and then a desertion, somebody who is not there."""
        deals = [self.deal(k) for k in range(1, DEALS + 1)]
        penalties = [-40 if self.one_in(40) else 0 for _ in five]
        absent = [s for s, x in enumerate(five) if self.one_in(50) and x not in HOUSE]
        luck = self.par if self.replay.settings.scoring == "adjusted" else None
        return rows(
            five, deals, penalties, round_=number, table=table, match=match, house=HOUSE,
            stand_ins=absent, cards=board, par=luck,
        )  # fmt: skip

    def deal(self, number: int) -> dict[str, object]:
        """One as results look at it; the emperor sits anywhere."""
        order = list(range(SEATS))
        self.lots.shuffle(order)
        return {
            "number": number, "attempt": 1, "first": self.lots.below(SEATS), "result": "scored",
            "emperor": order[0], "guard": order[1], "solo": None,
            "places": [order.index(s) + 1 for s in range(SEATS)],
            "scores": [POINTS[order.index(s)] for s in range(SEATS)],
        }  # fmt: skip

    def rule(self) -> None:
        """Corrections, annulments and rulings, of any round so far."""
        if self.one_in(4):
            old = self.matches[self.lots.below(len(self.matches))]
            first = old.results[0]
            five = [r.entry for r in old.results]
            again = self.results(old.match, first.round, first.table, first.cards, five)
            self.add(Played(old.match, tuple(again)))
        if self.one_in(10):
            self.add(Annulled(self.matches[self.lots.below(len(self.matches))].match))
        if self.one_in(5):
            entrants = self.replay.state.entrants
            entry = entrants[self.lots.below(len(entrants))].id
            ruled = Adjustment(entry, 1 + self.lots.below(self.replay.state.number - 1), -10)
            self.add(Ruled(ruled))
            if self.one_in(3):
                self.add(Ruled(replace(ruled, points=10)))

    def publish(self) -> None:
        rounds = len(self.replay.state.rounds)
        as_of, house = self.lots.below(rounds + 1), self.one_in(2)
        self.add(Ranked(as_of, house, tuple(self.replay.rows(as_of, house=house))))


def _options(name: str, lots: Lots, *, whole: bool) -> Options:
    """A random choice of every option, small where it is a number. whole: `full` may be chosen."""
    chosen: dict[str, object] = {}
    for option in FORMATS[name].known:
        if option.name == "boards":
            chosen[option.name] = (1, 1, 5, 10)[lots.below(4)] if whole else 1
        elif option.name == "effort":
            chosen[option.name] = EFFORT
        elif option.words and (option.least is None or (whole and lots.below(2))):
            chosen[option.name] = option.words[lots.below(len(option.words))]
        elif option.choices:
            chosen[option.name] = option.choices[lots.below(len(option.choices))]
        elif isinstance(option.default, bool):
            chosen[option.name] = lots.below(2) == 1
        elif option.least is not None:
            chosen[option.name] = option.least + lots.below(4)
    return FORMATS[name].options(chosen)
