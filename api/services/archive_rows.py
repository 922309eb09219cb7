"""The rows of a tournament's archive: which tables and columns, and how hostile ones are refused.

One JSON object a line: {"type":"row","table":"entries","row":{column: value}}. A column that a
newer version added may be missing if it has a default; one that nobody knows is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Boolean, Column, DateTime, Integer, String, inspect
from sqlalchemy.orm import DeclarativeBase

from baohuang.engine.tournament.archive import PAR
from baohuang.engine.tournament.par import PAR_BOTS, PLAYOUTS
from baohuang.engine.tournament.parsing import ArchiveError
from baohuang.engine.tournament.plan import SEATS
from baohuang.engine.tournament.results import ROLES

from ..models import (
    Ending,
    Entry,
    EntryStatus,
    Match,
    Result,
    Round,
    Ruling,
    RulingKind,
    Scoring,
    Seat,
    Table,
    Tournament,
)
from ..models.appeals import Appeal, AppealStatus
from ..models.base import ULID, Base
from ..trail.chain import plain

MODELS: Final[tuple[type[Base], ...]] = (
    Tournament, Entry, Round, Table, Seat, Match, Result, Ruling, Appeal,
)  # fmt: skip
"""In an order in which each may refer to the ones before."""

LEFT_OUT: Final[Mapping[str, frozenset[str]]] = {
    "tournaments": frozenset(
        {
            "organizer_id",
            "secret",
            "course",
            "results_count",
            "standings_count",
            "intervals_due",
            "intervals_done",
            "next_round_at",
            "last_round",
            "finishes_at",
            "series_id",
            "series_start",
            "stopped_at",
            "rated",
        }
    ),
    "seats": frozenset({"agent_version_id"}),
    "matches": frozenset({"epoch", "attempts", "owner", "lease_until"}),
}
"""What is the server's own, or can be worked out again; `version` begins anew."""

ENDED: Final = ("finished", "cancelled")
CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "tournaments.status": ENDED,
    "rounds.status": ENDED,
    "matches.status": ENDED,
    "appeals.status": tuple(AppealStatus),
    "entries.status": tuple(EntryStatus),
    "rulings.kind": tuple(RulingKind),
    "tournaments.scoring": tuple(Scoring),
    "tournaments.ending": tuple(Ending),
}

PLAYER: Final = {"agent_id", "house_bot", "stand_in"}
SUBSTITUTION: Final = {"at", "round", "replaced", "agent_id", "reason"}
HAND = 7  # values of a hand, results.Held.to_json of the engine

_MOST = 2**31 - 1
_ID = re.compile(ULID)


def columns(model: type[DeclarativeBase]) -> dict[str, Column[Any]]:
    """The columns that an archive holds, by name."""
    table: Any = inspect(model).local_table
    out = LEFT_OUT.get(table.name, frozenset()) | {"version"}
    return {column.key: column for column in table.columns if column.key not in out}


