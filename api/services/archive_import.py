"""An archive into the database: all of it, or nothing.

Whatever is in it is checked before and after: rows may refer only to rows of the archive, and the
tournament that stands in the database afterwards must give the same lines, the standings among
them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import insert, inspect
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from baohuang.engine.rules import RuleSet, RuleSetError
from baohuang.engine.tournament.parsing import ArchiveError
from baohuang.engine.tournament.scheme import OptionError

from ..errors import Conflict
from ..models import Account, Agent, AgentStatus, Match, MatchStatus, Role, Tournament
from ..trail import note
from ..vault import Vault
from . import archive_check, archive_difference, archive_events, history, intervals, standings
from .archive_file import Parsed, Row

_NOWHERE: Final = "https://imported.invalid/"


def load(
    session: Session,
    vault: Vault,
    parsed: Parsed,
    organizer: Account,
    *,
    records: bool = True,
) -> Tournament:
    """Store an archive's tournament as the organizer's. Raises `ArchiveError`, `Conflict`.

    records: whether the records are verified first, which takes as long as replaying them.
    """
    for found in archive_check.check(parsed, records=records):
        raise ArchiveError(found.line, found.what)
    values = parsed.of(Tournament)[0].values
    if session.get(Tournament, values["id"]) is not None:
        raise Conflict("The tournament is here already.", code="already_imported")
    _check_rules(parsed)
    _check_references(parsed)
    _people(session, vault, parsed)
    for row in parsed.rows:
        _insert(session, row, _of_the_server(vault, parsed, row, organizer))
    tournament = session.get_one(Tournament, values["id"])
    tournament.results_count = sum(
        row.values["status"] == MatchStatus.FINISHED for row in parsed.of(Match)
    )
    session.flush()
    standings.refresh(session, tournament.id)
    standings.freeze(session, tournament.id, history.last_number(session, tournament.id))
    intervals.ask(tournament)
    _compare(session, vault, tournament, parsed)
    note(session, "import", "tournament", tournament.id, {"rows": len(parsed.rows)})
    return tournament


def _check_rules(parsed: Parsed) -> None:
    row = parsed.of(Tournament)[0]
    try:
        RuleSet.from_json(row.values["rules"])
    except RuleSetError as error:
        raise ArchiveError(row.line, f"rules: {error}") from None
    if row.values["format"] != parsed.played.settings.format:
        raise ArchiveError(row.line, "format is not that of the settings")


def _check_references(parsed: Parsed) -> None:
    """No row may refer to something that is not in the archive, be it in the database or not."""
    known: dict[str, set[str]] = {
        "accounts": set(parsed.accounts),
        "agents": {agent[0] for agent in parsed.agents},
    }
    for row in parsed.rows:
        table: Any = inspect(row.model).local_table
        for column in table.columns:
            value = row.values.get(column.key)
            for key in column.foreign_keys:
                target = key.column.table.name
                if value is not None and value not in known.get(target, ()):
                    raise ArchiveError(row.line, f"{column.key} is not in this archive")
        if isinstance(row.values.get("id"), str):
            known.setdefault(table.name, set()).add(row.values["id"])


def _people(session: Session, vault: Vault, parsed: Parsed) -> None:
    """Owners and agents that are not here get a place: nobody can act as them."""
    for account_id in parsed.accounts:
        if session.get(Account, account_id) is None:
            session.add(Account(id=account_id, name=f"imported {account_id}", role=Role.AUTHOR))
    session.flush()
    for agent_id, owner_id, name in parsed.agents:
        if session.get(Agent, agent_id) is None:
            session.add(
                Agent(
                    id=agent_id,
                    owner_id=owner_id,
                    name=name,
                    url=_NOWHERE,
                    status=AgentStatus.RETIRED,
                    secret=vault.seal(secrets.token_bytes(32)),
                )
            )
    try:
        session.flush()
    except IntegrityError:
        raise ArchiveError(1, "an agent does not fit those that are here") from None


def _of_the_server(vault: Vault, parsed: Parsed, row: Row, organizer: Account) -> Mapping[str, Any]:
    if row.model is Tournament:
        # Anybody can write an archive of matches that nobody played: it moves no rating here.
        mine = {"organizer_id": organizer.id, "rated": False}
        return {**mine, "secret": vault.seal(parsed.secret)}
    return {}


def _insert(session: Session, row: Row, more: Mapping[str, Any]) -> None:
    try:
        with session.begin_nested():
            session.execute(insert(row.model), [{**row.values, **more}])
    except IntegrityError:
        raise ArchiveError(row.line, "the row is there already, or clashes with another") from None


def _compare(session: Session, vault: Vault, tournament: Tournament, parsed: Parsed) -> None:
    """The database must tell the same story, line by line, as the archive did."""
    session.expire_all()
    try:
        made = list(archive_events.archive(session, vault, tournament).lines())
    except OptionError as error:
        raise ArchiveError(parsed.of(Tournament)[0].line, str(error)) from None
    for ours, theirs, line in _side_by_side(made, parsed):
        if ours != theirs:
            raise ArchiveError(line, archive_difference.told(ours, theirs))


def _side_by_side(made: list[str], parsed: Parsed) -> Iterator[tuple[str | None, str | None, int]]:
    for place in range(max(len(made), len(parsed.texts))):
        ours = made[place] if place < len(made) else None
        theirs = parsed.texts[place] if place < len(parsed.texts) else None
        yield ours, theirs, parsed.numbers[min(place, len(parsed.numbers) - 1)]
