"""On which terms a match is played: its tournament's, or a practice match's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.draw import match_key
from baohuang.engine.rules import RuleSet
from baohuang.engine.tournament.par import Model

from ..models import Match, Practice, Round, Table, Tournament
from ..vault import Vault
from .seat_plans import SeatPlan, lineup, practice_plans, seat_plans
from .sittings import turned, turned_back


@dataclass(frozen=True)
class Terms:
    """Where it belongs, its rules, cards, clocks and players."""

    tournament_id: str | None
    round: int | None
    table: int | None
    rules: RuleSet
    key: bytes = field(repr=False)
    budget_ms: int
    bank_ms: int
    seats: tuple[SeatPlan, ...]
    par: Model | None = None


def terms(session: Session, vault: Vault, match_id: str) -> Terms:
    """Those of a match. The first call settles who plays it in a tournament."""
    practice = session.get(Practice, match_id)
    if practice is not None:
        return _of_practice(session, vault, practice)
    return _of_tournament(session, vault, match_id)


def place(session: Session, match_id: str) -> Any:
    """The match, its tournament, the numbers of its round and table; None for practice."""
    return session.execute(
        select(Match, Tournament, Round.number.label("round"), Table.number.label("table"))
        .join(Tournament, Tournament.id == Match.tournament_id)
        .join(Round, Round.id == Match.round_id)
        .join(Table, Table.id == Match.table_id)
        .where(Match.id == match_id)
    ).one_or_none()


def _of_practice(session: Session, vault: Vault, practice: Practice) -> Terms:
    return Terms(
        tournament_id=None,
        round=None,
        table=None,
        rules=RuleSet.from_json(practice.rules),
        key=vault.open(practice.key),
        budget_ms=practice.budget_ms,
        bank_ms=practice.bank_ms,
        seats=practice_plans(session, vault, practice.match_id),
    )


def _of_tournament(session: Session, vault: Vault, match_id: str) -> Terms:
    of = place(session, match_id)
    tournament: Tournament = of.Tournament
    if of.Match.lineup is None:
        there = lineup(session, tournament, of.Match.table_id)
        of.Match.lineup = turned(there, of.Match.sitting)
    players = turned_back(of.Match.lineup, of.Match.sitting)
    plans = seat_plans(
        session,
        vault,
        of.Match.table_id,
        players,
        hurried=of.Match.hurried,
        badge_required=tournament.badge_required,
    )
    return Terms(
        tournament_id=tournament.id,
        round=of.round,
        table=of.table,
        rules=RuleSet.from_json(tournament.rules),
        key=match_key(vault.open(tournament.secret), of.Match.board),
        budget_ms=tournament.budget_ms,
        bank_ms=tournament.bank_ms,
        seats=tuple(turned(plans, of.Match.sitting)),
        par=None if tournament.par is None else Model(**tournament.par),
    )
