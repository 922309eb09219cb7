"""Ratings: what agents make of their cards over all finished tournaments of a rule set.

A tournament that ends, or is ruled upon afterwards, asks its pool to be rated anew; a timer does
that from the results alone (engine/tournament/ratings.py), so the same results give the same
ratings whenever they are worked out. Beyond `MOST_DEALS` the latest tournaments count.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import Row, Select, delete, func, insert, or_, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.tournament.deals import DealRow
from baohuang.engine.tournament.ratings import Z95, Estimate, rate
from baohuang.engine.tournament.results import Held

from ..errors import NotFound
from ..models import (
    Agent,
    Match,
    RatedTournament,
    Rating,
    RatingPool,
    Result,
    Tournament,
    TournamentStatus,
    utc_now,
)
from . import overlay
from .paging import Page, page_of

MEASURE = "place"
ANCHOR = "greedy"
HOUSE = "house:"
MOST_DEALS = 50_000
AT_ONCE = 100  # tournaments enrolled in a transaction


@dataclass(frozen=True)
class Rated:
    """A pool as it was worked out, and which demand this answers."""

    pool_id: str
    due: int
    facts: dict[str, Any]
    rows: tuple[dict[str, Any], ...]


def search_pools(
    session: Session,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    preset: str | None = None,
) -> Page[RatingPool]:
    """The pools that have been rated, the oldest first."""
    query = select(RatingPool).where(RatingPool.rated_at.is_not(None))
    if preset is not None:
        query = query.where(RatingPool.preset == preset)
    return page_of(session, query, [RatingPool.id], after, limit)


def search(
    session: Session,
    pool_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    agent_id: str | None = None,
) -> Page[dict[str, Any]]:
    """The ratings of a pool, the best first. Raises `NotFound`."""
    pool = session.get(RatingPool, pool_id)
    if pool is None:
        raise NotFound("There is no such pool of ratings.")
    columns = (*Rating.__table__.columns, Agent.name)
    query: Select[Any] = (
        select(Bundle("rating", *columns))
        .outerjoin(Agent, Agent.id == Rating.agent_id)
        .where(Rating.pool_id == pool_id)
    )
    if agent_id is not None:
        query = query.where(Rating.agent_id == agent_id)
    page: Page[Row[Any]] = page_of(session, query, [Rating.position], after, limit)
    return Page([_shown(row, pool.anchors) for row in page.items], page.after)


def enrol(session: Session) -> None:
    """Note finished tournaments that count and are not in their pool as they are now."""
    query = (
        select(Tournament.id, Tournament.rules, Tournament.version)
        .outerjoin(RatedTournament, RatedTournament.tournament_id == Tournament.id)
        .where(
            Tournament.status == TournamentStatus.FINISHED,
            Tournament.rated,
            or_(
                RatedTournament.tournament_id.is_(None),
                RatedTournament.version != Tournament.version,
            ),
        )
        .order_by(Tournament.id)
        .limit(AT_ONCE)
    )
    for row in session.execute(query).all():
        pool = _pool(session, row.rules)
        pool.due = RatingPool.due + 1  # by the database: another scheduler may enrol as well
        values = {"tournament_id": row.id, "pool_id": pool.id, "version": row.version}
        session.merge(RatedTournament(**values))
        session.flush()


def due(session: Session) -> list[str]:
    """Ids of the pools that are to be rated anew."""
    query = select(RatingPool.id).where(RatingPool.due != RatingPool.done)
    return list(session.scalars(query.order_by(RatingPool.id)))


def size(session: Session, pool_id: str) -> int:
    """How many deals a pool has."""
    query = (
        select(func.sum(Result.deals))
        .join(RatedTournament, RatedTournament.tournament_id == Result.tournament_id)
        .where(RatedTournament.pool_id == pool_id)
    )
    return (session.scalar(query) or 0) // 5


def work_out(session: Session, pool_id: str) -> Rated:
    """Rate a pool. Reads only, and takes its time."""
    pool = session.get_one(RatingPool, pool_id)
    rows, tournaments = _rows(session, pool_id)
    houses = sorted({row.entry for row in rows if row.entry.startswith(HOUSE)})
    anchors = [x for x in houses if x == HOUSE + ANCHOR] or houses
    made = rate(rows, measure=pool.measure, anchors=anchors)
    facts = {
        "tournaments": tournaments,
        "deals": len(rows) // 5,
        "agents": len(made.ratings),
        "anchors": [x.removeprefix(HOUSE) for x in anchors],
        "noise": made.noise,
        "spread": made.spread,
    }
    return Rated(
        pool_id,
        pool.due,
        facts,
        tuple(
            {
                "position": position,
                **_subject(rating.agent),
                **_columns(rating.total),
                "roles": {name: list(_columns(e).values()) for name, e in rating.roles.items()},
            }
            for position, rating in enumerate(made.ratings, 1)
        ),
    )


def store(session: Session, rated: Rated) -> None:
    """Keep what was worked out; a later demand stays open."""
    query = select(RatingPool).where(RatingPool.id == rated.pool_id).with_for_update()
    pool = session.scalars(query).one()
    if rated.due < pool.done:
        return
    session.execute(delete(Rating).where(Rating.pool_id == pool.id))
    if rated.rows:
        session.execute(insert(Rating), [{"pool_id": pool.id, **row} for row in rated.rows])
    for name, value in rated.facts.items():
        setattr(pool, name, value)
    pool.done, pool.rated_at = rated.due, utc_now()


def _pool(session: Session, rules: dict[str, Any]) -> RatingPool:
    """The pool of a rule set; made if there is none."""
    text = json.dumps(rules, sort_keys=True, separators=(",", ":"))
    digest = sha256(text.encode()).hexdigest()
    found = session.scalar(select(RatingPool).where(RatingPool.rules_hash == digest))
    if found is None:
        found = RatingPool(
            rules_hash=digest, preset=rules["preset"], rules=rules, measure=MEASURE, due=0, done=0
        )
        session.add(found)
        session.flush()
    return found


def _rows(session: Session, pool_id: str) -> tuple[list[DealRow], int]:
    """The deals of a pool's latest tournaments, and how many tournaments these are."""
    query = (
        select(Tournament.id)
        .join(RatedTournament, RatedTournament.tournament_id == Tournament.id)
        .where(RatedTournament.pool_id == pool_id)
        .order_by(Tournament.finished_at.desc(), Tournament.id)
    )
    rows: list[DealRow] = []
    count = 0
    for tournament_id in session.scalars(query).all():
        if len(rows) >= 5 * MOST_DEALS:
            break
        rows += _played(session, tournament_id)
        count += 1
    return rows, count


