"""A tournament that has ended as the engine's archive: settings and events in their order.

What was known when a round was drawn stands before it: rulings by the round after which they were
made, a replay's result with the ruling that ordered it, because no round is drawn before it ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from baohuang.engine.tournament.archive import (
    Annulled,
    Archive,
    Drawn,
    Entered,
    Event,
    Played,
    Ranked,
    Ruled,
    Settings,
)
from baohuang.engine.tournament.entrants import Entrant, took_part
from baohuang.engine.tournament.results import Result

from ..models import Ruling, RulingKind, Tournament
from ..vault import Vault
from . import history, overlay, owners, standings

Matches = Mapping[str, tuple[Result, ...]]


def archive(session: Session, vault: Vault, tournament: Tournament) -> Archive:
    """The whole tournament; it must have started."""
    state = history.state(session, tournament)
    settings = Settings(
        tournament.format,
        state.options,
        history.draw_key(vault, tournament),
        tuple(tournament.tie_breaks),
        state.house,
        state.forbidden,
        tournament.scoring,
    )
    return Archive(settings, tuple(_events(session, tournament)))


def _events(session: Session, tournament: Tournament) -> Iterator[Event]:
    rulings = overlay.all_of(session, tournament.id)
    luck = history.tells_luck(tournament)
    matches = _matches(history.finished(session, tournament.id, hands=luck))
    replays = {ruling.replay_id for ruling in rulings}
    shown: dict[str, Entrant] = {}
    drawn = history.rounds(session, tournament.id)
    drawings = history.drawings(session, tournament.id)
    everybody = history.field(session, tournament.id).entrants
    entrants = took_part(everybody, len(drawn))
    owned = owners.of(session, tournament.id)
    for round_ in drawn:
        number = round_.number
        before = [r for r in rulings if r.after_round < number]
        yield from _entered(entrants, before, number, shown, owned)
        yield Drawn(round_, _by_hand(before, number), drawings[number])
        for match, results in matches.items():
            if results[0].round == number and match not in replays:
                yield Played(match, results)
        for ruling in (r for r in rulings if r.after_round == number):
            yield from _ruled(ruling, rulings, matches, replays)
    yield from _entered(entrants, rulings, len(drawn) + 1, shown, owned)
    rows = tuple(row.to_json() for row in standings.compute(session, tournament))
    yield Ranked(len(drawn), True, rows)


def _matches(results: Sequence[Result]) -> Matches:
    found: dict[str, tuple[Result, ...]] = {}
    for result in results:
        found[result.match] = (*found.get(result.match, ()), result)
    return found


def _entered(
    entrants: Sequence[Entrant],
    rulings: Sequence[Ruling],
    number: int,
    shown: dict[str, Entrant],
    owned: owners.Owners,
) -> Iterator[Entered]:
    """Entrants that are others than `shown` as far as is known before round `number`."""
    out = overlay.made_of(rulings).out
    for entrant in entrants:
        if entrant.joined > number:
            continue
        left = entrant.left if entrant.left is not None and entrant.left <= number else None
        absent = frozenset(n for n in entrant.absent if n <= number)
        now = replace(
            entrant,
            left=left,
            absent=absent,
            disqualified=entrant.id in out,
            owner=owners.before(owned, entrant.id, number, entrant.owner),
        )
        if shown.get(entrant.id) != now:
            shown[entrant.id] = now
            yield Entered(now)


def _by_hand(rulings: Sequence[Ruling], number: int) -> bool:
    undone = {ruling.undoes_id for ruling in rulings}
    return any(
        r.kind == RulingKind.SEAT and r.round == number and r.id not in undone for r in rulings
    )


def _ruled(
    ruling: Ruling, rulings: Sequence[Ruling], matches: Matches, replays: Collection[str | None]
) -> Iterator[Event]:
    """What a ruling changed: which results count is up to all rulings that stood with it."""
    target = next((r for r in rulings if r.id == ruling.undoes_id), ruling)
    if target.kind in overlay.SETS_ASIDE:
        known = [r for r in rulings if r.number < ruling.number]
        before = _counting(target, known, matches, replays)
        after = _counting(target, [*known, ruling], matches, replays)
        yield from (Annulled(match) for match in before if match not in after)
        yield from (Played(match, matches[match]) for match in after if match not in before)
    elif target.kind in overlay.POINTS:
        made = overlay.adjustment(target)
        yield Ruled(made if target is ruling else replace(made, points=-made.points))


def _counting(
    target: Ruling, known: Sequence[Ruling], matches: Matches, replays: Collection[str | None]
) -> list[str]:
    """Of the matches that a ruling is about, those with results that count by what is known."""
    aside = overlay.made_of(known).set_aside
    ordered = {ruling.replay_id for ruling in known}
    about = [match for match in (target.match_id, target.replay_id) if match is not None]
    return [
        match
        for match in about
        if match in matches and match not in aside and (match in ordered or match not in replays)
    ]
