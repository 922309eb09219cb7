"""Standings: made from the results by the engine, and kept so that reading them costs nothing.

The stored rows are a copy: they can always be made again. `results_count` counts finished matches,
`standings_count` those that the stored rows know, so a difference says that they are old.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import delete, func, insert, literal, select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import luck
from baohuang.engine.tournament import standings as ranking
from baohuang.engine.tournament.entrants import took_part
from baohuang.engine.tournament.scheme import Scheme, State, ranked_first
from baohuang.engine.tournament.sheets import make_sheets

from ..errors import Invalid, NotFound
from ..figures import Figures, figured
from ..models import Entry, FrozenStanding, Standing, Tournament
from . import formats, history, intervals, shared_cards, standing_texts
from .events import tell
from .lifecycle import Glance, visible
from .paging import Page, TextPage
from .principal import Principal
from .rows import lock_row

LEADERS = 5  # rows of the standings in the event that tells of them
NONE_KNOWN = -1  # of `standings_count`: what is stored is not only old but wrong
NO_ROUND = 0  # they are counted from 1
FEW = 1000  # matches, from which standings are made in some tenths of a second


def dirty(session: Session) -> list[str]:
    """Ids of the tournaments whose stored standings lack finished matches, or are wrong."""
    query = (
        select(Tournament.id)
        .where(Tournament.results_count != Tournament.standings_count)
        .order_by(Tournament.id)
    )
    return list(session.scalars(query))


def wrong(session: Session) -> set[str]:
    """Those of them whose standings are wrong: somebody waits for them."""
    query = select(Tournament.id).where(Tournament.standings_count == NONE_KNOWN)
    return set(session.scalars(query))


def outdate(tournament: Tournament) -> None:
    """Let a timer make the standings anew as soon as may be; the tournament is locked."""
    tournament.standings_count = NONE_KNOWN


def correct(session: Session, tournament: Tournament) -> None:
    """Something else than results changed them; the tournament is locked.

    They are made anew at once where that is quick. Else a timer does it within seconds: nobody
    else could write meanwhile, to this tournament or, on SQLite, to anything.
    """
    if tournament.results_count <= FEW:
        refresh(session, tournament.id)
    else:
        outdate(tournament)


@dataclass(frozen=True)
class Made:
    """Standings worked out from so many finished matches, of a tournament at `version`.

    `known`: the last round that they tell of, where a running one is hidden.
    """

    tournament_id: str
    version: int
    results_count: int
    known: int | None
    rows: tuple[ranking.Row, ...]


def make(session: Session, tournament_id: str, *, closing: bool = False) -> Made:
    """Work the standings out; reads only. It takes the longer the more was played.

    closing: as they are once the round that runs has closed, and may be told of.
    """
    found = session.get_one(Tournament, tournament_id, populate_existing=True)
    known = shared_cards.last_told(session, found)
    if closing and known is not None:
        known = history.last_number(session, tournament_id)
    rows = _basis(session, found, known).ranked()
    return Made(tournament_id, found.version, found.results_count, known, rows)


def refresh(session: Session, tournament_id: str, made: Made | None = None) -> None:
    """Store the standings as they are now. `made` spares the work under the lock where it can."""
    tournament = lock_row(session, Tournament, tournament_id)
    now = tournament.version, tournament.results_count, shared_cards.last_told(session, tournament)
    if made is None or (made.version, made.results_count, made.known) != now:
        made = make(session, tournament_id)
    _store(session, tournament, made)


def catch_up(session: Session, made: Made) -> None:
    """Store standings that may lack what has finished since; not if more than that changed."""
    tournament = lock_row(session, Tournament, made.tournament_id)
    newer = made.results_count > tournament.standings_count
    if newer and made.version == tournament.version:
        _store(session, tournament, made)


def _store(session: Session, tournament: Tournament, made: Made) -> None:
    session.execute(delete(Standing).where(Standing.tournament_id == tournament.id))
    sure = intervals.of_entries(session, tournament.id, [row.entry for row in made.rows])
    stored = [_stored(tournament.id, *row, sure) for row in enumerate(made.rows, 1)]
    if stored:
        session.execute(insert(Standing), stored)
    tournament.standings_count = made.results_count
    if made.results_count:
        tell(session, tournament.id, "standings.updated", _news(made))


def freeze(session: Session, tournament_id: str, number: int) -> None:
    """Keep the stored standings as those that were published after round `number`."""
    live = select(
        Standing.tournament_id, literal(number), Standing.position, Standing.entry_id,
        Standing.rank, Standing.row,
    ).where(Standing.tournament_id == tournament_id)  # fmt: skip
    names = ("tournament_id", "round", "position", "entry_id", "rank", "row")
    session.execute(insert(FrozenStanding).from_select(names, live))


@dataclass(frozen=True)
class Basis:
    """All that standings are made from: to make them needs no database."""

    scheme: Scheme
    field: history.Field
    state: State
    tie_breaks: tuple[str, ...]
    scoring: str

    def ranked(self, *, house: bool = True) -> tuple[ranking.Row, ...]:
        """The rows; `house`: whether house entries are in them."""
        sheets = make_sheets(
            took_part(self.field.entrants, len(self.state.rounds)),
            self.state.rounds,
            luck.told(self.state.results, self.state.options),
            house=self.field.house,
            adjustments=self.state.adjustments,
        )
        return ranking.standings(
            sheets,
            self.tie_breaks,
            lot=lambda entry: self.field.lots.get(entry, 0),
            house=house,
            progress=ranked_first(self.scheme, self.state),
            scoring=self.scoring,
        )


def compute(
    session: Session, tournament: Tournament, *, as_of: int | None = None, house: bool = True
) -> tuple[ranking.Row, ...]:
    """The standings now, or after round `as_of`; `house`: whether house entries are in them.

    Where a round that runs shows no names or shares its cards, they are those before it.
    """
    return basis(session, tournament, as_of).ranked(house=house)


def basis(
    session: Session,
    tournament: Tournament,
    as_of: int | None = None,
    past: history.Past | None = None,
) -> Basis:
    """What `compute` makes them from. `past` spares most of the reading."""
    known = shared_cards.last_told(session, tournament)
    if known is not None:
        as_of = known if as_of is None else min(as_of, known)
    return _basis(session, tournament, as_of, past)


def _basis(
    session: Session, tournament: Tournament, as_of: int | None, past: history.Past | None = None
) -> Basis:
    return Basis(
        formats.scheme(tournament)[0],
        history.field(session, tournament.id),
        history.state(session, tournament, as_of=as_of, past=past),
        tuple(tournament.tie_breaks),
        tournament.scoring,
    )


def rows(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    as_of: int | None = None,
    house: bool = True,
    view: str = "live",
    figures: Figures | None = None,
) -> Page[dict[str, Any]]:
    """One page of the standings, best first, with each entry's name, state, title, interval.

    view: `live` is by all that is known now, `frozen` as it was published when round `as_of`
    closed (the last one, if none is named). Raises `NotFound` where nothing was, `Invalid` for a
    frozen view without house bots and for a round that has not been drawn. What is not stored is
    worked out, big ones among `figures`. Of a past round an interval by that very round is shown;
    what was published has none, for it is worked out afterwards, and again with each ruling.
    """
    tournament = visible(session, actor, tournament_id)
    start = int(str(after[0])) if after else 0
    past: int | None = NO_ROUND
    if view == "frozen":
        if not house:
            detail = "They are as they were published, house bots among them."
            raise Invalid([("?house", "frozen", detail)])
        ranked = _frozen(session, tournament_id, as_of, start, limit + 1)
    else:
        past = _past(session, tournament_id, as_of)
        if past is None and (house or not history.has_house(session, tournament_id)):
            ranked = kept(session, tournament_id, start, limit + 1)
        else:
            made = _worked_out(session, tournament, figures, past, house=house)
            ranked = [orjson.loads(row) for row in made[start : start + limit + 1]]
    page = named(session, tournament_id, ranked[:limit], start, past)
    return Page(page, (start + limit,) if len(ranked) > limit else None)


def page(
    session: Session,
    actor: Principal,
    seen: Glance,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    figures: Figures | None = None,
    **wanted: Any,
) -> Page[dict[str, Any]] | TextPage:
    """As `rows`, but from the lines' texts where those are what is wanted. seen: by the actor."""
    if wanted == {"as_of": None, "house": True, "view": "live"}:
        start = int(str(after[0])) if after else 0
        found = standing_texts.page(session, seen.id, start, limit)
        if found is not None:
            return found
    return rows(session, actor, seen.id, after, limit, figures=figures, **wanted)