def to_json(model: type[DeclarativeBase], row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as an archive's line."""
    shown = {name: _shown(row[name]) for name in columns(model)}
    return {"type": "row", "table": model.__tablename__, "row": shown}


def from_json(model: type[DeclarativeBase], line: int, data: object) -> dict[str, Any]:
    """A line's row, checked column by column. Raises ArchiveError with the line and the field."""
    if not isinstance(data, dict):
        raise ArchiveError(line, "row is not an object")
    known = columns(model)
    if unknown := sorted(data.keys() - known.keys()):
        raise ArchiveError(line, f"unknown field {unknown[0]}")
    found = {}
    for name, column in known.items():
        if name in data:
            found[name] = _value(line, model.__tablename__, column, data[name])
        elif not (column.nullable or column.default or column.server_default):
            raise ArchiveError(line, f"{name} is missing")
    return found


def _shown(value: Any) -> Any:
    return plain(value) if isinstance(value, datetime) else value


def _value(line: int, table: str, column: Column[Any], value: Any) -> Any:
    if value is None and column.nullable:
        return None
    kind: Any = column.type
    wrong = ArchiveError(line, f"{column.key} is not as it must be")
    choices = CHOICES.get(f"{table}.{column.key}")
    if choices is not None and value not in choices:
        raise ArchiveError(line, f"{column.key} is none of {', '.join(choices)}")
    if isinstance(kind, String):
        if not isinstance(value, str) or len(value) > (kind.length or len(value)):
            raise wrong
        if (column.key == "id" or column.key.endswith("_id")) and not _ID.fullmatch(value):
            raise ArchiveError(line, f"{column.key} is no identifier")
        return value
    if isinstance(kind, Boolean):
        fits = isinstance(value, bool)
    elif isinstance(kind, Integer):
        fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _MOST
    elif isinstance(getattr(kind, "impl", None), DateTime):
        return _time(line, column.key, value)
    else:
        fits = _SHAPES[column.key](value)
    if not fits:
        raise wrong
    return value


def _time(line: int, name: str, value: object) -> datetime:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise ArchiveError(line, f"{name} is no time") from None
    if found.tzinfo is None:
        raise ArchiveError(line, f"{name} has no time zone")
    return found


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _numbers(value: object) -> bool:
    return isinstance(value, list) and all(
        type(item) is int and abs(item) <= _MOST for item in value
    )


def _roles(value: object) -> bool:
    return isinstance(value, dict) and all(_numbers(x) and len(x) == 2 for x in value.values())


def _details(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    tables = value.get("tables", [])
    known = value.keys() <= {"tables", "byes", "out", "others", "withdrawn"}
    lists = all(_texts(value.get(name, [])) for name in ("byes", "out"))
    return known and lists and isinstance(tables, list) and all(map(_texts, tables))


def _hands(value: object) -> bool:
    return isinstance(value, list) and all(map(_hand, value))


def _hand(value: object) -> bool:
    if not isinstance(value, list) or len(value) != HAND:
        return False
    *numbers, place, role, par = value
    known = role in ROLES and (place is None or (type(place) is int and 1 <= place <= 5))
    worth = par is None or (isinstance(par, str) and PAR.fullmatch(par) is not None)
    return known and worth and _numbers(numbers)


def _par(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() != {"bot", "playouts"}:
        return False
    known = value["bot"] in PAR_BOTS
    return known and type(value["playouts"]) is int and value["playouts"] in PLAYOUTS


def _pairs(value: object) -> bool:
    return isinstance(value, list) and all(_texts(pair) and len(pair) == 2 for pair in value)


def _lineup(value: object) -> bool:
    """The players of a match by seat, as seat_plans.py writes them."""
    return isinstance(value, list) and len(value) == SEATS and all(map(_player, value))


def _player(value: object) -> bool:
    if not isinstance(value, dict) or {*value} - {"version"} != PLAYER:
        return False
    names = all(value[x] is None or isinstance(value[x], str) for x in ("agent_id", "house_bot"))
    version = value.get("version")
    return names and type(value["stand_in"]) is bool and (version is None or _numbers([version]))


def _substitutions(value: object) -> bool:
    return isinstance(value, list) and all(map(_substitution, value))


def _substitution(value: object) -> bool:
    """As attendance.py writes it; older ones know no `after_round`."""
    if not isinstance(value, dict) or {*value} - {"after_round"} != SUBSTITUTION:
        return False
    texts = all(isinstance(value[name], str) for name in ("at", "replaced", "agent_id"))
    why = value["reason"] is None or isinstance(value["reason"], str)
    return texts and why and _numbers([value["round"], value.get("after_round", 0)])


def _object(value: object) -> bool:
    return isinstance(value, dict)


_SHAPES: Final[Mapping[str, Callable[[object], bool]]] = {
    "tie_breaks": _texts,
    "byes": _texts,
    "out": _texts,
    "places": lambda value: _numbers(value) and len(value) == 5,  # type: ignore[arg-type]
    "roles": _roles,
    "hands": _hands,
    "details": _details,
    "rules": _object,
    "par": _par,
    "format_options": _object,
    "forbidden_pairs": _pairs,
    "absent": _numbers,
    "substitutions": _substitutions,
    "lineup": _lineup,
    "record": _object,
}
