"""The log of calls: what the owner is shown is what his agent was sent, byte for byte."""

import signal

import orjson
from sqlalchemy import select

from baohuang.api.models import Match
from baohuang.api.services import calls, decisions, further_calls, practices

from .arena import until
from .bots import running_bots


def shown(arena, author, match_id, seat):
    """Every call to a seat with its request, through the pages of the list."""
    found, after = [], None
    while True:
        with arena.database.read() as session:
            page = calls.search(session, author, match_id, after, 100, seat=seat)
        found += [row.seq for row in page.items]
        after = page.after
        if after is None:
            break
    with arena.database.read() as session:
        return [calls.find(session, arena.vault, author, match_id, seq) for seq in found]


def test_requests_are_shown_as_they_were_sent_also_after_a_worker_died(arena):
    with running_bots(think_s=0.002) as bots:
        author, agents = arena.author([bots.url(0), bots.url(1)])
        wish = practices.Wish(
            "biesan", deals=2, seats=[{"agent_id": agent} for agent in (*agents, agents[0])]
        )
        with arena.database.begin() as session:
            match_id = practices.create(session, arena.vault, author, wish)
        with arena.process("worker", "--timers") as worker:
            until(lambda: arena.decisions() >= 40)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Match.status)) == "finished")
    sent = {body["request"]: body for body in bots.sent}  # the last one, where asked twice
    for seat in (0, 1, 2):
        found = shown(arena, author, match_id, seat)
        assert found
        for call in found:
            request = orjson.loads(call.body)
            original = sent[request["request"]]
            assert request == original
            assert list(request) == list(original)
            assert call.row.answer in request["legal"]


def test_what_was_fetched_is_shown_as_it_was_given_byte_for_byte(arena):
    author, (agent_id,) = arena.author([None])
    wish = practices.Wish("biesan", deals=1, seats=[{"agent_id": agent_id}], budget_ms=20_000)
    with arena.database.begin() as session:
        match_id = practices.create(session, arena.vault, author, wish)
    given = {}

    def plays_on():
        """Fetch what is there, twice, and answer it; whether the match is over."""
        for _ in range(2):
            with arena.database.begin() as session:
                body = decisions.fetch(session, agent_id)
            if body is None or (question := orjson.loads(body))["kind"] != "decide":
                return arena.one(select(Match.status)) == "finished"
            assert given.setdefault(question["request"], body) == body
        with arena.database.begin() as session:
            decisions.answer(session, author, question["request"], question["fallback"])
        return False

    with arena.process("worker", "--timers"):
        until(plays_on)
    found = shown(arena, author, match_id, 0)
    assert {orjson.loads(call.body)["request"]: call.body for call in found} == given
    assert len(given) > 5


def further(arena, author, match_id):
    """Everything else that was sent, with its bodies."""
    with arena.database.read() as session:
        rows = further_calls.search(session, author, match_id, None, 100).items
        return [further_calls.find(session, arena.vault, author, match_id, row.id) for row in rows]


def test_notices_are_shown_as_they_were_sent_with_what_came_back(arena):
    with running_bots() as bots:
        author, (well, lost) = arena.author([bots.url(0), bots.url(1) + "/nowhere"])
        seats = [{"agent_id": agent} for agent in (well, lost)]
        wish = practices.Wish("biesan", deals=3, seats=seats)
        with arena.database.begin() as session:
            match_id = practices.create(session, arena.vault, author, wish)
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Match.status)) == "finished")
    (record,) = arena.records()
    found = further(arena, author, match_id)
    told = [(call.row.seat, call.row.kind) for call in found]
    deals = len(record["deals"])
    assert sorted(told) == sorted(
        [(seat, kind) for seat in (0, 1) for kind in ["deal_end"] * deals + ["match_end"]]
    )
    assert {(call.row.seat, call.row.fault) for call in found} == {(0, None), (1, "status")}
    heard = {body["request"]: body for body in bots.notices}
    for call in found:
        if call.row.seat == 0:
            assert orjson.loads(call.body) == heard.pop(call.row.request)
    assert heard == {}


def test_the_bank_is_kept_when_another_worker_goes_on(arena):
    with running_bots(think_s=0.02) as bots:
        author, (agent,) = arena.author([bots.url(0)])
        wish = practices.Wish(
            "biesan", deals=2, budget_ms=5, bank_ms=60_000, seats=[{"agent_id": agent}]
        )
        with arena.database.begin() as session:
            practices.create(session, arena.vault, author, wish)
        with arena.process("worker", "--timers") as worker:
            until(lambda: arena.decisions() >= 40)
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        with arena.process("worker", "--timers"):
            until(lambda: arena.one(select(Match.status)) == "finished")
    clocks = {}
    for body in bots.sent:
        clock, place = body["clock"], (body["turn"], body["phase"])
        clocks.setdefault(place, []).append((clock["bank_ms"], clock["budget_ms"]))
    # The first question that is asked again has the clock that it had. Those behind it follow from
    # what its second answer took.
    twice = [known for known in clocks.values() if len(known) > 1]
    assert all(len(set(known)) == 1 for known in twice[:1])
    (_, grace), *rest = [known[-1] for known in clocks.values()]
    assert grace == 15  # three budgets, for the first question of the match alone
    assert {budget for _, budget in rest} == {5}
    left = [bank for bank, _ in rest]
    assert left == sorted(left, reverse=True)
    assert left[-1] < 60_000 - 10 * len(left)  # 20 ms each, 5 of them free; the network's share
