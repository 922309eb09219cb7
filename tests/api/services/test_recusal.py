"""Nobody is an arbiter in his own cause: rulings and appeals about his own entries are others'."""

from __future__ import annotations

import pytest

from baohuang.api.errors import Forbidden
from baohuang.api.models import Role, RulingKind
from baohuang.api.services import appeals, attendance, match_log, rulings
from baohuang.api.services.ruling_case import Ask

from .playing import finish


@pytest.fixture
def cup(world):
    """Two tables after round 1; one entry is the arbiter's: its id, its match, the other match."""
    world.person("arno", Role.ARBITER)
    world.person("alma", Role.ARBITER)
    tournament_id = world.opened(appeal_window_s=600)
    own = world.enter(tournament_id, world.agent("arno", "his-own"), "arno")
    others = [world.enter(tournament_id, world.agent("anna", f"hers-{k}")) for k in range(9)]
    world.act("start", tournament_id)
    matches = world.open_next(tournament_id)
    for match_id in matches:
        finish(world, match_id)
    world.close_rounds()
    there = {m: seated(world, tournament_id, m) for m in matches}
    ((his, at_his),) = [(m, who) for m, who in there.items() if own in who]
    (other,) = [m for m in matches if m != his]
    neighbour = next(x for x in others if x in at_his)
    return tournament_id, own, his, other, neighbour


def seated(world, tournament_id, match_id):
    with world.database.read() as session:
        return match_log.sitting(session, match_id).entries


def rule(world, tournament_id, kind, who="arno", **fields):
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "seen by three", **fields)
        return rulings.make(session, world.people[who], tournament_id, ask)


def refused(act) -> bool:
    with pytest.raises(Forbidden) as error:
        act()
    return error.value.problem_code == "own_entry"


@pytest.mark.parametrize("kind", ["adjust", "penalize", "warn", "disqualify"])
def test_an_arbiter_rules_about_no_entry_of_his_own(world, cup, kind):
    tournament_id, own, _, _, neighbour = cup
    points = {"round": 1, "points": -5} if kind in ("adjust", "penalize") else {}
    assert refused(lambda: rule(world, tournament_id, kind, entry_id=own, **points))
    rule(world, tournament_id, kind, entry_id=neighbour, **points)
    rule(world, tournament_id, kind, "alma", entry_id=own, **points)


@pytest.mark.parametrize("kind", ["annul", "replay"])
def test_an_arbiter_rules_about_no_match_where_he_had_a_seat(world, cup, kind):
    tournament_id, _, his, other, _ = cup
    assert refused(lambda: rule(world, tournament_id, kind, match_id=his))
    rule(world, tournament_id, kind, match_id=other)


def test_what_is_refused_changes_nothing(world, cup):
    tournament_id, own, his, _, _ = cup
    before = world.tournament(tournament_id).version
    assert refused(lambda: rule(world, tournament_id, "disqualify", entry_id=own))
    assert refused(lambda: rule(world, tournament_id, "replay", match_id=his))
    assert world.entry(own).status == "entered"
    assert world.tournament(tournament_id).version == before


def test_an_arbiter_undoes_no_ruling_about_his_own_entry(world, cup):
    tournament_id, own, *_ = cup
    made = rule(world, tournament_id, "penalize", "alma", entry_id=own, round=1, points=-5)
    assert refused(lambda: rule(world, tournament_id, "undo", ruling_id=made.id))
    rule(world, tournament_id, "undo", "alma", ruling_id=made.id)


def test_an_arbiter_who_takes_part_seats_no_round(world, cup):
    tournament_id, _, _, _, _ = cup
    ids = [entry.id for entry in world.entries(tournament_id, status="entered")]
    tables = [ids[:5], ids[5:10]]
    assert refused(lambda: rule(world, tournament_id, "seat", tables=tables))
    rule(world, tournament_id, "seat", "alma", tables=tables)


def test_an_entry_stays_his_own_when_a_substitute_of_another_plays_on(world, cup):
    tournament_id, own, *_ = cup
    world.do(attendance.substitute, "olga", own, world.agent("bert", "fresh"))
    assert refused(lambda: rule(world, tournament_id, "warn", entry_id=own))


def test_an_arbiter_decides_no_appeal_about_his_own_match(world, cup):
    tournament_id, own, his, other, neighbour = cup

    def appeal(who, entry_id, match_id):
        fields = {"entry_id": entry_id, "match_id": match_id, "statement": "The trick was mine."}
        return world.do(appeals.make, who, tournament_id, **fields).id

    def decide(appeal_id, who):
        fields = {"outcome": "rejected", "reason": "So it was."}
        return world.do(appeals.decide, who, appeal_id, **fields)

    theirs = appeal("anna", neighbour, his)
    assert refused(lambda: decide(theirs, "arno"))
    assert decide(theirs, "alma").status == "rejected"
    elsewhere = next(x for x in seated(world, tournament_id, other) if x != own)
    assert decide(appeal("anna", elsewhere, other), "arno").status == "rejected"


def test_an_arbiter_decides_no_appeal_against_a_ruling_about_his_own(world, cup):
    tournament_id, own, _, _, neighbour = cup
    ids = [entry.id for entry in world.entries(tournament_id, status="entered")]
    points = {"entry_id": own, "round": 1, "points": -5}
    about_him = rule(world, tournament_id, "penalize", "alma", **points)
    about_all = rule(world, tournament_id, "seat", "alma", tables=[ids[:5], ids[5:10]])
    about_her = rule(world, tournament_id, "warn", "alma", entry_id=neighbour)

    def decide(ruling, who):
        said = {"entry_id": neighbour, "ruling_id": ruling.id, "statement": "It is too little."}
        if ruling.id not in made:
            made[ruling.id] = world.do(appeals.make, "anna", tournament_id, **said).id
        fields = {"outcome": "rejected", "reason": "It is enough."}
        return world.do(appeals.decide, who, made[ruling.id], **fields)

    made: dict[str, str] = {}
    assert refused(lambda: decide(about_him, "arno"))
    assert refused(lambda: decide(about_all, "arno"))
    assert decide(about_her, "arno").status == "rejected"
    assert decide(about_him, "olga").status == "rejected"


def test_the_organizer_has_the_last_word_about_his_own_too(world):
    tournament_id = world.opened()
    own = world.enter(tournament_id, world.agent("olga", "mine"), "olga")
    world.act("start", tournament_id)
    world.open_next(tournament_id)
    assert rule(world, tournament_id, "warn", "olga", entry_id=own).number == 1
