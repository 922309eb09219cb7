"""A tournament's archive as a file: NDJSON that imports elsewhere, and that anybody can check.

{"type":"archive","version":2,"secret":"hex"}       the secret is public when all is over
{"type":"account","id":…}  {"type":"agent","id":…,"owner_id":…,"name":…}    whom rows refer to
{"type":"row","table":…,"row":{…}}                  archive_rows.py
then the engine's archive (engine/tournament/archive.py), to its last standings
{"type":"end","lines":42,"sha256":"hex"}            of all before it (archive_end.py)

Version 1 had no end line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, inspect, or_, select, tuple_
from sqlalchemy.orm import Session

from baohuang.engine.tournament import archive as engine
from baohuang.engine.tournament.parsing import ArchiveError, Reader

from ..errors import Conflict
from ..models import Agent, Appeal, Entry, Result, Round, Ruling, Seat, Table, Tournament
from ..models.base import Base
from ..remote.strict import NotStrictJson, loads
from ..vault import Vault
from . import archive_end, archive_events, archive_rows, owners
from .archive_end import End, Tally
from .lifecycle import visible
from .principal import Principal

VERSION: Final = 2
ENDED: Final = 2  # the first version that has an end line
MAX_LINE: Final = 64 * 1024 * 1024
SECRET_BYTES: Final = 32
BLOCK: Final = 100


def export(session: Session, vault: Vault, actor: Principal, tournament_id: str) -> Iterator[bytes]:
    """The lines of an archive. Raises `NotFound`; `Conflict` before the tournament has ended."""
    tournament = visible(session, actor, tournament_id)
    if tournament.status not in archive_rows.ENDED or tournament.entrants_hash is None:
        raise Conflict(
            f"The tournament is {tournament.status}; its archive is there once it has been played.",
            code=f"tournament_{tournament.status}",
        )
    return _ended(_lines(session, vault, tournament))


def _ended(lines: Iterator[bytes]) -> Iterator[bytes]:
    tally = Tally()
    for line in lines:
        tally.add(line)
        yield line
    yield _line(tally.said())


def _lines(session: Session, vault: Vault, tournament: Tournament) -> Iterator[bytes]:
    secret = vault.open(tournament.secret).hex()
    yield _line({"type": "archive", "version": VERSION, "secret": secret})
    for data in _people(session, tournament.id):
        yield _line(data)
    for model in archive_rows.MODELS:
        yield from _rows(session, tournament.id, model)
    for text in archive_events.archive(session, vault, tournament).lines():
        yield text.encode() + b"\n"


_AUTHORS: Final = (
    (Ruling.author_id, Ruling),
    (Appeal.author_id, Appeal),
    (Appeal.decided_by_id, Appeal),
)
"""Who ruled, appealed and decided."""


def _people(session: Session, tournament_id: str) -> Iterator[dict[str, Any]]:
    """Accounts by id alone, agents by name: nothing of theirs is needed to play."""
    now = select(Entry.agent_id).where(Entry.tournament_id == tournament_id)
    once = select(Result.agent_id).where(Result.tournament_id == tournament_id)
    replaced = owners.replaced(session, tournament_id)
    agents = session.execute(
        select(Agent.id, Agent.owner_id, Agent.name)
        .where(or_(Agent.id.in_(now), Agent.id.in_(once), Agent.id.in_(replaced)))
        .order_by(Agent.id)
    ).all()
    authors = {
        x
        for column, model in _AUTHORS
        for x in session.scalars(select(column).where(model.tournament_id == tournament_id))
    }
    for account_id in sorted({agent.owner_id for agent in agents} | {x for x in authors if x}):
        yield {"type": "account", "id": account_id}
    for agent in agents:
        yield {"type": "agent", **agent._mapping}


def _rows(session: Session, tournament_id: str, model: type[Base]) -> Iterator[bytes]:
    columns = [getattr(model, name) for name in archive_rows.columns(model)]
    numbered: Any = model
    told_in_order = model in (Ruling, Appeal)
    keys = [numbered.number] if told_in_order else list(inspect(model).primary_key)
    query = select(*columns).where(_belongs(model, tournament_id)).order_by(*keys)
    for row in _in_blocks(session, query, keys):
        yield _line(archive_rows.to_json(model, row))


def _in_blocks(
    session: Session, query: Select[Any], keys: Sequence[Any]
) -> Iterator[dict[str, Any]]:
    """The rows, a few at a time: records are long, and readers have no cursor on the server."""
    page = query.limit(BLOCK)
    while rows := [dict(row) for row in session.execute(page).mappings()]:
        yield from rows
        last = tuple(rows[-1][key.key] for key in keys)
        page = query.where(tuple_(*keys) > last).limit(BLOCK)


def _belongs(model: type[Base], tournament_id: str) -> ColumnElement[bool]:
    rounds = select(Round.id).where(Round.tournament_id == tournament_id)
    if model is Tournament:
        return Tournament.id == tournament_id
    if model is Table:
        return Table.round_id.in_(rounds)
    if model is Seat:
        return Seat.table_id.in_(select(Table.id).where(Table.round_id.in_(rounds)))
    owned: Any = model
    found: ColumnElement[bool] = owned.tournament_id == tournament_id
    return found


def _line(data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return text.encode() + b"\n"


@dataclass(frozen=True)
class Row:
    """A row and the line that it came from."""

    line: int
    model: type[Base]
    values: dict[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Parsed:
    """An archive, every line of it well formed. `numbers`: the lines of the engine's part.

    end: None in archives that were made before there was an end line.
    """

    secret: bytes = field(repr=False)
    accounts: tuple[str, ...]
    agents: tuple[tuple[str, str, str], ...]
    rows: tuple[Row, ...]
    played: engine.Archive
    texts: tuple[str, ...] = field(repr=False)
    numbers: tuple[int, ...] = field(repr=False)
    end: End | None

    def of(self, model: type[Base]) -> list[Row]:
        """The rows of one table."""
        return [row for row in self.rows if row.model is model]

    def line_of(self, event: int) -> int:
        """The line of an event of the engine's part (-1: its settings)."""
        return self.numbers[event + 1]


