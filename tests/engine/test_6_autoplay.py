"""rules.md 6: what the server answers for an absent seat, and what absence costs."""

import pytest

from baohuang.engine import PRESETS, Match, rule_set

from .board import plain, position, rules, say
from .walk import key_of, random_match

CALLED = ("9C 9C 9C TC TC TC E", "4C", "9C", "5C", "TC")


def autoplayed(match, seat, times):
    """Let the match run, everybody passing or leading low, until `seat` was autoplayed so often."""
    while times:
        if match.seat == seat:
            match.autoplay()
            times -= 1
        else:
            match.answer(quiet(match))


def quiet(match):
    """The throne is taken at once; otherwise nothing is said, and the lowest is led."""
    return "accept" if "accept" in match.legal else match.fallback


# -- the default answers --------------------------------------------------------------------------


def test_6_throne_accepts_only_if_forced():
    assert position(rules(), "7C E", "8C G", "9C", "TC", "JC").fallback == "yield"
    forced = position(rules("lianzhong-classic"), "9C 9C 9C E", "8C", "9C", "TC", "JC")
    say(forced, "0 yield", "4 yield", "3 yield", "2 yield", "1 yield")
    assert forced.history[-1] == (0, "accept")


def test_6_grab_and_open_solo_are_not_claimed():
    state = say(position(rules("lianzhong-classic"), *CALLED), "0 accept")
    assert state.fallback == "silent"
    say(state, "0 silent")
    assert state.fallback == "silent"


def test_6_call_the_lowest_callable_card():
    assert say(position(rules("biesan"), *CALLED), "0 accept").fallback == "call 9C"
    two_suits = ("TC TC TC 9S 9S 9S 9D 9D 9D E", "4C", "9D", "5C", "9S")
    assert say(position(rules("biesan"), *two_suits), "0 accept").fallback == "call 9D"


def test_6_call_says_nothing_of_a_solo():
    four = ("9C 9C 9C 9C TC TC TC", "4C", "7C", "5C", "TC")
    assert say(position(rules("wuren"), *four, offered=0), "0 accept").fallback == "call 9C"
    both = say(position(rules("jingji"), "7C G E", "8C", "9C", "TC", "JC"), "0 accept")
    assert both.fallback == "hidden"
    declared = position(rules("lianzhong-classic", grab=False), *CALLED)
    assert say(declared, "0 accept").fallback == "call 9C"


def test_6_declarations_and_kick_say_nothing():
    state = position(rules("biesan"), "9C 9C 9C E", "4C 5C", "9C 4D", "5D 6D", "6C 6H")
    say(state, "0 accept")
    while state.phase == "declare":
        assert state.fallback == "silent"
        say(state, f"{state.seat} {'rebel' if 'rebel' in state.legal else 'silent'}")
    assert (state.phase, state.fallback) == ("kick", "silent")


def test_6_as_leader_its_lowest_single_card():
    assert plain("7C 7D 9C E", "8C G", "9C", "TC", "JC").fallback == "7"
    assert plain("TC 9C x E", "8C G", "9C", "TC", "JC").fallback == "9"


def test_6_as_leader_of_jokers_alone_the_small_one():
    """`legal` lists X before x (fewer small jokers), but the lowest single card is x."""
    state = plain("x x E", "8C G", "9C", "TC", "JC")
    assert state.legal[:2] == ("X", "x")
    assert state.fallback == "x"


def test_6_as_leader_the_lowest_single_that_may_be_led():
    assert plain("6C 6D 9C TC E", "8C G", "9C", "TC", "JC", hold_back=True).fallback == "9"
    assert plain("6C 6D x E", "8C G", "9C", "TC", "JC", hold_back=True).fallback == "x"


def test_6_otherwise_pass():
    state = say(plain("7C 9C E", "8C G", "9C", "TC", "JC"), "0 7")
    assert state.fallback == "pass"


@pytest.mark.parametrize("preset", PRESETS)
def test_6_a_match_on_autoplay_alone_comes_to_an_end(preset):
    match = Match(PRESETS[preset], key_of("alone", preset), 2)
    while not match.over:
        assert match.fallback in match.legal
        match.autoplay()
    assert match.totals == [0] * 5


# -- for that decision, and for the rest of the deal ----------------------------------------------


def counted(match, seat):
    """The seat's answers in the open or last deal: (by itself, by the server)."""
    deal = match.record(list("abcde"))["deals"][-1]
    mine = [answer for answer in deal["answers"] if answer[0] == seat]
    return [answer for answer in mine if len(answer) == 2], [a for a in mine if len(a) == 3]


def test_6_three_times_the_seat_still_decides():
    match = Match(rules(), key_of("three"), 1)
    autoplayed(match, 2, 3)
    asked = False
    while not match.over:
        asked = asked or match.seat == 2
        match.answer(quiet(match))
    assert asked
    own, autos = counted(match, 2)
    assert len(autos) == 3
    assert own


