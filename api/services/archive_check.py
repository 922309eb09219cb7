"""An archive replayed: seatings, standings, keys and records are worked out anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from baohuang.engine.draw import commitment, match_key, seats_key
from baohuang.engine.record import RecordError, verify
from baohuang.engine.rules import RuleSet
from baohuang.engine.tournament import duplicate, luck, results
from baohuang.engine.tournament.archive import Drawn, Played
from baohuang.engine.tournament.checker import check as replay
from baohuang.engine.tournament.checker import not_drawn_again
from baohuang.engine.tournament.drawing import FIRST
from baohuang.engine.tournament.par import Model, Worth
from baohuang.engine.tournament.plan import SEATS

from ..models import Entry, Match, Result, Round, Seat, Table, Tournament
from .archive_file import Parsed, Row
from .sittings import turned


@dataclass(frozen=True)
class Difference:
    """Something that is not as it must be, and the line where it shows."""

    line: int
    what: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}"


def check(parsed: Parsed, *, records: bool = True) -> Iterator[Difference]:
    """All differences, cheap ones first. records: whether the records are played through too."""
    if (tournaments := len(parsed.of(Tournament))) != 1:
        yield Difference(1, f"the archive has {tournaments} rows of tournaments, not one")
        return
    yield from _secrets(parsed)
    for found in replay(parsed.played):
        yield Difference(parsed.line_of(found.event), found.what)
    yield from _rows(parsed)
    yield from _matches(parsed)
    if records:
        yield from _records(parsed)
    if parsed.end is not None and not parsed.end.right:
        yield Difference(parsed.end.line, "sha256 is not that of the bytes before: some are others")


def left_out(parsed: Parsed) -> str | None:
    """What `check` cannot check of this archive, in words; None if it checks all."""
    return not_drawn_again(parsed.played)


def no_end(parsed: Parsed) -> str | None:
    """That lines may be missing without a trace, in words; None where the end line would tell."""
    return None if parsed.end else "the archive has no end line; whether it is whole is not known"


def _secrets(parsed: Parsed) -> Iterator[Difference]:
    """The commitment, the hash of the entrants and the key of the draws."""
    (row,) = parsed.of(Tournament)
    values, line = row.values, row.line
    if values["commitment"] != commitment(parsed.secret):
        yield Difference(line, "commitment is not that of the secret")
    try:
        entrants = bytes.fromhex(str(values["entrants_hash"]))
    except ValueError:
        yield Difference(line, "entrants_hash is not hexadecimal")
        return
    started = (entry.values["id"] for entry in parsed.of(Entry) if entry.values["joined"] == 1)
    text = "\n".join(sorted(started))
    if sha256(b"entrants-v1\0" + text.encode()).digest() != entrants:
        yield Difference(line, "entrants_hash is not that of the entries")
    if parsed.played.settings.key != seats_key(parsed.secret, entrants):
        yield Difference(parsed.line_of(-1), "key is not that of the secret and the entrants")


def _rows(parsed: Parsed) -> Iterator[Difference]:
    """The rows of seats and results say what the events say."""
    events = parsed.played.events
    told = {(r.match, r.seat): r for e in events if isinstance(e, Played) for r in e.results}
    for row in parsed.of(Result):
        found = told.get((row.values["match_id"], row.values["seat"]))
        if found is None or _facts(found) != _row_facts(row) or not _same_hands(found, row):
            yield Difference(row.line, "the result is not that of the match's event")
    drawn = {e.round.number: e for e in events if isinstance(e, Drawn)}
    for row in parsed.of(Round):
        event = drawn.get(row.values["number"])
        if event is None or event.drawing != row.values.get("drawing", FIRST):
            yield Difference(row.line, "the drawing is not that of the round's event")
    numbers = {row.values["id"]: row.values["number"] for row in parsed.of(Round)}
    tables = {row.values["id"]: row.values for row in parsed.of(Table)}
    for row in parsed.of(Seat):
        table = tables.get(row.values["table_id"], {})
        number = table.get("replays") or table.get("number") or 0
        of_round = drawn.get(numbers.get(table.get("round_id"), 0))
        seated = of_round.round.tables if of_round else ()
        seat = row.values["seat"]
        if not (0 < number <= len(seated) and 0 <= seat < SEATS):
            yield Difference(row.line, "the seat is at no table of its round")
        elif seated[number - 1][seat] != row.values["entry_id"]:
            yield Difference(row.line, "entry_id is not who sits there")


def _matches(parsed: Parsed) -> Iterator[Difference]:
    """Every table played its boards as often as it had to, in the seats of each sitting."""
    tables = {row.values["id"]: row.values for row in parsed.of(Table)}
    seats: dict[str, list[str]] = {}
    for row in sorted(parsed.of(Seat), key=lambda row: row.values["seat"]):
        seats.setdefault(row.values["table_id"], []).append(row.values["entry_id"])
    played = {(r.values["match_id"], r.values["seat"]): r.values["entry_id"]
              for r in parsed.of(Result)}  # fmt: skip
    boards: dict[str, list[tuple[str, int, int]]] = {}
    for row in parsed.of(Match):
        table_id, sitting = row.values["table_id"], row.values.get("sitting", 0)
        name = str(row.values["board"])
        boards.setdefault(table_id, []).append((name, sitting, row.values["deals"]))
        if not 0 <= sitting < max(duplicate.REPLAYS):
            yield Difference(row.line, "there is no such sitting")
            continue
        moved = turned(seats.get(table_id, [""] * SEATS), sitting)
        if any(played.get((row.values["id"], s), x) != x for s, x in enumerate(moved)):
            yield Difference(row.line, "the seats are not those of its sitting")
    expected = _sittings(parsed)
    for row in parsed.of(Table):
        if tables[row.values["id"]].get("replays") is not None:
            continue
        wanted = expected.get((row.values["round_id"], row.values["number"]), [])
        if sorted(boards.get(row.values["id"], [])) != sorted(wanted):
            yield Difference(row.line, "its matches are not those of its boards")


def _sittings(parsed: Parsed) -> dict[tuple[str, int], list[tuple[str, int, int]]]:
    """(round id, table) -> the (board, sitting, deals) that it has to play."""
    values = parsed.of(Tournament)[0].values
    options = parsed.played.settings.options
    deals, replays, shared = values["deals"], luck.replays(options), luck.shares(options)
    ids = {row.values["number"]: row.values["id"] for row in parsed.of(Round)}
    found: dict[tuple[str, int], list[tuple[str, int, int]]] = {}
    for event in parsed.played.events:
        if not isinstance(event, Drawn):
            continue
        for each in duplicate.sittings(event.round, deals, replays, shared=shared):
            place = ids.get(event.round.number, ""), each.table
            board = f"{values['id']}/{each.board}"
            found.setdefault(place, []).append((board, each.replay, each.deals))
    return found


def _facts(result: results.Result) -> tuple[object, ...]:
    roles = {name: [count.deals, count.points] for name, count in result.roles.items()}
    return (result.entry, result.round, result.points, result.penalty, result.deals,
            list(result.places), roles)  # fmt: skip


def _same_hands(result: results.Result, row: Row) -> bool:
    """The event has hands only where luck is told; the row of an older archive has none."""
    made = [hand.to_json() for hand in result.hands]
    return not made or made == row.values.get("hands")


def _row_facts(row: Row) -> tuple[object, ...]:
    names = ("entry_id", "round_number", "points", "penalty", "deals", "places", "roles")
    return tuple(row.values[name] for name in names)


def _records(parsed: Parsed) -> Iterator[Difference]:
    """Every record verifies, is of its board, and gave the results that the archive has."""
    names = {row.values["id"]: row.values["name"] for row in parsed.of(Entry)}
    played = {event.match: event for event in parsed.played.events if isinstance(event, Played)}
    par = parsed.of(Tournament)[0].values.get("par")
    model = None if par is None else Model(**par)
    told = model is not None or luck.compares(parsed.played.settings.options)
    kept = {(r.values["match_id"], r.values["seat"]): r for r in parsed.of(Result)}
    for row in parsed.of(Match):
        record = row.values["record"]
        if record is None:
            if row.values["status"] == "finished":
                yield Difference(row.line, "record of a finished match is missing")
            continue
        event = played.get(row.values["id"])
        what = _record_wrong(parsed, row, record, event, names)
        if what is None and event is not None and told:
            what = _hands_wrong(record, event, model)
        if what is None and event is not None and not told:
            yield from _hands_made_up(_made(record, event), kept)
        if what is not None:
            yield Difference(row.line, what)


def _record_wrong(
    parsed: Parsed,
    row: Row,
    record: Mapping[str, Any],
    event: Played | None,
    names: Mapping[str, str],
) -> str | None:
    try:
        verify(record)
    except RecordError as error:
        return f"record: {error}"
    if record["draw"]["key"] != match_key(parsed.secret, row.values["board"]).hex():
        return "record: the key is not that of the board"
    if event is None:
        return "record: there are no results of this match"
    if record["seats"] != [names.get(result.entry) for result in event.results]:
        return "record: seats are not the entries' names"
    made = [_facts(result) for result in _made(record, event)]
    if made != [_facts(result) for result in event.results]:
        return "record: the results are not those of its deals"
    return None


def _hands_wrong(record: Mapping[str, Any], event: Played, model: Model | None) -> str | None:
    """What everybody made of each hand; par is worked out by the model that was fixed before."""
    worth = None
    if model is not None:
        key, rules = bytes.fromhex(record["draw"]["key"]), RuleSet.from_json(record["rules"])
        deals = max((deal["number"] for deal in record["deals"]), default=0)
        worth = model.work_out(rules, key, deals)
    made = [result.hands for result in _made(record, event, worth)]
    if made == [result.hands for result in event.results]:
        return None
    bare = [[hand.to_json()[:-1] for hand in hands] for hands in made]
    told = [[hand.to_json()[:-1] for hand in result.hands] for result in event.results]
    what = "par of its hands is" if bare == told else "hands are"
    return f"record: the {what} not as worked out anew"


def _hands_made_up(
    made: list[results.Result], kept: Mapping[tuple[str, int], Row]
) -> Iterator[Difference]:
    """Where no event tells of hands: rows whose hands are not those of the record."""
    for result in made:
        row = kept.get((result.match, result.seat))
        had = row.values.get("hands") if row is not None else None
        if row is not None and had and had != [hand.to_json() for hand in result.hands]:
            yield Difference(row.line, "the hands are not those of the record")


def _made(
    record: Mapping[str, Any], event: Played, worth: Worth | None = None
) -> list[results.Result]:
    first = event.results[0]
    return results.rows(
        [result.entry for result in event.results],
        record["deals"],
        record["penalties"],
        round_=first.round,
        table=first.table,
        match=event.match,
        par=worth,
    )
