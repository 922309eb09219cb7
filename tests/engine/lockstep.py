"""The engine and the reference side by side through one match, question by question."""

import json
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from baohuang.engine import (
    PRESETS,
    DealState,
    Match,
    RuleSet,
    RuleSetError,
    View,
    rule_set,
)

from ..reference import Replay, check
from ..reference.cards import deck, in_order, token
from ..reference.deal import Outcome, deal
from ..reference.match import dealer
from ..reference.options import VALUES
from ..reference.table import Question, Table
from .policies import Policy


def options_of(rules: RuleSet) -> dict[str, Any]:
    options: dict[str, Any] = rules.to_json()["options"]
    return options


def random_rules(random: Random) -> RuleSet:
    """A preset with one to twelve options changed, such as `rule_set` accepts."""
    while True:
        names = random.sample(sorted(VALUES), random.choice([1, 2, 3, 5, 8, 12]))
        changed = {name: random.choice(VALUES[name]) for name in names}
        if "low_rank" in changed:
            changed["low_rank"] = int(str(changed["low_rank"]))
        if random.random() < 0.3:
            changed["autoplay_limit"] = random.choice([0, 1, 2])
        try:
            return rule_set(random.choice(list(PRESETS)), changed)
        except RuleSetError:
            continue


# -- what a seat should see -----------------------------------------------------------------------


def expected_view(table: Table, question: Question, scores: list[int]) -> dict[str, Any]:
    """What `View` shows the asked seat, the hand aside, by the reference's state."""
    return {
        "seat": question.seat,
        "phase": question.phase,
        "role": role(table, question),
        "public": {
            "emperor": table.emperor,
            "guard": table.guard if table.shown else None,
            "solo": table.solo if table.shown else None,
            "called": table.called,
            "factor": table.factor,
            "rebels": sorted(table.rebels),
            "hand_sizes": [len(table.held(seat)) for seat in range(5)],
            "places": [1 + table.out.index(s) if s in table.out else 0 for s in range(5)],
            "scores": scores,
        },
        "trick": expected_trick(table) if question.phase == "play" else None,
        "history": [list(said) for said in table.history],
        "legal": question.legal,
        "fallback": question.fallback,
    }


def expected_trick(table: Table) -> dict[str, Any]:
    return {
        "leader": table.leader,
        "to_beat": table.to_beat,
        "by": table.by,
        "passed": sorted(table.passed),
    }


def role(table: Table, question: Question) -> str | None:
    """Known from the call on; before it only the emperor is somebody."""
    if question.phase == "throne":
        return None
    if question.seat == table.emperor:
        return "emperor"
    if question.phase in ("grab", "call"):
        return None
    return "guard" if question.seat == table.guard else "rebel"


def check_view(view: Mapping[str, Any], expected: Mapping[str, Any], table: Table) -> None:
    view = json.loads(json.dumps(dict(view)))
    assert {name: view[name] for name in view if name != "hand"} == expected
    check_hand(view["hand"], table, view["seat"], view["phase"])


def check_hand(shown: str, table: Table, seat: int, phase: str) -> None:
    """Before play card by card; in play only ranks, for no rule says which suit goes first."""
    cards = [table.trump or "" if card == "*" else card for card in table.held(seat)]
    if phase == "play":
        assert Counter(map(token, shown.split())) == Counter(map(token, cards))
    else:
        assert shown == " ".join(in_order(cards))


# -- side by side ---------------------------------------------------------------------------------