def test_6_more_than_three_times_it_stays_on_autoplay_to_the_end_of_the_deal():
    match = Match(rules(), key_of("three"), 2)
    autoplayed(match, 2, 4)
    while match.deal == 1:
        assert match.seat != 2
        match.answer(quiet(match))
    answers = [a for a in match.deals_done[0]["answers"] if a[0] == 2]
    first = [len(a) for a in answers].index(3)
    assert all(a[2:] == ("auto",) for a in answers[first:])
    assert len(answers[first:]) > 4
    # In the next deal it is asked again.
    while match.seat != 2:
        match.answer(quiet(match))
    assert match.deal == 2


@pytest.mark.parametrize("limit", [0, 1, 5])
def test_6_the_limit_is_an_option(limit):
    match = Match(rules(autoplay_limit=limit), key_of("three"), 1)
    autoplayed(match, 2, limit)
    while match.seat != 2:
        match.answer(quiet(match))
    assert not match.over
    match.autoplay()
    while not match.over:
        assert match.seat != 2
        match.answer(quiet(match))


# -- uncounted and dissolved ----------------------------------------------------------------------


def all_on_autoplay(deals, **options):
    match = Match(rules("lianzhong-simple", **options), key_of("nobody"), deals)
    match.answer("accept")
    while match.deal == 1 and not match.over:
        match.autoplay()
    return match


def test_6_a_deal_in_which_all_five_end_on_autoplay_does_not_count():
    match = all_on_autoplay(2)
    (deal,) = match.deals_done
    assert deal["result"] == "uncounted"
    assert deal["scores"] == (0,) * 5
    assert match.totals == [0] * 5
    assert match.deal == 2  # and the match goes on


def test_6_four_on_autoplay_count():
    match = Match(rules(), key_of("nobody"), 1)
    match.answer("accept")
    while not match.over:
        match.answer(match.fallback) if match.seat == 0 else match.autoplay()
    assert match.deals_done[0]["result"] == "scored"


def test_6_an_uncounted_deal_keeps_its_emperor_for_the_next_deals_start():
    """rules.md 8, details."""
    match = all_on_autoplay(2)
    emperor = match.deals_done[0]["emperor"]
    assert emperor is not None
    while not match.over:
        match.answer(quiet(match))
    assert match.deals_done[1]["first"] == emperor


def test_6_an_uncounted_deal_owes_no_tribute():
    match = all_on_autoplay(2, tribute=True)
    while not match.over:
        match.answer(quiet(match))
    assert [deal["tribute"] for deal in match.deals_done] == [(), ()]


def test_6_a_table_with_a_seat_on_autoplay_is_dissolved_at_the_end_of_the_deal():
    match = Match(rules(autoplay_dissolves=True), key_of("three"), 5)
    autoplayed(match, 2, 4)
    while not match.over:
        assert match.deal == 1
        match.answer(quiet(match))
    assert len([d for d in match.deals_done if d["result"] == "scored"]) == 1


def test_6_not_dissolved_by_default():
    assert not any(ruleset.autoplay_dissolves for ruleset in PRESETS.values())
    match = Match(rules(), key_of("three"), 2)
    autoplayed(match, 2, 4)
    while match.deal == 1:
        match.answer(quiet(match))
    assert not match.over


def test_6_three_times_on_autoplay_do_not_dissolve():
    match = Match(rules(autoplay_dissolves=True), key_of("three"), 2)
    autoplayed(match, 2, 3)
    while match.deal == 1:
        match.answer(quiet(match))
    assert not match.over


# -- desertion ------------------------------------------------------------------------------------


def test_6_leaving_costs_40_points_once_to_that_entrant_alone():
    match = Match(rules(), key_of("gone"), 3)
    match.desert(3)
    match.desert(3)
    assert match.penalties == [0, 0, 0, -40, 0]
    while not match.over:
        match.answer(quiet(match))
        match.desert(3)
    assert match.penalties == [0, 0, 0, -40, 0]
    assert sum(match.totals) == 0  # outside the scores


def test_6_the_seat_is_played_by_the_server_from_then_on():
    match = Match(rules(), key_of("gone"), 3)
    for _ in range(20):
        match.answer(quiet(match))
    match.desert(match.seat)
    gone = next(seat for seat in range(5) if match.penalties[seat])
    while not match.over:
        assert match.seat != gone
        match.answer(quiet(match))
    later = [a for deal in match.deals_done[1:] for a in deal["answers"] if a[0] == gone]
    assert later
    assert all(a[2:] == ("auto",) for a in later)


@pytest.mark.parametrize("penalty", [0, 7, 100])
def test_6_the_penalty_is_an_option(penalty):
    match = Match(rules(desertion_penalty=penalty), key_of("gone"), 1)
    match.desert(0)
    assert match.penalties == [-penalty, 0, 0, 0, 0]


def test_6_leaving_after_the_end_costs_nothing():
    match = random_match(rules(), key_of("gone"), 1)
    match.desert(0)
    assert match.penalties == [0] * 5


def test_6_all_five_gone_the_match_ends_by_itself_uncounted():
    match = Match(rule_set("jingji"), key_of("gone"), 2)
    for seat in range(5):
        match.desert(seat)
    assert match.over
    assert {deal["result"] for deal in match.deals_done} == {"uncounted"}
    assert match.penalties == [-40] * 5
