"""Versions of agents: the newest verified one plays, from the next round on."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, NotFound
from baohuang.api.models import (
    Agent,
    AgentVersion,
    Entry,
    Event,
    Match,
    PracticeSeat,
    utc_now,
)
from baohuang.api.services import agent_calls, agents, practices, ruled_matches, tables, versions

from .playing import claimed, play
from .racing import race


@pytest.fixture
def agent_id(world):
    """Active, with its first version at https://bot.example/bot."""
    return world.agent("anna", "bot")


def make(world, agent_id, name, *, shadow=False, prove=True):
    """A version at https://NAME.example/, verified unless one says otherwise: its number."""
    url = f"https://{name}.example/"
    made, _ = do(world, versions.create, agent_id, url, shadow=shadow)
    if prove:
        do(world, versions.record_hello, agent_id, made.number)
    return made.number


def do(world, service, *args, **more):
    with world.database.begin() as session:
        vault = (world.vault,) if service is versions.create else ()
        return service(session, *vault, world.people["anna"], *args, **more)


def agent(world, agent_id):
    with world.database.read() as session:
        found = session.get_one(Agent, agent_id)
        return found.current, found.status, found.url


def url_of(world, match_id, lease_s=-1):
    """Where the only agent of a match is called, if it is claimed now."""
    (plan,) = [plan for plan in claimed(world, match_id, lease_s).seats if plan.agent_id]
    return plan.url


def seat_of(world, agent_id, tournament_id, ids):
    """The agent's match among a round's."""
    with world.database.read() as session:
        for match_id in ids:
            lineup = session.get_one(Match, match_id).lineup
            if any(player["agent_id"] == agent_id for player in lineup or ()):
                return match_id
    raise AssertionError(f"{tournament_id} does not seat the agent")


@pytest.fixture
def tournament_id(world, agent_id):
    """Five seats, two rounds, not begun."""
    made = world.opened(capacity=5, rounds=2)
    world.enter(made, agent_id)
    world.act("start", made)
    return made


def test_a_round_is_finished_with_the_version_it_was_opened_with(world, agent_id, tournament_id):
    (first,) = world.open_next(tournament_id)
    make(world, agent_id, "second")
    assert agent(world, agent_id) == (2, "active", "https://second.example/")
    assert url_of(world, first) == "https://bot.example/bot"
    make(world, agent_id, "third")
    assert url_of(world, first) == "https://bot.example/bot"
    with world.database.read() as session:
        lineup = session.get_one(Match, first).lineup
    assert [player.get("version") for player in lineup if player["agent_id"]] == [1]


def test_the_next_round_takes_the_newest_verified_version(world, agent_id, tournament_id):
    (first,) = world.open_next(tournament_id)
    make(world, agent_id, "second")
    make(world, agent_id, "third", prove=False)
    play(world, first)
    world.close_rounds()
    (second,) = world.open_next(tournament_id)
    assert url_of(world, second) == "https://second.example/"


def test_who_plays_with_another_version_than_before_is_told(world, agent_id, tournament_id):
    (first,) = world.open_next(tournament_id)
    make(world, agent_id, "second")
    shown = seats(world, first)
    assert [player["version"] for player in shown if player["agent_id"]] == [1]
    play(world, first)
    world.close_rounds()
    (second,) = world.open_next(tournament_id)
    claimed(world, second)
    assert [player["version"] for player in seats(world, second) if player["agent_id"]] == [2]
    with world.database.read() as session:
        told = list(session.scalars(select(Event.payload).where(Event.kind == "entry.version")))
        entry = session.scalars(select(Entry).where(Entry.agent_id == agent_id)).one()
    assert told == [
        {"entry_id": entry.id, "name": "bot", "agent_id": agent_id, "version": 2, "round": 2}
    ]


def seats(world, match_id):
    """Who plays, once it has been claimed."""
    if world.see(lambda session: session.get_one(Match, match_id).lineup) is None:
        claimed(world, match_id, -1)
    found = world.see(tables.find_match, world.people["olga"], match_id)["seats"]
    return [seat["player"] for seat in found]


def test_its_own_secret_signs_its_calls(world, agent_id, tournament_id):
    _, secret = do(world, versions.create, agent_id, "https://second.example/")
    do(world, versions.record_hello, agent_id, 2)
    (first,) = world.open_next(tournament_id)
    (plan,) = [plan for plan in claimed(world, first).seats if plan.agent_id]
    assert (plan.version, plan.secrets) == (2, (secret,))
    assert secret not in repr(plan)


def test_a_match_that_is_replayed_belongs_to_its_round(world, agent_id, tournament_id):
    (first,) = world.open_next(tournament_id)
    make(world, agent_id, "second")
    with world.database.begin() as session:
        rulings_case = type("Case", (), {"session": session})
        old = session.get_one(Match, first)
        rulings_case.tournament = old.tournament
        again = ruled_matches._played_again(rulings_case, old).id
    assert url_of(world, again) == "https://bot.example/bot"


def test_a_practice_match_is_finished_with_the_version_it_began_with(world, agent_id):
    wish = practices.Wish("lianzhong-simple", deals=1, seats=[{"agent_id": agent_id}])
    with world.database.begin() as session:
        match_id = practices.create(session, world.vault, world.people["anna"], wish)
    make(world, agent_id, "second")
    assert url_of(world, match_id) == "https://bot.example/bot"
    with world.database.read() as session:
        pinned = session.scalars(select(PracticeSeat.agent_version_id)).all()
    assert len([version_id for version_id in pinned if version_id]) == 1


def test_an_older_version_that_proves_itself_later_changes_nothing(world, agent_id):
    late = make(world, agent_id, "late", prove=False)
    make(world, agent_id, "third")
    do(world, versions.record_hello, agent_id, late)
    assert agent(world, agent_id)[0] == 3