_MODELS: Final = {model.__tablename__: model for model in archive_rows.MODELS}


def parse(lines: Iterable[bytes]) -> Parsed:
    """Read an archive. Raises ArchiveError with the first line that is wrong, and its field.

    Lines have their ends, as files give them.
    """
    read = _Reading()
    for number, data in enumerate(lines, 1):
        if len(data) > MAX_LINE:
            raise ArchiveError(number, "longer than any line of an archive")
        read.line(number, data)
    return read.done()


class _Reading:
    """An archive as far as it was read."""

    def __init__(self) -> None:
        self.secret: bytes | None = None
        self.version = VERSION
        self.tally = Tally()
        self.end: End | None = None
        self.accounts: list[str] = []
        self.agents: list[tuple[str, str, str]] = []
        self.rows: list[Row] = []
        self.texts: list[str] = []
        self.numbers: list[int] = []

    def line(self, number: int, data: bytes) -> None:
        if self.end is not None:
            raise ArchiveError(number, "there is something after the end line")
        try:
            reader = Reader(number, loads(data))
        except NotStrictJson as error:
            cut = "" if data.endswith(b"\n") else ": the file is cut off in this line"
            raise ArchiveError(number, f"{error}{cut}") from None
        if self.secret is None:
            self.version, self.secret = _header(reader)
        elif (kind := reader.text("type")) == archive_end.KIND:
            self.end = self.tally.compare(reader)
        else:
            self._content(kind, reader, data)
        self.tally.add(data)

    def _content(self, kind: str, reader: Reader, data: bytes) -> None:
        if kind == "account":
            self.accounts.append(reader.text("id"))
            reader.done()
        elif kind == "agent":
            agent = (reader.text("id"), reader.text("owner_id"), reader.text("name"))
            self.agents.append(agent)
            reader.done()
        elif kind == "row":
            self.rows.append(_row(reader))
        else:
            self.texts.append(data.decode().rstrip("\n"))
            self.numbers.append(reader.line)

    def done(self) -> Parsed:
        if self.secret is None:
            raise ArchiveError(1, "the file is empty")
        last = self.tally.lines
        if self.end is None and self.version >= ENDED:
            raise ArchiveError(last, "the file is cut off after this line: it has no end line")
        if not self.texts:
            raise ArchiveError(last, "the file is cut off: there is no line of the type tournament")
        try:
            played = engine.read(self.texts)
        except ArchiveError as error:
            raise ArchiveError(self.numbers[error.line - 1], error.message) from None
        return Parsed(
            self.secret,
            tuple(self.accounts),
            tuple(self.agents),
            tuple(self.rows),
            played,
            tuple(self.texts),
            tuple(self.numbers),
            self.end,
        )


def _header(reader: Reader) -> tuple[int, bytes]:
    """Version and secret."""
    if reader.text("type") != "archive":
        raise reader.error("the first line has the type archive")
    version = reader.number("version")
    if not 1 <= version <= VERSION:
        raise reader.error(f"version {version} is not one that this server reads (1 to {VERSION})")
    try:
        secret = bytes.fromhex(reader.text("secret"))
    except ValueError:
        raise reader.error("secret is not hexadecimal") from None
    if len(secret) != SECRET_BYTES:
        raise reader.error(f"secret has not {SECRET_BYTES} bytes")
    reader.done()
    return version, secret


def _row(reader: Reader) -> Row:
    name = reader.text("table")
    model = _MODELS.get(name)
    if model is None:
        raise reader.error("table is none of an archive's")
    values = archive_rows.from_json(model, reader.line, reader.mapping("row"))
    reader.done()
    return Row(reader.line, model, values)
