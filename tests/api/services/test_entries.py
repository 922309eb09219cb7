"""Who may enter and withdraw, once, and while there is room."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from sqlalchemy import event

from baohuang.api.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from baohuang.api.models import AgentStatus
from baohuang.api.services import bulk_entries, entries
from baohuang.api.services.bulk_entries import Wish

from .racing import losers, race


def withdraw(world, entry_id, who="anna", version=1):
    with world.database.begin() as session:
        entries.withdraw(session, world.people[who], entry_id, version)


def names(world, tournament_id):
    with world.database.read() as session:
        page = entries.search(session, world.people["anna"], tournament_id, None, 100)
    return [row.name for row in page.items]


def test_an_owner_enters_an_active_agent_once(world):
    tournament_id, agent_id = world.opened(), world.agent("anna", "wolf")
    world.enter(tournament_id, agent_id)
    with pytest.raises(Conflict) as refused:
        world.enter(tournament_id, agent_id)
    assert refused.value.problem_code == "already_entered"
    assert names(world, tournament_id) == ["wolf"]


@pytest.mark.parametrize(
    "status", [AgentStatus.UNVERIFIED, AgentStatus.PAUSED, AgentStatus.RETIRED]
)
def test_only_active_agents_enter(world, status):
    tournament_id = world.opened()
    with pytest.raises(Conflict) as refused:
        world.enter(tournament_id, world.agent("anna", "wolf", status))
    assert refused.value.problem_code == "agent_not_active"
    assert names(world, tournament_id) == []


def test_agents_of_others_are_as_unknown_as_none_at_all(world):
    tournament_id, agent_id = world.opened(), world.agent("anna", "wolf")
    refusals = []
    for unknown in (agent_id, "01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(Invalid) as refused:
            world.enter(tournament_id, unknown, "bert")
        refusals.append(refused.value.errors)
    assert refusals[0] == refusals[1]
    assert refusals[0][0].pointer == "/agent_id"


def test_the_organizer_enters_any_agent_and_another_organizer_does_not(world):
    tournament_id, agent_id = world.opened(), world.agent("anna", "wolf")
    with pytest.raises(Invalid):
        world.enter(tournament_id, agent_id, "oskar")
    world.enter(tournament_id, agent_id, "olga")
    assert names(world, tournament_id) == ["wolf"]


def test_house_bots_are_the_organizers_to_enter(world):
    tournament_id = world.opened()
    with pytest.raises(Forbidden), world.database.begin() as session:
        entries.enter(session, world.people["anna"], tournament_id, house_bot="greedy")
    with pytest.raises(Invalid), world.database.begin() as session:
        entries.enter(session, world.people["olga"], tournament_id, house_bot="nobody")
    with world.database.begin() as session:
        for _ in range(2):
            entries.enter(session, world.people["olga"], tournament_id, house_bot="greedy")
    assert names(world, tournament_id) == ["greedy", "greedy 2"]


def test_agents_of_one_name_are_told_apart(world):
    tournament_id = world.opened()
    world.enter(tournament_id, world.agent("anna", "wolf"))
    world.enter(tournament_id, world.agent("bert", "wolf"), "bert")
    assert names(world, tournament_id) == ["wolf", "wolf 2"]


def test_a_full_tournament_takes_nobody(world):
    tournament_id = world.opened(capacity=5)
    for number in range(5):
        world.enter(tournament_id, world.agent("anna", f"bot-{number}"))
    with pytest.raises(Conflict) as refused:
        world.enter(tournament_id, world.agent("anna", "late"))
    assert refused.value.problem_code == "tournament_full"


def test_two_who_enter_the_last_place_at_once(world):
    tournament_id = world.opened(capacity=5)
    for number in range(4):
        world.enter(tournament_id, world.agent("anna", f"bot-{number}"))
    rivals = [world.agent("anna", "left"), world.agent("anna", "right")]
    outcomes = race(*[lambda a=agent: world.enter(tournament_id, a) for agent in rivals])
    assert losers(outcomes) == ["tournament_full"]
    assert len(names(world, tournament_id)) == 5


def test_one_agent_that_enters_twice_at_once(world):
    tournament_id, agent_id = world.opened(), world.agent("anna", "wolf")
    outcomes = race(*[lambda: world.enter(tournament_id, agent_id)] * 2)
    assert losers(outcomes) == ["already_entered"]
    assert names(world, tournament_id) == ["wolf"]


def test_before_the_start_a_withdrawn_entry_is_gone_and_its_place_free(world):
    tournament_id, agent_id = world.opened(), world.agent("anna", "wolf")
    withdraw(world, world.enter(tournament_id, agent_id))
    assert names(world, tournament_id) == []
    world.enter(tournament_id, agent_id)
    assert names(world, tournament_id) == ["wolf"]


def test_only_owner_and_organizer_withdraw(world):
    tournament_id = world.opened()
    entry_id = world.enter(tournament_id, world.agent("anna", "wolf"))
    for who in ("bert", "oskar"):
        with pytest.raises(Forbidden):
            withdraw(world, entry_id, who)
    withdraw(world, entry_id, "olga")
    with pytest.raises(NotFound):
        withdraw(world, entry_id, "olga")


def test_a_withdrawal_needs_the_current_version(world):
    tournament_id = world.opened()
    entry_id = world.enter(tournament_id, world.agent("anna", "wolf"))
    with pytest.raises(PreconditionFailed):
        withdraw(world, entry_id, version=2)
    assert names(world, tournament_id) == ["wolf"]


@contextmanager
def looking_for_names(world):
    """The questions for entries' names in the meantime."""
    asked = []

    def note(_connection, _cursor, statement, *_rest):
        if statement.startswith("SELECT entries.") and "entries.name" in statement:
            asked.append(statement)

    event.listen(world.database.engine, "before_cursor_execute", note)
    yield asked
    event.remove(world.database.engine, "before_cursor_execute", note)


def with_house_bots(world, number):
    tournament_id = world.opened(format="ladder", capacity=100, house_bot="greedy")
    wishes = [Wish(house_bot="greedy") for _ in range(number)]
    world.do(bulk_entries.enter_all, "olga", tournament_id, wishes)
    return tournament_id


def test_a_free_name_is_found_with_as_few_questions_among_many_as_among_few(world):
    """Four more fill two tables of five where there are 6 entries, and nine where there are 41."""
    asked = {}
    for number in (5, 40):
        tournament_id = with_house_bots(world, number)
        with looking_for_names(world) as one:
            found = world.do(entries.enter_house_bot, "olga", tournament_id, "greedy")
        assert found.name == f"greedy {number + 1}"
        with looking_for_names(world) as filling:
            world.act("start", tournament_id)
        filled = world.entries(tournament_id, fills=True, status="entered")
        assert [entry.name for entry in filled] == [
            f"greedy {number + more}" for more in range(2, 6)
        ]
        asked[number] = len(one), len(filling)
    assert asked[5] == asked[40]


def test_a_number_that_is_taken_is_passed_over(world):
    tournament_id = world.opened()
    world.enter(tournament_id, world.agent("anna", "greedy 2"))
    found = [world.do(entries.enter_house_bot, "olga", tournament_id, "greedy") for _ in range(3)]
    assert [entry.name for entry in found] == ["greedy", "greedy 3", "greedy 4"]
