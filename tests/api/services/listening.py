"""Playing a match as a worker does, told as it goes; and reading what was told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from baohuang.api.models import EventView
from baohuang.api.services import event_feed, events, matches
from baohuang.api.services.event_feed import Topic, Wanted
from baohuang.engine.bots import BOTS
from baohuang.engine.commentary import Mark, since
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match as Referee

from .conftest import World
from .playing import LEASE_S, Slip, claimed


def play_told(
    world: World,
    match_id: str,
    block: int = 10,
    meanwhile: Callable[[Referee], None] = lambda match: None,
) -> Referee:
    """Claim, play with house bots, checkpoint every `block` decisions with all there is to tell.

    The first decision has a fault. `meanwhile` is called after each checkpoint.
    """
    held = claimed(world, match_id)
    match = Referee.resume(held.rules, held.key, held.deals, held.log)
    written, mark = 0, Mark()
    while True:
        if match.over or len(match.log) - written >= block:
            sayings, mark = since(match, mark)
            tail, faults = match.log[written:], [Slip(0, match.log[0][0])] if not written else []
            with world.database.begin() as session:
                if match.over:
                    matches.finish(session, match_id, held.epoch, match, tail, faults, sayings)
                else:
                    matches.checkpoint(
                        session, match_id, held.epoch, written, tail, faults, LEASE_S, sayings
                    )
            written = len(match.log)
            meanwhile(match)
        if match.over:
            return match
        bot = BOTS[held.seats[match.seat].house_bot or "greedy"]
        match.answer(bot.choose(match.look(), Draw(held.key, f"bot/{match.turn}")))


def number(world: World) -> None:
    """What the timer does every second."""
    with world.database.read() as session:
        waiting = events.waiting(session)
    for tournament_id in waiting:
        with world.database.begin() as session:
            events.number_waiting(session, tournament_id)


def told(
    world: World,
    tournament_id: str,
    view: EventView = EventView.ARBITER,
    *,
    after: int = 0,
    match_id: str | None = None,
) -> list[dict[str, Any]]:
    """What a reader of a view has by now, in order."""
    found: list[dict[str, Any]] = []
    with world.database.read() as session:
        while True:
            wanted = Wanted(match_id)
            got = event_feed.read(session, Topic(tournament_id, view), wanted, after, 7)
            found += [dict(event) for event in got.events]
            after = got.end
            if not got.more:
                return found


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in found]
