"""The PettingZoo environment: PettingZoo's own tests, and that it is the match itself."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from baohuang.engine import PRESETS, IllegalAnswer, RuleSetError, View
from baohuang.learn import answers, baohuang_v1, encode

from ..engine.board import rules

# PettingZoo keeps a list of its own environments that may have masks beside their observations.
own_list = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably"
)


@own_list
@pytest.mark.parametrize("preset", PRESETS)
def test_pettingzoo_s_own_test(preset, capsys):
    api_test(baohuang_v1.env(rules=preset, deals=2), num_cycles=150)
    assert capsys.readouterr().out.endswith("Passed API test\n")


@pytest.mark.parametrize("preset", PRESETS)
def test_pettingzoo_s_test_of_seeds(preset):
    seed_test(lambda: baohuang_v1.env(rules=preset, deals=1), num_cycles=100)


def play(game, seed):
    """A whole match with random answers; (agent, answer) one by one."""
    game.reset(seed=seed)
    lots = np.random.default_rng(seed)
    while not game.match.over:
        agent = game.agent_selection
        legal = game.observe(agent)["action_mask"].nonzero()[0]
        number = int(lots.choice(legal))
        yield agent, game.answers.text(number)
        game.step(number)


@pytest.mark.parametrize("preset", PRESETS)
def test_it_is_the_match(preset):
    """Who is asked, what he sees and may say, and points when a deal ends."""
    game = baohuang_v1.raw_env(rules=preset, deals=2)
    points = dict.fromkeys(game.possible_agents, 0.0)
    for agent, answer in play(game, seed=3):
        match = game.match
        assert agent == f"seat_{match.seat}"
        assert answer in match.legal
        for seat, other in enumerate(game.possible_agents):
            seen = game.observe(other)
            assert game.observation_space(other).contains(seen)
            assert (seen["observation"] == encode(match.rules, View(match.state, seat))).all()
            assert seen["action_mask"].any() == (other == agent)
        for other in points:
            points[other] += game.rewards[other]
    for other in points:
        points[other] += game.rewards[other]
    assert list(points.values()) == game.match.totals
    assert sum(points.values()) == 0
    assert game.match.deal == 2
    assert all(game.terminations.values())


def test_a_seed_fixes_the_match_and_the_next_reset_deals_another():
    one, two = baohuang_v1.raw_env("baike"), baohuang_v1.raw_env("baike")
    assert list(play(one, 5)) == list(play(two, 5))
    first = one.match.state.cards
    one.reset()
    two.reset()
    assert one.match.state.cards == two.match.state.cards != first
    one.reset(seed=6)
    assert one.match.state.cards != two.match.state.cards


def test_an_illegal_answer_is_refused_and_changes_nothing():
    game = baohuang_v1.raw_env("jingji")
    game.reset(seed=1)
    before = game.observe(game.agent_selection)
    with pytest.raises(IllegalAnswer, match="no legal answer of seat"):
        game.step(answers(game.rules).id("kick" if game.rules.kick else "2" * 16))
    after = game.observe(game.agent_selection)
    assert all((before[key] == after[key]).all() for key in before)


def test_in_the_wrapped_environment_it_ends_the_match():
    game = baohuang_v1.env("jingji")
    game.reset(seed=1)
    agent = game.agent_selection
    game.step(answers(PRESETS["jingji"]).id("2" * 16))
    assert all(game.terminations.values())
    assert game.rewards[agent] == -1
    assert sum(game.rewards.values()) == -1


def test_rules_are_a_name_or_a_rule_set():
    short = rules("lianzhong-simple", low_rank=3)
    assert baohuang_v1.raw_env(short).observation_space("seat_0")["observation"].shape == (34, 16)
    with pytest.raises(RuleSetError, match="unknown"):
        baohuang_v1.raw_env("bridge")


def test_it_can_be_shown_as_text():
    game = baohuang_v1.raw_env("wuren", render_mode="ansi")
    game.reset(seed=1)
    lines = game.render().splitlines()
    assert lines[0] == f"deal 1 of 1, throne, seat {game.match.seat}"
    assert [len(line.split()) - 1 for line in lines[1:]] == game.match.state.hand_sizes()
    assert baohuang_v1.raw_env("wuren").render() is None
