"""Tournaments whose luck is told, from the first nudge to ratings, by real processes."""

from sqlalchemy import func, select

from baohuang.api.models import Fault, Interval, Match, Rating, Result, Tournament

from .arena import until
from .bots import running_bots

TABLE = {"format": "single_table", "capacity": 5, "rounds": 1, "deals": 2}


def played(arena, **settings):
    """A tournament of five agents that has ended, with all that timers add to it."""
    with running_bots() as bots:
        arena.prepare([bots.url(k) for k in range(5)], **{**TABLE, **settings})
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Tournament.status)) == "finished")
    with arena.process("scheduler"):  # a new leader rates at once, not after 15 s
        until(lambda: arena.one(select(func.count()).select_from(Interval)) == 5)
        until(lambda: arena.one(select(func.count()).select_from(Rating)) == 5)
    assert arena.one(select(func.count()).select_from(Fault)) == 0


def test_boards_are_replayed_with_the_same_hands_in_other_seats(arena):
    played(arena, format_options={"boards": 5})
    found = {}
    for board, record in arena.rows(select(Match.board, Match.record)):
        (deal, *_) = record["deals"]
        found.setdefault(board, []).append((deal["hands"], tuple(record["seats"])))
    assert [len(matches) for matches in found.values()] == [5, 5]
    for matches in found.values():
        assert all(hands == matches[0][0] for hands, _ in matches)
        assert len({seats for _, seats in matches}) == 5


def test_par_is_worked_out_beside_the_match(arena):
    played(arena, par={"bot": "greedy", "playouts": 2}, scoring="adjusted")
    hands = [hand for (row,) in arena.rows(select(Result.hands)) for hand in row]
    assert len(hands) == 10
    assert all(isinstance(par, str) for *_, par in hands)
