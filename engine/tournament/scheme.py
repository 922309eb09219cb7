"""What a tournament format is: the values it works on, and its contract.

A scheme is pure: from the entries, the rounds so far and the draw it says what comes next. It
keeps nothing between calls. `Course` is a result that a caller may hand back to save work; without
it the same course is made again from the draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

from .entrants import Entrant
from .lots import Lots
from .plan import Round, Schedule
from .results import Adjustment, Result

OptionValue = int | str | bool
Options = Mapping[str, OptionValue]


class OptionError(ValueError):
    """An option of a format was refused; `option` names it."""

    def __init__(self, option: str, message: str) -> None:
        self.option, self.message = option, message
        super().__init__(f"{option}: {message}")


@dataclass(frozen=True)
class Course:
    """A schedule in progress: its round k is the tournament's round start + k.

    `who` gives the occupant of each place of the schedule (its planned id): places of those who
    left are taken over. `own`: the place that each had last who came when it was planned already.
    """

    start: int
    schedule: Schedule
    who: Mapping[str, str]
    own: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """For storing."""
        return {
            "start": self.start,
            "schedule": self.schedule.to_json(),
            "who": dict(self.who),
            "own": dict(self.own),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Course:
        """What `to_json` gave; ValueError if it is anything else."""
        start, made, who = data.get("start"), data.get("schedule"), data.get("who")
        if not (isinstance(start, int) and isinstance(made, dict) and isinstance(who, dict)):
            raise ValueError("a course has the number start and the objects schedule and who")
        places = {str(place): str(entry) for place, entry in who.items()}
        own = data.get("own")  # what was stored before has none
        had = {str(x): str(place) for x, place in own.items()} if isinstance(own, dict) else {}
        return cls(start, Schedule.from_json(made), places, had)


@dataclass(frozen=True)
class State:
    """All that a scheme may look at.

    entrants: everyone who was ever entered, the withdrawn too. house: ids of house entries that may
    fill places, in order of use; four are enough, but a format whose tables stay together
    (knockout) needs one more for everyone who leaves. rounds: those drawn so far. lots(n): the draw
    of round n (contract.md section 3, ctx `round/{n}/seats`), from its beginning at every call.
    options: as `Scheme.options` returned them. adjustments: points by rulings. tie_breaks, scoring,
    lot: as `standings.standings` has them, for formats that let the best go on.
    """

    entrants: tuple[Entrant, ...]
    options: Options
    lots: Callable[[int], Lots]
    house: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()
    results: tuple[Result, ...] = ()
    adjustments: tuple[Adjustment, ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    course: Course | None = None
    tie_breaks: tuple[str, ...] = ()
    scoring: str = "points"
    lot: Callable[[str], int] | None = None

    @property
    def number(self) -> int:
        """Of the round to come."""
        return len(self.rounds) + 1

    @property
    def counted(self) -> list[Result]:
        """The results that belong to their entries: not those of stand-ins."""
        return [result for result in self.results if not result.stand_in]

    @property
    def ruled(self) -> list[Adjustment]:
        """The rulings of rounds so far: a state of earlier may know later ones."""
        return [ruled for ruled in self.adjustments if ruled.round < self.number]

    @property
    def spread(self) -> list[str]:
        """Ids of all house entries."""
        return [*self.house, *(e.id for e in self.entrants if e.house)]

    def active(self, number: int) -> list[Entrant]:
        """Who may be seated in a round, by id."""
        return sorted((e for e in self.entrants if e.active(number)), key=lambda e: e.id)


@dataclass(frozen=True)
class Seated:
    """The next round, and the course to hand back with the next state."""

    round: Round
    course: Course | None = None


@dataclass(frozen=True)
class Finished:
    """There is no further round, and why."""

    reason: str


@dataclass(frozen=True)
class NeedsAttention:
    """No round can be drawn until the organizer decides; `cause` says what is wrong."""

    cause: str


Progress = Mapping[str, tuple[int | Fraction, ...]]
"""How far each entry came, compared before points; entries not named came last."""

Decision = Seated | Finished | NeedsAttention


@dataclass(frozen=True)
class Option:
    """One option of a format: a number in a range or of `choices`, one of `words`, or yes/no."""

    name: str
    default: OptionValue
    help: str
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    choices: tuple[int, ...] = ()

    def parse(self, value: object) -> OptionValue:
        """The value, checked. Raises OptionError."""
        if isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
            raise OptionError(self.name, "must be true or false")
        if isinstance(value, str) and value in self.words:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and self._has(value):
            return value
        raise OptionError(self.name, f"must be {self.allowed()}")

    def allowed(self) -> str:
        """In words, for messages and documentation."""
        number = [] if self.least is None else [f"a number from {self.least} to {self.most}"]
        return " or ".join([*number, *map(str, self.choices), *(f"'{w}'" for w in self.words)])

    def _has(self, value: int) -> bool:
        if self.least is None or self.most is None:
            return value in self.choices
        return self.least <= value <= self.most


def parse_options(known: tuple[Option, ...], raw: Mapping[str, object]) -> Options:
    """Every known option, given or default. Raises OptionError, also for an unknown one."""
    names = {option.name for option in known}
    for name in raw:
        if name not in names:
            raise OptionError(name, f"unknown; there are {', '.join(sorted(names))}")
    return {o.name: o.parse(raw[o.name]) if o.name in raw else o.default for o in known}


class Scheme(Protocol):
    """The contract of a format; formats.py registers them and one test runs over all."""

    @property
    def name(self) -> str: ...

    @property
    def known(self) -> tuple[Option, ...]: ...

    @property
    def most_entries(self) -> int | None: ...

    def options(self, raw: Mapping[str, object]) -> Options:
        """Validated options with all defaults; JSON-able. Raises OptionError."""

    def rounds_total(self, options: Options, entries: int) -> int | None:
        """How many rounds a field of `entries` plays; None if that is open."""

    def next_round(self, state: State) -> Decision:
        """What comes after `state.rounds`."""

    def progress(self, state: State) -> Progress:
        """What ranks before points in the standings; empty where points alone decide."""


def ranked_first(scheme: Scheme, state: State) -> Progress:
    """What ranks before points: who was not disqualified, then the format's progress."""
    progress = scheme.progress(state)
    out = {e.id for e in state.entrants if e.disqualified}
    if not out:
        return progress
    everybody = {*progress, *(e.id for e in state.entrants), *state.house}
    return {x: (1, *progress.get(x, ())) for x in everybody - out}
