"""A practice match is taken up by a worker without anybody's nudge, and played to its record."""

from sqlalchemy import func, select

from baohuang.api.models import Fault, Match
from baohuang.api.services import practices
from baohuang.engine.record import verify

from .arena import until
from .bots import running_bots


def test_a_practice_match_is_played_by_the_same_workers(arena):
    with running_bots() as bots:
        author, agents = arena.author([bots.url(0), bots.url(1)])
        seats = [{"agent_id": agent} for agent in (*agents, agents[0])]
        wish = practices.Wish("lianzhong-simple", deals=1, seats=seats)
        with arena.database.begin() as session:
            match_id = practices.create(session, arena.vault, author, wish)
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Match.status)) == "finished")
        assert bots.places == {(match_id, None, None, None)}
    (record,) = arena.records()
    verify(record)
    assert record["seats"] == ["bot 00", "bot 01", "bot 00", "greedy", "greedy"]
    assert arena.one(select(func.count()).select_from(Fault)) == 0
