"""A tournament as it happened: its settings and events in order, one JSON object a line.

An event overwrites what an earlier one of the same name said (an entrant who leaves is entered
again with `left`; a corrected match is given again), so the state before any round is had by
reading up to it. That is what checker.py does.

    {"type":"tournament","format":"swiss","options":{…},"key":"hex","tie_breaks":["firsts"],
     "house":["house-1"],"forbidden":[["a","b"]],"scoring":"adjusted"}
    {"type":"entrant","id":"a","joined":1,"left":null,"owner":null,"seed":null,"house":false,
     "absent":[],"disqualified":false}
    {"type":"round","number":1,"tables":[["a","b","c","d","e"]],"byes":[],"out":[],"manual":false,
     "drawing":2}
    {"type":"match","match":"m1","results":[{"entry":"a","round":1,"table":1,"seat":0,"points":4,
     "penalty":0,"deals":5,"places":[1,0,2,1,1],"roles":{"rebel":[5,4]},"board":null,"adjusted":null,
     "stand_in":false,"cards":"1/1","hands":[[1,1,0,4,1,"rebel","3/5"]]}]}
    {"type":"annulled","match":"m1"}
    {"type":"adjustment","entry":"a","round":1,"points":-10}
    {"type":"standings","as_of":1,"house":true,"rows":[…]}

Hands ([deal, attempt, packet, score, place, role, par], results.Held) and the name of the cards are
there where luck is told: board averages and points above par are worked out from them, as they are
after every event. `scoring` is left out where it is "points", `drawing` where it is 1 (drawing.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .drawing import DRAWING, FIRST
from .entrants import Entrant
from .parsing import NUMBERS, ArchiveError, Reader
from .plan import Round
from .results import ROLES, Adjustment, Held, Result, RoleCount

WORKED_OUT = ("board", "adjusted")
"""Of a result; always null here."""
NOT_SAID = ("match", "house")
NEWER = ("cards", "hands")
"""Said only where there is something to say, so that older archives read the same."""
PAR = re.compile(r"-?[0-9]{1,9}(/[1-9][0-9]{0,8})?")


@dataclass(frozen=True)
class Settings:
    """What was fixed before the start. key: of the draws of rounds and lots, 32 bytes."""

    format: str
    options: Mapping[str, object]
    key: bytes
    tie_breaks: tuple[str, ...] = ()
    house: tuple[str, ...] = ()
    forbidden: tuple[tuple[str, str], ...] = ()
    scoring: str = "points"


@dataclass(frozen=True)
class Entered:
    """An entrant as it is from now on."""

    entrant: Entrant


@dataclass(frozen=True)
class Drawn:
    """A round. manual: the organizer seated it otherwise than the format would.

    drawing: the version of the drawing that drew it.
    """

    round: Round
    manual: bool = False
    drawing: int = DRAWING


@dataclass(frozen=True)
class Played:
    """The results of a match, as they are from now on."""

    match: str
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Annulled:
    """A match that counts no more."""

    match: str


@dataclass(frozen=True)
class Ruled:
    """Points by a ruling; undone by another with the opposite sign."""

    adjustment: Adjustment


@dataclass(frozen=True)
class Ranked:
    """Standings that were published: `rows` as Row.to_json gives them."""

    as_of: int
    house: bool
    rows: tuple[Mapping[str, Any], ...]


Event = Entered | Drawn | Played | Annulled | Ruled | Ranked


@dataclass(frozen=True)
class Archive:
    """A whole tournament."""

    settings: Settings
    events: tuple[Event, ...]

    @property
    def drawing(self) -> int:
        """The version of the drawing that drew round 1; ours where nothing was drawn."""
        return next((e.drawing for e in self.events if isinstance(e, Drawn)), DRAWING)

    def lines(self) -> Iterator[str]:
        """NDJSON, without line ends; the same bytes for the same tournament."""
        for data in (_settings_json(self.settings), *map(_event_json, self.events)):
            yield json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def read(lines: Iterable[str]) -> Archive:
    """An archive from its lines. Raises ArchiveError with the line that is wrong."""
    readers = (Reader.of_line(number, line) for number, line in enumerate(lines, 1))
    first = next(readers, None)
    if first is None:
        raise ArchiveError(1, "there is no line of the type tournament")
    if (kind := first.text("type")) != "tournament":
        raise first.error(f"a line of the type tournament is to come before one of the type {kind}")
    settings = _settings(first)
    return Archive(settings, tuple(_event(reader, settings.house) for reader in readers))


def _settings(reader: Reader) -> Settings:
    try:
        key = bytes.fromhex(reader.text("key"))
    except ValueError:
        raise reader.error("key is not hexadecimal") from None
    if len(key) != 32:
        raise reader.error("key has not 32 bytes")
    made = Settings(
        reader.text("format"),
        reader.mapping("options"),
        key,
        reader.texts("tie_breaks"),
        reader.texts("house"),
        tuple((x, y) for x, y in reader.rows("forbidden", 2)),
        reader.text("scoring") if reader.has("scoring") else "points",
    )
    reader.done()
    return made


def _event(reader: Reader, house: tuple[str, ...]) -> Event:
    match reader.text("type"):
        case "entrant":
            made: Event = Entered(_entrant(reader))
        case "round":
            made = _drawn(reader)
        case "match":
            made = _played(reader, house)
        case "annulled":
            made = Annulled(reader.text("match"))
        case "adjustment":
            made = Ruled(
                Adjustment(reader.text("entry"), reader.number("round"), reader.number("points"))
            )
        case "standings":
            made = Ranked(reader.number("as_of"), reader.flag("house"), reader.mappings("rows"))
        case other:
            raise reader.error(f"unknown type {other}")
    reader.done()
    return made


def _entrant(reader: Reader) -> Entrant:
    return Entrant(
        reader.text("id"),
        reader.number("joined"),
        reader.number_or_none("left"),
        reader.text_or_none("owner"),
        reader.number_or_none("seed"),
        reader.flag("house"),
        frozenset(reader.numbers("absent")),
        reader.flag("disqualified"),
    )


def _drawn(reader: Reader) -> Drawn:
    round_ = Round(
        reader.number("number"),
        reader.rows("tables", 5),
        reader.texts("byes"),
        reader.texts("out"),
    )
    manual = reader.flag("manual")
    drawing = reader.number("drawing") if reader.has("drawing") else FIRST
    if not FIRST <= drawing <= DRAWING:
        raise reader.error(
            f"round {round_.number} was drawn by version {drawing} of the drawing;"
            f" known here are {FIRST} to {DRAWING}, a newer server knows more"
        )
    return Drawn(round_, manual, drawing)


def _played(reader: Reader, house: tuple[str, ...]) -> Played:
    match = reader.text("match")
    results = [_result(row, match, house) for row in reader.readers("results")]
    return Played(match, tuple(results))


def _result(reader: Reader, match: str, house: tuple[str, ...]) -> Result:
    first, second, third, fourth, fifth = reader.numbers("places", 5)
    entry = reader.text("entry")
    made = Result(
        entry,
        reader.number("round"),
        reader.number("table"),
        match,
        reader.number("seat"),
        reader.number("points"),
        reader.number("penalty"),
        reader.number("deals"),
        (first, second, third, fourth, fifth),
        {name: RoleCount(*pair) for name, pair in reader.pairs("roles").items()},
        entry in house,
        stand_in=reader.flag("stand_in"),
        cards=reader.text("cards") if reader.has("cards") else "",
        hands=_hands(reader) if reader.has("hands") else (),
    )
    for name in WORKED_OUT:
        if reader.text_or_none(name) is not None:
            raise reader.error(f"{name} is worked out, not given")
    reader.done()
    return made


def _hands(reader: Reader) -> tuple[Held, ...]:
    found = []
    for deal, attempt, packet, score, place, role, par in reader.lists("hands", 7):
        numbers = (deal, attempt, packet, score, *([] if place is None else [place]))
        if not all(type(x) is int and abs(x) <= NUMBERS for x in numbers) or role not in ROLES:
            raise reader.error("hands are not as they must be")
        if par is not None and not (isinstance(par, str) and PAR.fullmatch(par)):
            raise reader.error("hands have a par that is no fraction")
        found.append(Held.from_json([deal, attempt, packet, score, place, role, par]))
    return tuple(found)


def _settings_json(s: Settings) -> dict[str, object]:
    return {
        "type": "tournament",
        "format": s.format,
        "options": dict(s.options),
        "key": s.key.hex(),
        "tie_breaks": list(s.tie_breaks),
        "house": list(s.house),
        "forbidden": [list(pair) for pair in s.forbidden],
        **({} if s.scoring == "points" else {"scoring": s.scoring}),
    }


def _event_json(event: Event) -> dict[str, object]:
    match event:
        case Entered(e):
            return {"type": "entrant", **vars(e), "absent": sorted(e.absent)}
        case Drawn(r, manual, drawing):
            said = {} if drawing == FIRST else {"drawing": drawing}
            return {"type": "round", **vars(r), "manual": manual, **said}
        case Played(match, results):
            return {"type": "match", "match": match, "results": [*map(_result_json, results)]}
        case Annulled(match):
            return {"type": "annulled", "match": match}
        case Ruled(a):
            return {"type": "adjustment", **vars(a)}
        case Ranked():
            return {"type": "standings", **vars(event)}


def _result_json(r: Result) -> dict[str, object]:
    return {
        **{k: v for k, v in vars(r).items() if k not in (*NOT_SAID, *NEWER)},
        **dict.fromkeys(WORKED_OUT),
        "roles": {name: [c.deals, c.points] for name, c in r.roles.items()},
        **({"cards": r.cards, "hands": [h.to_json() for h in r.hands]} if r.hands else {}),
    }
