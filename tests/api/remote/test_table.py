"""The driver of a match: clocks, faults, notices, hooks, and going on from a log."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from baohuang.api.remote.agent import Agent, Decision, Notice, Question
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.table import Played, SeatClock, TimeRules, new_clocks, play
from baohuang.api.remote.wire import Clock, LastCall, MatchIds
from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match
from baohuang.engine.record import verify
from baohuang.engine.rules import rule_set

from .support import run

RULES = rule_set("lianzhong-simple")
KEY = bytes(range(32))
IDS = MatchIds("m1", "t1", 3, 2)


class Player:
    """Answers at random, the same to the same question; `fails` says where it is at fault."""

    def __init__(
        self, listens: bool = False, fails: Callable[[Question], bool] | None = None
    ) -> None:
        self.listens = listens
        self.fails = fails or (lambda _: False)
        self.asked: list[Question] = []
        self.told: list[Notice] = []

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        await asyncio.sleep(0)
        if self.fails(question):
            return Decision(None, Fault("status", "bot", "status 500 instead of 200", 7), 7, 7)
        view = question.view
        lots = Draw(KEY, f"{question.ids.match}/{view['turn']}/{view['seat']}")
        return Decision(BOTS["random"].choose(view, lots), None, 5, 3, "a note")

    async def notify(self, notice: Notice, seconds: float) -> Fault | None:
        self.told.append(notice)
        return None


class Hooks:
    def __init__(self, stop_at: int = 0) -> None:
        self.events: list[tuple[str, Played]] = []
        self.stop_at = stop_at

    def on_decision(self, played: Played) -> Awaitable[None] | None:
        self.events.append(("decision", played))
        return asyncio.sleep(0) if played.turn % 2 else None

    def on_fault(self, played: Played, fault: Fault) -> None:
        assert fault == played.decision.fault
        self.events.append(("fault", played))


def players(**others: Player) -> list[Player]:
    return [others.get(f"seat{seat}", Player()) for seat in range(5)]


def played(
    match: Match, agents: list[Player], hooks: Hooks, times: TimeRules | None = None
) -> None:
    run(play(match, IDS, agents, new_clocks(times or TimeRules()), hooks, times))


def test_a_match_is_played_to_its_end_and_its_record_verifies() -> None:
    match, agents, hooks = Match(RULES, KEY, 3), players(), Hooks()
    played(match, agents, hooks)
    assert match.over
    verify(match.record(["a", "b", "c", "d", "e"], "m1"))
    decisions = [p for kind, p in hooks.events if kind == "decision"]
    assert [(p.seat, p.answer, p.auto) for p in decisions] == match.log
    turns = [p.turn for p in decisions]
    assert turns == sorted(set(turns))
    assert {p.decision.note for p in decisions} == {"a note"}


def test_each_question_goes_to_its_own_seat_with_that_seats_view() -> None:
    match, agents = Match(RULES, KEY, 1), players()
    played(match, agents, Hooks())
    for seat, agent in enumerate(agents):
        assert all(q.view["seat"] == seat and q.ids == IDS for q in agent.asked)
    assert len({q.request for agent in agents for q in agent.asked}) == len(match.log)


def test_a_fault_plays_the_fallback_marks_it_auto_and_tells_the_hook_first() -> None:
    bad = Player(fails=lambda q: q.view["turn"] % 10 == 0)
    match, hooks = Match(RULES, KEY, 2), Hooks()
    agents = players(seat2=bad)
    played(match, agents, hooks)
    failed = [q for q in bad.asked if bad.fails(q)]
    faults = [(at, p) for at, (kind, p) in enumerate(hooks.events) if kind == "fault"]
    assert len(faults) == len(failed) > 0
    decisions = [p for kind, p in hooks.events if kind == "decision"]
    for (at, p), question in zip(faults, failed, strict=True):
        assert (p.seat, p.auto, p.answer) == (2, True, question.view["fallback"])
        assert match.log[decisions.index(p)] == (2, p.answer, True)
        assert hooks.events[at + 1] == ("decision", p)


def test_rules_6_a_seat_that_failed_four_times_in_a_deal_is_asked_no_more_until_the_next() -> None:
    bad = Player(fails=lambda q: True)
    match = Match(RULES, KEY, 3)
    played(match, players(seat1=bad), Hooks())
    asked = [q.view["deal"] for q in bad.asked]
    assert all(asked.count(deal) <= 4 for deal in (1, 2, 3))
    assert 4 in [asked.count(deal) for deal in (1, 2, 3)]


def test_five_agents_that_all_fail_still_end_the_match() -> None:
    agents = [Player(fails=lambda q: True) for _ in range(5)]
    match = Match(RULES, KEY, 2)
    played(match, agents, Hooks())
    assert match.over
    verify(match.record(["a"] * 5))


@pytest.mark.parametrize("at", [0, 1, 7, 30])
def test_a_match_resumed_from_its_log_asks_the_rest_with_the_same_ids(at: int) -> None:
    whole, first = Match(RULES, KEY, 2), players()
    played(whole, first, Hooks())
    resumed, second = Match.resume(RULES, KEY, 2, whole.log[:at]), players()
    turn = resumed.turn
    played(resumed, second, Hooks())
    assert resumed.record(["a"] * 5) == whole.record(["a"] * 5)
    for before, after in zip(first, second, strict=True):
        ids = [q.request for q in before.asked if q.view["turn"] >= turn]
        assert [q.request for q in after.asked] == ids


def test_no_two_questions_have_one_request_id_even_where_an_answer_is_kept_secret() -> None:
    rules = rule_set("lianzhong-simple", {"open_guard": False, "rebellion": False})
    secret = 0
    for game in range(40):
        match, agents = Match(rules, game.to_bytes(32, "big"), 4), players()
        played(match, agents, Hooks())
        asked = [q for agent in agents for q in agent.asked]
        assert len({q.request for q in asked}) == len(asked)
        secret += len(asked) - len({(q.view["turn"], q.view["seat"]) for q in asked})
    assert secret > 0  # a hidden solo: the emperor is asked twice at one turn


def test_an_error_in_a_hook_ends_play_at_once() -> None:
    class LostLease(Exception):
        pass

    class Failing(Hooks):
        def on_decision(self, played: Played) -> Awaitable[None] | None:
            self.events.append(("decision", played))
            if len(self.events) == 5:
                raise LostLease
            return None

    match = Match(RULES, KEY, 2)
    with pytest.raises(LostLease):
        played(match, players(), Failing())
    assert len(match.log) == 5


# Clocks (contract.md 4: a budget a decision and a bank a match)


def test_what_goes_beyond_the_budget_is_taken_from_the_bank() -> None:
    clock, times = SeatClock(1000), TimeRules(budget_ms=200, bank_ms=1000)
    for charged, left in ((150, 1000), (200, 1000), (350, 850), (1300, 0), (500, 0)):
        clock.spend(clock.before(times), LastCall(charged + 20, charged, "ok"))
        assert clock.bank_ms == left
    assert clock.last == LastCall(520, 500, "ok")
    assert clock.before(times) == Clock(200, 0, LastCall(520, 500, "ok"))


def test_the_next_request_tells_of_the_last_call_and_its_fault() -> None:
    bad = Player(fails=lambda q: len(bad.asked) <= 2)
    played(Match(RULES, KEY, 1), players(seat0=bad), Hooks())
    lasts = [q.clock.last for q in bad.asked]
    failed, fine = LastCall(7, 7, "status"), LastCall(5, 3, "ok")
    assert lasts[:5] == [None, failed, failed, fine, fine]


def test_the_first_question_of_a_match_has_the_cold_start_grace() -> None:
    agents = players()
    played(Match(RULES, KEY, 1), agents, Hooks(), TimeRules(100, 500, grace_ms=900))
    for agent in agents:
        assert [q.clock.budget_ms for q in agent.asked[:3]] == [1000, 100, 100]


# Notices


def test_listening_seats_are_told_the_end_of_each_deal_and_of_the_match() -> None:
    agents = players(seat1=Player(listens=True), seat4=Player(listens=True))
    match = Match(RULES, KEY, 2)
    played(match, agents, Hooks())
    assert [len(agent.told) for agent in agents] == [0, 3, 0, 0, 3]
    assert len({notice.request for agent in agents for notice in agent.told}) == 6


def test_a_seat_that_takes_for_ever_over_a_notice_delays_the_end_by_the_allowance_only() -> None:
    class Deaf(Player):
        async def notify(self, notice: Notice, seconds: float) -> Fault | None:
            await asyncio.sleep(3600)
            return None

    deaf, good = Deaf(listens=True), Player(listens=True)
    match = Match(RULES, KEY, 2)
    played(match, players(seat0=deaf, seat1=good), Hooks(), TimeRules(notice_ms=50))
    assert match.over
    assert len(good.told) == 3


def test_a_match_that_is_cancelled_leaves_no_task_behind() -> None:
    told = asyncio.Event()

    class Deaf(Player):
        async def notify(self, notice: Notice, seconds: float) -> Fault | None:
            told.set()
            await asyncio.sleep(3600)
            return None

    async def work() -> set[asyncio.Task[object]]:
        agents: list[Agent] = [Deaf(listens=True) for _ in range(5)]
        match = Match(RULES, KEY, 50)
        task = asyncio.create_task(play(match, IDS, agents, new_clocks(TimeRules()), Hooks()))
        await told.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return asyncio.all_tasks()

    assert len(run(work())) == 1


def test_play_stops_before_a_question_that_is_not_to_be_asked() -> None:
    """All about the one before is done: a desertion that it brought is in the log."""
    bad = Player(fails=lambda _: True)
    whole = Match(RULES, KEY, 10)
    played(whole, players(seat2=bad), Hooks())
    place = whole.log.index((2, "desert", True))
    match, agents = Match(RULES, KEY, 10), players(seat2=Player(fails=lambda _: True))
    asked = lambda: sum(len(agent.asked) for agent in agents)  # noqa: E731
    clocks = new_clocks(TimeRules())
    run(play(match, IDS, agents, clocks, Hooks(), goes_on=lambda: asked() < place))
    assert match.log == whole.log[: place + 1]
    assert asked() == place
    assert not match.over


class Cut(Player):
    """Fails for a reason that is not its own."""

    async def decide(self, question: Question) -> Decision:
        self.asked.append(question)
        return Decision(None, Fault("connect", "network", "not reached", 7), 7, 0)


def test_rules_6_who_is_absent_from_three_deals_through_his_own_faults_deserts() -> None:
    bad = Player(fails=lambda q: True)
    match = Match(RULES, KEY, 6)
    played(match, players(seat2=bad), Hooks())
    assert match.penalties == [0, 0, -40, 0, 0]
    assert len({q.view["deal"] for q in bad.asked}) == 3
    assert (2, "desert", True) in match.log
    verify(match.record(["a", "b", "c", "d", "e"], "m1"))
    assert Match.resume(RULES, KEY, 6, match.log).record([*"abcde"]) == match.record([*"abcde"])


def test_who_fails_in_two_deals_only_stays() -> None:
    bad = Player(fails=lambda q: q.view["deal"] in (1, 3))
    match = Match(RULES, KEY, 4)
    played(match, players(seat2=bad), Hooks())
    assert match.penalties == [0] * 5


def test_nobody_deserts_for_what_the_network_did() -> None:
    cut = Cut()
    match = Match(RULES, KEY, 6)
    played(match, players(seat2=cut), Hooks())
    assert match.penalties == [0] * 5
    assert len({q.view["deal"] for q in cut.asked}) == 6


def test_everybody_may_desert_and_the_match_still_ends() -> None:
    agents = [Player(listens=True, fails=lambda q: True) for _ in range(5)]
    match = Match(RULES, KEY, 6)
    played(match, agents, Hooks())
    assert match.over
    assert match.penalties.count(-40) >= 3
    for agent in agents:
        assert [notice.kind for notice in agent.told][-1] == "match_end"