class Lockstep:
    """One match on both machines; `play` raises AssertionError at the first disagreement."""

    def __init__(self, rules: RuleSet, key: bytes, deals: int) -> None:
        options = options_of(rules)
        self.rules, self.deals = rules, deals
        self.match = Match(rules, key, deals)
        self.replay = Replay(options, dealer(options, key), deals)

    def play(self, choose: Policy, random: Random, absent: float, leave: float) -> dict[str, Any]:
        """`absent`, `leave`: how often the server answers, how often a seat deserts. The record."""
        while self.in_step():
            if random.random() < leave:
                self.desert(self.match.seat)
            elif random.random() < absent:
                self.replay.answer(self.match.fallback, auto=True)
                self.match.autoplay()
            else:
                answer = choose(self.match)
                self.match.answer(answer)
                self.replay.answer(answer)
        record: dict[str, Any] = json.loads(json.dumps(self.match.record(list("ABCDE"))))
        check(record)
        return record

    def desert(self, seat: int) -> None:
        self.match.desert(seat)
        self.replay.desert(seat)

    def in_step(self) -> bool:
        """Whether the match goes on; what stands open is the same on both sides."""
        replay, match = self.replay, self.match
        while replay.question and replay.on_autoplay(replay.question.seat):
            replay.answer(replay.question.fallback, auto=True)
        assert match.over == (replay.question is None)
        if replay.question is None:
            assert (match.totals, match.penalties) == (replay.totals, replay.penalties)
            return False
        assert (match.deal, match.attempt) == (replay.number, replay.attempt)
        assert list(match.legal) == replay.question.legal
        head = {"deal": replay.number, "deals": self.deals, "turn": replay.turn}
        body = expected_view(replay.table, replay.question, replay.totals)
        expected = head | {"rules": self.rules.to_json()} | body
        check_view(match.view(), expected, replay.table)
        return True


class SmallDeal:
    """One deal with few cards on both machines: the corners of play come up in every second one."""

    def __init__(self, rules: RuleSet, hands: list[list[str]], drawn: int | None) -> None:
        options = options_of(rules)
        self.table = Table(options, 0, [list(hand) for hand in hands])
        holder = self.table.holder("E") if drawn is None else drawn
        self.state = DealState(rules, hands, holder)
        self.story = deal(self.table, drawn)

    def play(self, choose: Policy) -> Outcome:
        """AssertionError at the first disagreement; the reference's outcome."""
        answer: str | None = None
        while True:
            try:
                question = next(self.story) if answer is None else self.story.send(answer)
            except StopIteration as end:
                outcome: Outcome = end.value
                self.check_end(outcome)
                return outcome
            self.check_question(question)
            answer = choose(self.state)
            self.state.apply(answer)

    def check_question(self, question: Question) -> None:
        assert self.state.legal, f"over, but seat {question.seat} is to be asked"
        assert (self.state.seat, list(self.state.legal)) == (question.seat, question.legal)
        expected = expected_view(self.table, question, [0] * 5)
        check_view(View(self.state, question.seat), expected, self.table)

    def check_end(self, wanted: Outcome) -> None:
        state = self.state
        assert state.result == wanted.result
        if wanted.result == "redeal":
            return
        outcome = state.outcome()
        found = Outcome(
            str(state.result),
            state.emperor,
            None if state.guard < 0 else state.guard,
            state.solo,
            state.called,
            state.factor,
            list(outcome.places) if outcome.places else None,
            list(outcome.scores or ()),
        )
        assert found == wanted


def small_deal(rules: RuleSet, random: Random) -> SmallDeal:
    options = options_of(rules)
    drawn = random.randrange(5) if options["aside"] else None
    return SmallDeal(rules, small_hands(options, random), drawn)


def small_hands(options: Mapping[str, Any], random: Random) -> list[list[str]]:
    """All copies of a few cards, and all jokers, dealt with luck: three alike are common."""
    whole = deck(options)
    few = random.sample(sorted({c for c in whole if len(c) == 2}), random.randint(4, 6))
    low = [card for card in whole if card[0] == str(options["low_rank"])]
    twos = [card for card in whole if card[0] == "2"]
    few += random.sample(low, random.randint(0, 1)) + random.sample(twos, random.randint(0, 1))
    hands: list[list[str]] = [[] for _ in range(5)]
    for kinds in sorted(set(few)):
        favourite = random.randrange(5)
        for card in [kinds] * 4:
            hands[favourite if random.random() < 0.7 else random.randrange(5)].append(card)
    for card in whole:
        if len(card) == 1:
            hands[random.randrange(5)].append(card)
    while min(map(len, hands)) < 4:  # a real hand is never empty after its gifts
        min(hands, key=len).append(max(hands, key=len).pop())
    return hands
