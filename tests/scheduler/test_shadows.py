"""A worker asks shadows along, and writes down what they said."""

from sqlalchemy import func, select

from baohuang.api.models import Decision, Fault, Match
from baohuang.api.services import practices, shadow_calls, versions

from .arena import until
from .bots import running_bots


def shadowed(arena, author, agent_id, url):
    with arena.database.begin() as session:
        versions.create(session, arena.vault, author, agent_id, url, shadow=True)
        versions.record_hello(session, author, agent_id, 2)


def report(arena, author, agent_id):
    with arena.database.read() as session:
        return shadow_calls.report(session, author, agent_id, 2)


def test_shadows_are_compared_with_what_was_played_and_change_nothing(arena):
    with running_bots() as bots:
        author, (same, broken) = arena.author([bots.url(0), bots.url(1)])
        shadowed(arena, author, same, bots.url(0))
        shadowed(arena, author, broken, bots.url(1) + "/nowhere")
        wish = practices.Wish("biesan", deals=1, seats=[{"agent_id": same}, {"agent_id": broken}])
        with arena.database.begin() as session:
            practices.create(session, arena.vault, author, wish)
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Match.status)) == "finished")
            calls = arena.rows(
                select(Decision.seat, func.count())
                .where(Decision.asked_at.is_not(None))
                .group_by(Decision.seat)
            )
            asked = dict(calls)

            def all_there():
                found = report(arena, author, same)
                return found if found["asked"] + found["skipped"] >= asked[0] else None

            found = until(all_there)
            failed = until(lambda: (f := report(arena, author, broken))["asked"] and f)
    assert found["compared"] == found["same"] > 0
    assert found["faults"] == {}
    assert failed["answered"] == 0
    assert failed["faults"] == {"status": failed["asked"]}
    assert arena.one(select(func.count()).select_from(Fault)) == 0
