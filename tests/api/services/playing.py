"""Workers in a few lines: one that plays with house bots, and a match that is over at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from baohuang.api.services import matches
from baohuang.api.services.matches import Claim
from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match as Referee

from .conftest import World

LEASE_S = 600.0


def deal(
    scores: Sequence[int],
    *,
    places: Sequence[int] | None = (1, 2, 3, 4, 5),
    emperor: int = 0,
    guard: int | None = 1,
    solo: str | None = None,
    result: str = "scored",
) -> dict[str, Any]:
    """A finished deal, as far as results look at it."""
    return {
        "scores": list(scores),
        "places": None if places is None else list(places),
        "emperor": emperor,
        "guard": guard,
        "solo": solo,
        "result": result,
        "attempt": 1,
        "first": 0,
    }


@dataclass
class FakeMatch:
    """What a referee would hand over at the end of a match."""

    deals_done: list[dict[str, Any]] = field(default_factory=lambda: [deal([2, 1, -1, -1, -1])])
    penalties: list[int] = field(default_factory=lambda: [0] * 5)
    log: list[tuple[int, str, bool]] = field(default_factory=lambda: [(0, "accept", False)])

    def __post_init__(self) -> None:
        for number, made in enumerate(self.deals_done, 1):
            made.setdefault("number", number)

    def record(
        self, seats: Sequence[str], match: str | None = None, reveal: bool = True
    ) -> dict[str, Any]:
        draw = {"scheme": "draw-v1", "commitment": "c0", "key": "4b" if reveal else None}
        return {"match": match, "seats": list(seats), "draw": draw, "deals": self.deals_done}


@dataclass(frozen=True)
class Slip:
    """A fault as the scheduler hands it over."""

    seq: int
    seat: int
    kind: str = "timeout"
    charged_to: str = "bot"
    ms: int = 1500
    detail: str | None = "no answer in time"


def claim(
    world: World, match_id: str, owner: str = "worker", lease_s: float = LEASE_S
) -> Claim | None:
    with world.database.begin() as session:
        return matches.claim(session, world.vault, match_id, owner, lease_s)


def claimed(world: World, match_id: str, lease_s: float = LEASE_S) -> Claim:
    found = claim(world, match_id, lease_s=lease_s)
    assert found is not None
    return found


def finish(world: World, match_id: str, match: FakeMatch | None = None) -> None:
    """Claim and finish at once."""
    epoch = claimed(world, match_id).epoch
    match = match or FakeMatch()
    with world.database.begin() as session:
        assert matches.finish(session, match_id, epoch, match, match.log, [])


def finish_at_once(world: World, match_id: str, match: FakeMatch) -> None:
    """The same in one transaction, for tests that finish thousands."""
    with world.database.begin() as session:
        held = matches.claim(session, world.vault, match_id, "worker", LEASE_S)
        assert held is not None
        par = None if held.par is None else some_par(match)
        assert matches.finish(session, match_id, held.epoch, match, match.log, [], par=par)


def some_par(match: FakeMatch) -> dict[tuple[int, int, int], Fraction]:
    """Made up; it adds up to 0 in every deal."""
    return {
        (deal["number"], deal["attempt"], packet): Fraction(packet - 2, 3)
        for deal in match.deals_done
        for packet in range(5)
    }


def play(world: World, match_id: str, block: int = 25, agents: str = "autoplay") -> None:
    """Claim, play with house bots (`agents` for agents), checkpoint every `block` decisions,
    finish.
    """
    held = claimed(world, match_id)
    match = Referee.resume(held.rules, held.key, held.deals, held.log)
    written = len(match.log)
    while not match.over:
        bot = BOTS[held.seats[match.seat].house_bot or agents]
        match.answer(bot.choose(match.look(), Draw(held.key, f"bot/{match.turn}")))
        if len(match.log) - written >= block:
            checkpoint(world, held, written, match.log[written:])
            written = len(match.log)
    with world.database.begin() as session:
        tail = match.log[written:]
        par = held.par and held.par.work_out(held.rules, held.key, held.deals)
        assert matches.finish(session, match_id, held.epoch, match, tail, [], par=par)


def checkpoint(world: World, held: Claim, start: int, block: Sequence[Any]) -> None:
    with world.database.begin() as session:
        assert matches.checkpoint(session, held.match_id, held.epoch, start, block, [], LEASE_S)