def _past(session: Session, tournament_id: str, as_of: int | None) -> int | None:
    """The round after which standings are asked for; None if no other came since."""
    last = history.last_number(session, tournament_id)
    if as_of is not None and as_of > last:
        drawn = f"The last one is round {last}." if last else "None has been."
        raise Invalid([("?as_of", "not_drawn", f"Round {as_of} has not been drawn. {drawn}")])
    return as_of if as_of is not None and as_of < last else None


def _worked_out(
    session: Session,
    tournament: Tournament,
    figures: Figures | None,
    as_of: int | None,
    *,
    house: bool,
) -> Sequence[bytes]:
    """Each row as JSON. Of rounds that have closed they stay the same while others are played."""
    known = shared_cards.last_told(session, tournament)
    closed = as_of is not None and as_of <= intervals.closed(session, tournament.id)
    so_far = tournament.intervals_due if closed else tournament.results_count
    key = ("standings", tournament.id, tournament.version, known, closed, so_far, as_of, house)

    def work() -> list[bytes]:
        made = compute(session, tournament, as_of=as_of, house=house)
        return [orjson.dumps(row.to_json()) for row in made]

    return figured(figures, tournament.results_count, key, work, len)


def _news(made: Made) -> dict[str, Any]:
    leaders = [
        {"rank": row.rank, "entry_id": row.entry, "points": row.points}
        for row in made.rows[:LEADERS]
    ]
    return {"results": made.results_count, "leaders": leaders}


