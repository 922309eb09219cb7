"""A tournament recomputed from its archive: every seating, every published standing.

Round by round the format is asked again with what was known when the round was drawn. Later
corrections change no earlier round. What the organizer seated by hand is only checked for sense,
what an older version of the drawing drew for that and for what no version ever did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from ..draw import Draw
from . import luck
from .archive import Annulled, Archive, Drawn, Entered, Event, Played, Ranked, Ruled, Settings
from .drawing import DRAWING, FIRST
from .entrants import Entrant, took_part
from .formats import FORMATS
from .lots import lot_of
from .plan import Round
from .results import Result
from .scheme import Decision, OptionError, Seated, State, ranked_first
from .sheets import make_sheets
from .standings import TieBreakError, check_tie_breaks, standings


@dataclass(frozen=True)
class Difference:
    """event: its index in the archive, from 0; -1 for the settings."""

    event: int
    what: str


def not_drawn_again(archive: Archive) -> str | None:
    """What a check leaves out, in words; None if it draws every round again."""
    if archive.drawing == DRAWING:
        return None
    return f"seats were drawn by version {archive.drawing} of the drawing, not drawn again here"


def check(archive: Archive) -> list[Difference]:
    """All differences, the first one first; empty if the tournament is as it must be."""
    try:
        replay = Replay(archive.settings)
    except (OptionError, TieBreakError) as error:
        return [Difference(-1, str(error))]
    return [
        Difference(number, what)
        for number, event in enumerate(archive.events)
        for what in replay.add(event)
    ]


class Replay:
    """The tournament as it stands after the events so far. Raises OptionError, TieBreakError."""

    def __init__(self, settings: Settings) -> None:
        if settings.format not in FORMATS:
            raise OptionError("format", f"unknown; there are {', '.join(FORMATS)}")
        check_tie_breaks(settings.tie_breaks, settings.scoring)
        self.settings = settings
        self.scheme = FORMATS[settings.format]
        self.matches: dict[str, tuple[Result, ...]] = {}
        self._tables: dict[tuple[int, int], list[str]] = {}
        self._stale = False
        self._drawing = FIRST
        self._again = True
        self._state = State(
            (),
            self.scheme.options(settings.options),
            lambda number: Draw(settings.key, f"round/{number}/seats"),
            settings.house,
            forbidden=settings.forbidden,
            tie_breaks=settings.tie_breaks,
            scoring=settings.scoring,
            lot=self._lot,
        )

    @property
    def state(self) -> State:
        """What the format sees now; results are put in order once after any number of matches."""
        if self._stale:
            every = tuple(r for name in sorted(self.matches) for r in self.matches[name])
            self._state, self._stale = replace(self._state, results=every), False
        return self._state

    def add(self, event: Event) -> Iterator[str]:
        """Take the event in; what is wrong with it."""
        match event:
            case Entered(entrant):
                self._enter(entrant)
            case Drawn(round_, manual, drawing):
                yield from self._drawn_by(round_, drawing)
                yield from self._draw(round_, manual=manual)
            case Played(match, results):
                yield from self._match(match, results)
                self._set(match, results)
            case Annulled(match):
                if match not in self.matches:
                    yield f"there is no match {match} to annul"
                self._set(match, ())
            case Ruled(adjustment):
                rulings = (*self._state.adjustments, adjustment)
                self._state = replace(self._state, adjustments=rulings)
            case Ranked():
                yield from self._rank(event)

    def rows(self, as_of: int, *, house: bool) -> list[dict[str, object]]:
        """The standings as they are now."""
        state = self.state
        rounds = tuple(r for r in state.rounds if r.number <= as_of)
        results = tuple(r for r in state.results if r.round <= as_of)
        then = replace(state, rounds=rounds, results=results)
        sheets = make_sheets(
            took_part(state.entrants, len(rounds)),
            rounds,
            luck.told(results, state.options),
            house={*state.spread},
            adjustments=state.adjustments,
        )
        made = standings(
            sheets,
            self.settings.tie_breaks,
            lot=self._lot,
            house=house,
            progress=ranked_first(self.scheme, then),
            scoring=self.settings.scoring,
        )
        return [row.to_json() for row in made]

    def _lot(self, entry: str) -> int:
        """Lots are drawn with round 1; before it nobody has one."""
        if not self._state.rounds:
            return 0
        return lot_of(lambda context: Draw(self.settings.key, context), entry)

    def _enter(self, entrant: Entrant) -> None:
        others = [e for e in self._state.entrants if e.id != entrant.id]
        self._state = replace(self._state, entrants=(*others, entrant))

    def _set(self, match: str, results: tuple[Result, ...]) -> None:
        self.matches[match] = results
        self._stale = True

    def _drawn_by(self, round_: Round, drawing: int) -> Iterator[str]:
        """Servers go on to newer versions, never back; what follows an older one is not ours."""
        if drawing < self._drawing:
            yield f"round {round_.number} has version {drawing} after version {self._drawing}"
        self._drawing = max(drawing, self._drawing)
        self._again &= drawing == DRAWING

    def _draw(self, round_: Round, *, manual: bool) -> Iterator[str]:
        state = self.state
        yield from sense(round_, state)
        course = state.course
        if self._again:
            decision = self.scheme.next_round(state)
            if isinstance(decision, Seated):
                course = decision.course
            if not manual:
                yield from _otherwise(round_, decision)
        elif not manual:
            yield from _never(round_, state, self._free_comers())
        self._state = replace(state, rounds=(*state.rounds, round_), course=course)
        self._tables |= {
            (round_.number, number): sorted(table) for number, table in enumerate(round_.tables, 1)
        }

    def _free_comers(self) -> set[str]:
        """Who came late or back into a knockout: version 1 looked at no pairs for them."""
        if self.scheme is not FORMATS["knockout"]:
            return set()
        return {e.id for e in self._state.entrants if e.joined > 1 or e.absent}

    def _match(self, match: str, results: Sequence[Result]) -> Iterator[str]:
        places = {(r.round, r.table) for r in results}
        if len(places) != 1 or not places <= self._tables.keys():
            yield f"match {match} is not of one table that was drawn"
            return
        (place,) = places
        if sorted(r.entry for r in results) != self._tables[place]:
            yield f"match {match} was not played by the five of its table"
        if sorted(r.seat for r in results) != [0, 1, 2, 3, 4]:
            yield f"match {match} has not one result a seat"
        if sum(r.points for r in results):
            yield f"the points of match {match} do not add up to 0"
        if any(r.hands and sum(h.score for h in r.hands) != r.points for r in results):
            yield f"the hands of match {match} do not add up to its points"
        if any(r.penalty > 0 for r in results):
            yield f"match {match} has a positive penalty"

    def _rank(self, published: Ranked) -> Iterator[str]:
        made = self.rows(published.as_of, house=published.house)
        if len(made) != len(published.rows):
            yield f"the standings have {len(published.rows)} rows and should have {len(made)}"
        for k, (row, shown) in enumerate(zip(made, published.rows, strict=False), 1):
            for name in sorted({*row, *shown}):
                if row.get(name) != shown.get(name):
                    yield f"row {k}: {name} is {shown.get(name)} and should be {row.get(name)}"


def _otherwise(round_: Round, decision: Decision) -> Iterator[str]:
    if not isinstance(decision, Seated):
        yield f"round {round_.number} was drawn, but the format says: {decision}"
    elif decision.round != round_:
        yield f"round {round_.number} should be {decision.round}"


def _never(round_: Round, state: State, free: Container[str]) -> Iterator[str]:
    """What no version of the drawing does, whatever else it draws. free: of forbidden pairs."""
    met = {frozenset(pair) for table in round_.tables for pair in combinations(table, 2)}
    for one, other in state.forbidden:
        if frozenset((one, other)) in met and one not in free and other not in free:
            yield f"round {round_.number} seats {one} with {other}, who must not meet"
    if not round_.tables:
        yield f"round {round_.number} has no table"
    rounds = state.options.get("rounds")
    if isinstance(rounds, int) and round_.number > rounds:
        yield f"round {round_.number} was drawn, but there are {rounds} rounds"


def sense(round_: Round, state: State) -> Iterator[str]:
    """What is wrong with a round, whoever drew it."""
    yield from strange(round_, state)
    placed = {*(x for t in round_.tables for x in t), *round_.byes, *round_.out}
    active = {e.id for e in state.active(state.number)}
    if forgotten := sorted(active - placed):
        yield f"round {round_.number} forgets {', '.join(forgotten)}"


def strange(round_: Round, state: State) -> Iterator[str]:
    """What is wrong with a round as far as it goes: some may be at no table yet."""
    if round_.number != state.number:
        yield f"round {round_.number} follows round {len(state.rounds)}"
    if any(len(table) != 5 for table in round_.tables):
        yield f"round {round_.number} has a table that is not of five"
    placed = Counter([*(x for t in round_.tables for x in t), *round_.byes, *round_.out])
    if twice := sorted(x for x, times in placed.items() if times > 1):
        yield f"round {round_.number} has {', '.join(twice)} in two places"
    active = {e.id for e in state.active(state.number)}
    if strangers := sorted(placed.keys() - active - set(state.house)):
        yield f"round {round_.number} seats {', '.join(strangers)}, who do not take part in it"
