"""Laws that hold at every step of every deal, whatever the rules; used by tests and the soak."""

import json
from collections import Counter

from baohuang.engine import PRESETS, DealState, Draw, Match, View, verify
from baohuang.engine.cards import rank_of

from .board import slots
from .legal_order import is_sorted
from .test_4_scores import by_hand
from .walk import key_of

PHASES = ("throne", "grab", "call", "declare", "kick", "play")


def check_question(state: DealState) -> None:
    """While the deal runs somebody has a choice, from a sorted list without repeats."""
    assert state.phase in PHASES
    assert 0 <= state.seat < 5
    assert len(state.legal) > 1
    assert is_sorted(state.phase, list(state.legal)), state.legal
    assert state.fallback in state.legal
    if state.phase == "play":
        assert (state.legal[0] == "pass") == (state.prev is not None)


def whole(state: DealState) -> Counter[str]:
    """All cards of a deal at its start, the emperor card laid aside included."""
    cards = Counter(card for hand in state.cards for card in hand)
    cards["E"] = 1
    return cards


def check_cards(state: DealState, start: Counter[str]) -> None:
    """No card is lost or made: in the hands before play, in hands and on the table during it."""
    assert Counter(card for hand in state.cards for card in hand) == start
    played = Counter(
        token for _, answer in played_answers(state) if answer != "pass" for token in answer
    )
    held = [View(state, seat)["hand"].split() for seat in range(5)]
    assert [len(hand) for hand in held] == state.hand_sizes()
    left = Counter(rank_of(card) for hand in held for card in hand)
    called = state.called
    if played["*"] and called:
        played[rank_of(called)] += played.pop("*")
    assert left + played == Counter(
        {rank: n for rank, n in Counter(map(rank_of, start.elements())).items() if n}
    )


def played_answers(state: DealState) -> list[tuple[int, str]]:
    """The answers of the play phase."""
    words = ("accept", "yield", "open", "hidden", "silent", "grab", "rebel", "kick")
    return [entry for entry in state.history if entry[1] not in words and " " not in entry[1]]


def check_end(state: DealState) -> None:
    """Scores add up to 0 and are what the hand-written tables say for these places."""
    outcome = state.outcome()
    assert state.legal == ()
    if state.result == "redeal":
        assert outcome.places is outcome.scores is None
        return
    assert outcome.scores is not None
    assert sum(outcome.scores) == 0
    if state.result == "abdicated":
        lost = (5,) * 5
        solo = by_hand(state.rules.scores, state.emperor, None, "hidden", lost)
        assert (outcome.places, outcome.scores) == (None, solo)
        return
    assert outcome.places is not None
    assert sorted(outcome.places) == [1, 2, 3, 4, 5]
    guard = None if state.solo else state.guard
    expected = by_hand(state.rules.scores, state.emperor, guard, state.solo, outcome.places)
    doublings = state.factor
    if state.solo == "open":
        assert state.factor == (1 if state.rules.scores == "lianzhong" else 2)
        doublings = 1  # the table of open solos holds it already
    assert outcome.scores == tuple(doublings * score for score in expected)
    assert state.factor in (1, 2, 4)


def unchanged_by(state: DealState, answer: object, error: type[Exception]) -> None:
    """`answer` is refused and leaves every slot as it was."""
    before = slots(state)
    try:
        state.apply(answer)  # type: ignore[arg-type]
    except error:
        assert slots(state) == before
    else:
        raise AssertionError(f"{answer!r} was taken, beside {state.legal}")


def check_deals(preset: str, deals: int, seed: object) -> None:
    """Random matches of ten deals, so that tribute and the dealer move on, until so many are over.

    Every question is checked, a sample of lists for their order, every deal at its end, and one
    match in ten by `verify`.
    """
    done = number = 0
    while done < deals:
        key = key_of(preset, seed, number)
        match, lots = Match(PRESETS[preset], key, 10), Draw(key, "laws")
        absent = (0, 0, 0, 20, 3)[number % 5]
        while not match.over:
            state = match.state
            if lots.below(8) == 0:
                check_question(state)
            assert len(state.legal) > 1
            if absent and lots.below(absent) == 0:
                match.autoplay()
            else:
                match.answer(lots.choice(state.legal))
            if state.result is not None:
                check_end(state)
                check_cards(state, whole(state))
        for entry in match.deals_done:
            assert sum(entry["scores"]) == 0
        if number % 10 == 0:
            verify(json.loads(json.dumps(match.record(list("abcde")))))
        done += len(match.deals_done)
        number += 1