def _stored(
    tournament_id: str, position: int, row: ranking.Row, sure: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    line = row.to_json()
    return {
        "tournament_id": tournament_id,
        "position": position,
        "entry_id": row.entry,
        "rank": row.rank,
        "row": line,
        "shown": standing_texts.written(position, line, sure.get(row.entry)),
    }


def kept(
    session: Session, tournament_id: str, start: int = 0, limit: int | None = None
) -> list[dict[str, Any]]:
    """The stored rows after position `start`."""
    query = (
        select(Standing.row)
        .where(Standing.tournament_id == tournament_id, Standing.position > start)
        .order_by(Standing.position)
        .limit(limit)
    )
    return list(session.scalars(query))


def _frozen(
    session: Session, tournament_id: str, number: int | None, start: int, limit: int
) -> list[dict[str, Any]]:
    of = FrozenStanding.tournament_id == tournament_id
    number = number or session.scalar(select(func.max(FrozenStanding.round)).where(of))
    at = (of, FrozenStanding.round == (number or 0))
    if session.scalar(select(FrozenStanding.round).where(*at).limit(1)) is None:
        raise NotFound("No standings were published then: no such round has closed.")
    query = select(FrozenStanding.row).where(*at, FrozenStanding.position > start)
    return list(session.scalars(query.order_by(FrozenStanding.position).limit(limit)))


def named(
    session: Session,
    tournament_id: str,
    ranked: Sequence[dict[str, Any]],
    start: int,
    past: int | None = None,
) -> list[dict[str, Any]]:
    """The rows with position, the entry's name and title, its interval, whether it withdrew.

    past: the round that the rows are of; intervals by others are left out. None: they are of now.
    """
    ids = [row["entry"] for row in ranked]
    found = session.execute(select(Entry.id, Entry.name, Entry.status).where(Entry.id.in_(ids)))
    who = {entry.id: entry for entry in found}
    known = intervals.of_entries(session, tournament_id, ids)
    sure = {entry: row for entry, row in known.items() if past in (None, row["as_of"])}
    return [
        {
            **standing_texts.derived(row, sure.get(row["entry"])),
            "position": position,
            "entry_id": row["entry"],
            "name": who[row["entry"]].name,
            "status": who[row["entry"]].status,
        }
        for position, row in enumerate(ranked, start + 1)
    ]
