"""What every house bot of the registry must do; a new one is tested by being registered."""

import copy
import json
import random

import pytest

from baohuang.engine import BOTS, PRESETS, Draw, Match, rule_set, verify
from baohuang.engine.play import play_match

from .walk import key_of

MATCHES = 50
SEATS = list("abcde")
TRUSTED = ("random", "greedy", "autoplay")


def lots(match):
    return Draw(key_of("bots"), f"bot/{match.turn}")


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_is_registered_under_its_name(name):
    assert BOTS[name].name == name


def test_the_first_house_bots_are_there():
    assert {"random", "autoplay", "greedy"} <= set(BOTS)


@pytest.mark.parametrize("name", BOTS)
def test_50_matches_without_an_illegal_answer(name):
    """In each seat of each preset, beside the others; every fifth answer is looked at closely."""
    bot, asked = BOTS[name], 0
    for number in range(MATCHES):
        preset = list(PRESETS)[number % 6]
        match = Match(PRESETS[preset], key_of("bots", number), 1)
        seats = {number % 5} if number % 2 else set(range(5))
        while not match.over:
            player = bot if match.seat in seats else BOTS[TRUSTED[match.seat % 3]]
            answer = player.choose(match.look(), lots(match))
            assert answer in match.legal, (name, match.phase)
            if player is bot:
                asked += 1
                if asked % 5 == 0:
                    check_closely(bot, match, answer)
            match.answer(answer)
        verify(json.loads(json.dumps(match.record(SEATS))))
    assert asked > MATCHES


def check_closely(bot, match, answer):
    """The same from JSON, the same again, whatever else is random; and the view stays as it was."""
    wire = json.loads(json.dumps(match.view()))
    before = copy.deepcopy(wire)
    random.seed(match.turn)
    assert bot.choose(wire, lots(match)) == answer
    assert wire == before
    random.seed(match.turn + 1)
    assert bot.choose(match.look(), lots(match)) == answer


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_the_same_match_again(name):
    bots = [BOTS[name]] * 5
    for preset in ("lianzhong-classic", "biesan"):
        first, again = (play_match(PRESETS[preset], key_of("again"), 1, bots) for _ in range(2))
        assert first.log == again.log


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_of_one_kind_comes_to_an_end(name, preset):
    """Also when nobody wants the throne, and at a table where everybody does."""
    match = play_match(PRESETS[preset], key_of("kind", preset), 2, [BOTS[name]] * 5)
    assert match.over
    assert sum(match.totals) == 0


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_bot_knows_every_option(name, preset):
    """Options away from the presets: bundles, three twos, held back ranks, both heirs."""
    ruleset = PRESETS[preset]
    options = {"heir": "teammate", "hold_back": not ruleset.hold_back, "end": "one_left"}
    options |= {"three_twos": True} if ruleset.called_trump else {"roast": True}
    match = play_match(rule_set(preset, options), key_of("options"), 1, [BOTS[name]] * 5)
    assert match.over


def test_autoplay_answers_the_fallback():
    match = Match(PRESETS["jingji"], key_of("fallback"), 1)
    while not match.over:
        answer = BOTS["autoplay"].choose(match.look(), lots(match))
        assert answer == match.fallback
        match.answer(answer)


def test_random_gives_every_answer_a_chance():
    match = Match(PRESETS["lianzhong-simple"], key_of("chance"), 1)
    match.answer("accept")
    while match.phase != "play":
        match.answer("silent")
    view = match.look()
    drawn = {BOTS["random"].choose(view, Draw(key_of(n), "bot/1")) for n in range(3000)}
    assert len(drawn) > 0.9 * len(match.legal)