def _played(session: Session, tournament_id: str) -> list[DealRow]:
    """Who really played, in the matches that count."""
    aside = overlay.of(session, tournament_id).set_aside
    query = (
        select(Result.match_id, Result.agent_id, Result.house_bot, Result.hands, Match.board)
        .join(Match, Match.id == Result.match_id)
        .where(Result.tournament_id == tournament_id)
        .order_by(Result.match_id, Result.seat)
    )
    return [
        DealRow(row.agent_id or HOUSE + row.house_bot, row.match_id, row.board, h.deal, h.attempt,
                h.packet, h.score, h.place, h.role)
        for row in session.execute(query)
        if row.match_id not in aside and (row.agent_id or row.house_bot)
        for h in map(Held.from_json, row.hands)
    ]  # fmt: skip


def _subject(name: str) -> dict[str, str | None]:
    house = name.startswith(HOUSE)
    bot = name.removeprefix(HOUSE) if house else None
    return {"agent_id": None if house else name, "house_bot": bot}


def _columns(estimate: Estimate) -> dict[str, Any]:
    return {"deals": estimate.deals, "value": estimate.value, "sd": estimate.sd}


def _shown(row: Any, anchors: Sequence[str]) -> dict[str, Any]:
    return {
        **_sure(row.deals, row.value, row.sd),
        "position": row.position,
        "agent_id": row.agent_id,
        "house_bot": row.house_bot,
        "name": row.name or row.house_bot,
        "anchor": row.house_bot in anchors,
        "roles": {name: _sure(*had) for name, had in row.roles.items()},
    }


def _sure(deals: int, value: float, sd: float) -> dict[str, Any]:
    return {
        "deals": deals, "value": value, "sd": sd, "low": value - Z95 * sd, "high": value + Z95 * sd,
    }  # fmt: skip