def test_a_shadow_plays_only_once_it_is_promoted(world, agent_id):
    number = make(world, agent_id, "shadow", shadow=True)
    assert agent(world, agent_id)[0] == 1
    do(world, versions.promote, agent_id, number)
    assert agent(world, agent_id)[0] == 2
    assert do(world, versions.promote, agent_id, number).version == 3


def test_a_shadow_that_has_not_proved_itself_is_not_promoted(world, agent_id):
    number = make(world, agent_id, "shadow", shadow=True, prove=False)
    with pytest.raises(Conflict) as caught:
        do(world, versions.promote, agent_id, number)
    assert caught.value.problem_code == "version_state"


def test_retiring_the_live_version_goes_back_to_the_one_before(world, agent_id):
    prove_first(world, agent_id)
    make(world, agent_id, "second")
    make(world, agent_id, "shadow", shadow=True)
    do(world, versions.retire, agent_id, 2)
    assert agent(world, agent_id) == (1, "active", "https://bot.example/bot")
    with pytest.raises(Conflict) as caught:
        do(world, versions.retire, agent_id, 1)
    assert caught.value.problem_code == "last_version"


def test_a_retired_version_is_not_called_in_matches_that_run_either(world, agent_id, tournament_id):
    (first,) = world.open_next(tournament_id)
    assert url_of(world, first) == "https://bot.example/bot"
    make(world, agent_id, "second")
    do(world, versions.retire, agent_id, 1)
    assert url_of(world, first) == "https://second.example/"


def test_a_retired_version_does_not_come_back(world, agent_id):
    number = make(world, agent_id, "second", prove=False)
    do(world, versions.retire, agent_id, number)
    assert do(world, versions.retire, agent_id, number).status == "retired"
    for service in (versions.record_hello, versions.promote, versions.to_call):
        with pytest.raises(Conflict) as caught:
            do(world, service, agent_id, number)
        assert caught.value.problem_code == "version_state"


def test_moving_the_agent_is_a_version_that_has_to_prove_itself(world, agent_id):
    make(world, agent_id, "second")
    with world.database.begin() as session:
        row = session.get_one(Agent, agent_id)
        before, version = row.live.secret, row.version
        agents.update(session, world.people["anna"], agent_id, version, url="https://x.example/")
    assert agent(world, agent_id) == (3, "unverified", "https://x.example/")
    with world.database.begin() as session:
        assert session.get_one(Agent, agent_id).live.secret == before
        contact = agent_calls.contact(session, world.vault, world.people["anna"], agent_id)
        assert (contact.number, contact.url) == (3, "https://x.example/")
    do(world, versions.record_hello, agent_id, 3)
    assert agent(world, agent_id)[1] == "active"


def test_an_agent_has_so_many_versions_and_not_more(world, agent_id):
    for number in range(versions.MOST - 1):
        make(world, agent_id, f"v{number}", prove=False)
    with pytest.raises(Conflict) as caught:
        make(world, agent_id, "more")
    assert caught.value.problem_code == "version_limit"
    with pytest.raises(Conflict) as caught:
        do(world, agents.update, agent_id, row_version(world, agent_id), url="https://x.example/")
    assert caught.value.problem_code == "version_limit"
    assert do(world, agents.update, agent_id, row_version(world, agent_id), name="x").name == "x"
    do(world, versions.retire, agent_id, 2)
    assert make(world, agent_id, "more") == versions.MOST + 1
    do(world, versions.retire, agent_id, 3)
    do(world, agents.update, agent_id, row_version(world, agent_id), url="https://x.example/")
    assert agent(world, agent_id)[0] == versions.MOST + 2


def test_versions_of_others_and_those_that_never_were_are_not_found(world, agent_id):
    with pytest.raises(NotFound):
        do(world, versions.find, agent_id, 2)
    with world.database.read() as session, pytest.raises(NotFound):
        versions.find(session, world.people["bert"], agent_id, 1)


def test_a_pull_agent_has_one_version_and_a_retired_agent_gets_none(world, agent_id):
    with world.database.begin() as session:
        pull, _ = agents.register(session, world.vault, world.people["anna"], "p", "pull")
    with pytest.raises(Conflict) as caught:
        make(world, pull.id, "second")
    assert caught.value.problem_code == "agent_kind"
    world.do(agents.move, "anna", agent_id, "retired")
    with pytest.raises(Conflict) as caught:
        make(world, agent_id, "second")
    assert caught.value.problem_code == "agent_state"


def prove_first(world, agent_id):
    """As if it had been registered over HTTP."""
    with world.database.begin() as session:
        session.scalars(select(AgentVersion)).one().status = "verified"
        session.get_one(Agent, agent_id).verified_at = utc_now()


def test_a_move_beside_a_new_version_takes_another_number(world, agent_id):
    """On either database, whoever is first: nobody sees the constraint of the table."""
    anna, numbers = world.people["anna"], [1]
    for turn in range(6):
        seen = row_version(world, agent_id)

        def move(turn=turn, seen=seen):
            with world.database.begin() as session:
                url = f"https://moved{turn}.example/"
                agents.update(session, anna, agent_id, seen, url=url)
                return session.get_one(Agent, agent_id).current

        def create(turn=turn):
            with world.database.begin() as session:
                url = f"https://made{turn}.example/"
                return versions.create(session, world.vault, anna, agent_id, url)[0].number

        numbers += race(move, create)
    assert sorted(numbers) == list(range(1, 14))


def row_version(world, agent_id):
    with world.database.read() as session:
        return session.get_one(Agent, agent_id).version
