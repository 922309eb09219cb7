"""Records with one thing changed: what a careless or dishonest writer of records might hand in."""

import copy
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from ..reference.options import NUMBERS, VALUES

Record = dict[str, Any]
Mutation = Callable[[Record, Random], object]

WORDS = ["accept", "yield", "open", "silent", "rebel", "grab", "kick", "hidden", "pass"]
WORDS += [
    "call 9C",
    "open 9C",
    "call x",
    "",
    "77",
    "X",
    "xX",
    "222",
    "3",
    "*",
    "77x",
    "7 7",
    "PASS",
]
ODD = [None, True, False, -1, 0, 1, 2, 3, 4, 5, 1.0, "1", "", "E", [], {}, 10**20, "hidden", "open"]
FIELDS = ["number", "attempt", "first", "offered", "aside", "emperor", "guard", "solo", "called"]
FIELDS += ["factor", "places", "scores", "result", "hands", "tribute", "answers"]


def some_deal(record: Record, random: Random) -> dict[str, Any]:
    deal: dict[str, Any] = random.choice(record["deals"])
    return deal


def some_answer(record: Record, random: Random) -> tuple[list[Any], int]:
    answers = random.choice([deal["answers"] for deal in record["deals"] if deal["answers"]])
    return answers, random.randrange(len(answers))


def answer_text(record: Record, random: Random) -> None:
    """Another answer; half the time one that somebody gave elsewhere."""
    answers, i = some_answer(record, random)
    given = [answer[1] for answer in answers]
    answers[i][1] = random.choice(given if random.random() < 0.5 else WORDS)


def answer_seat(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    answers[i][0] = random.choice([0, 1, 2, 3, 4, 5, -1, True, "0", None])


def answer_auto(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    answers[i] = answers[i][:2] if len(answers[i]) == 3 else [*answers[i], "auto"]


def answer_shape(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    answers[i] = random.choice([[], answers[i][:1], [*answers[i], "x"], None, "pass", {}, 7])


def answer_lost(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    del answers[i]


def answer_twice(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    answers.insert(i, list(answers[i]))


def answers_swapped(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    j = random.randrange(len(answers))
    answers[i], answers[j] = answers[j], answers[i]


def answers_cut(record: Record, random: Random) -> None:
    answers, i = some_answer(record, random)
    del answers[i:]


def card(record: Record, random: Random) -> None:
    """One card becomes another."""
    hands = some_deal(record, random)["hands"]
    seat = random.randrange(5)
    cards = hands[seat].split()
    cards[random.randrange(len(cards))] = random.choice(["9C", "2S", "x", "X", "G", "E", "*", "1C"])
    hands[seat] = " ".join(cards)


def cards_swapped(record: Record, random: Random) -> None:
    hands = some_deal(record, random)["hands"]
    a, b = random.sample(range(5), 2)
    one, other = hands[a].split(), hands[b].split()
    one[0], other[-1] = other[-1], one[0]
    hands[a], hands[b] = " ".join(one), " ".join(other)


def hands_swapped(record: Record, random: Random) -> None:
    hands = some_deal(record, random)["hands"]
    a, b = random.sample(range(5), 2)
    hands[a], hands[b] = hands[b], hands[a]


def score(record: Record, random: Random) -> None:
    """One more here, one less there: the sum stays 0."""
    scores = some_deal(record, random)["scores"]
    a, b = random.sample(range(5), 2)
    scores[a] += 1
    scores[b] -= 1


def score_and_total(record: Record, random: Random) -> None:
    scores = some_deal(record, random)["scores"]
    a, b = random.sample(range(5), 2)
    for numbers in (scores, record["totals"]):
        numbers[a] += 1
        numbers[b] -= 1


def total(record: Record, random: Random) -> None:
    record["totals"][random.randrange(5)] += random.choice([1, -1])


def places_swapped(record: Record, random: Random) -> None:
    places = some_deal(record, random)["places"] or [1, 2, 3, 4, 5]
    a, b = random.sample(range(5), 2)
    places[a], places[b] = places[b], places[a]
    some_deal(record, random)["places"] = places


def field(record: Record, random: Random) -> None:
    some_deal(record, random)[random.choice(FIELDS)] = random.choice(ODD)


def list_item(record: Record, random: Random) -> None:
    """An odd value, or one that Python takes for the same, in one of the lists of numbers."""
    deal = some_deal(record, random)
    numbers = random.choice(
        [deal["scores"], deal["places"] or [0], record["totals"], record["penalties"]]
    )
    i = random.randrange(len(numbers))
    same = [float(numbers[i]), bool(numbers[i]), str(numbers[i])]
    numbers[i] = random.choice([*ODD, *same])


def missing(record: Record, random: Random) -> None:
    where = random.choice([record, some_deal(record, random), record["draw"], record["rules"]])
    del where[random.choice(sorted(where))]


def result(record: Record, random: Random) -> None:
    some_deal(record, random)["result"] = random.choice(
        ["scored", "redeal", "uncounted", "abdicated"]
    )


def role(record: Record, random: Random) -> None:
    deal = some_deal(record, random)
    name = random.choice(["emperor", "guard", "first", "offered", "factor"])
    deal[name] = random.choice([n for n in range(5) if n != deal[name]])


def gift(record: Record, random: Random) -> None:
    deals = [deal for deal in record["deals"] if deal["tribute"]]
    if not deals:
        some_deal(record, random)["tribute"] = [[0, 1, "2C"]]
        return
    gifts = random.choice(deals)["tribute"]
    i, j = random.randrange(len(gifts)), random.randrange(3)
    if random.random() < 0.3:
        del gifts[i]
    else:
        gifts[i][j] = random.choice(["2C", "X", "E", "AS"] if j == 2 else [0, 1, 2, 3, 4])


def option(record: Record, random: Random) -> None:
    """Another rule than was played by; an unused one may change unseen."""
    options = record["rules"]["options"]
    name = random.choice([*VALUES, *NUMBERS])
    values = [0, 1, 2, 3, 39] if name in NUMBERS else [*VALUES[name], None, 6, 3]
    options[name] = random.choice([v for v in values if repr(v) != repr(options[name])])


def key(record: Record, random: Random) -> None:
    name = random.choice(sorted(name for name, text in record["draw"].items() if text))
    text = record["draw"][name]
    i = random.randrange(len(text))
    record["draw"][name] = text[:i] + random.choice("0123456789abcdefxyz ") + text[i + 1 :]


def penalty(record: Record, random: Random) -> None:
    record["penalties"][random.randrange(5)] = random.choice([-40, 40, 0, -1, -80, None, "0"])


def erased(record: Record, deal: dict[str, Any]) -> None:
    """A deal is said not to count, since all five had left; but they answer in later deals."""
    record["penalties"] = [-record["rules"]["options"]["desertion_penalty"]] * 5
    record["totals"] = [t - s for t, s in zip(record["totals"], deal["scores"], strict=True)]
    deal["scores"], deal["result"] = [0] * 5, "uncounted"


def deal_lost(record: Record, random: Random) -> None:
    del record["deals"][random.randrange(len(record["deals"]))]


def deal_twice(record: Record, random: Random) -> None:
    i = random.randrange(len(record["deals"]))
    record["deals"].insert(i, copy.deepcopy(record["deals"][i]))


def deals_swapped(record: Record, random: Random) -> None:
    random.shuffle(record["deals"])


def seats(record: Record, random: Random) -> None:
    record["seats"] = random.choice([["A"] * 4, ["A"] * 6, "ABCDE", [1, 2, 3, 4, 5], None])


def wrong_format(record: Record, random: Random) -> None:
    record["format"] = random.choice(["baohuang-record/2", None, 1])


MUTATIONS: list[Mutation] = [
    *(answer_text, answer_seat, answer_auto, answer_shape, answer_lost, answer_twice),
    *(answers_swapped, answers_cut, card, cards_swapped, hands_swapped, score, score_and_total),
    *(total, places_swapped, field, list_item, missing, result, role, gift, option, key, penalty),
    *(deal_lost, deal_twice, deals_swapped, seats, wrong_format),
]


def mutants(record: Record, random: Random, each: int = 1) -> Iterator[tuple[str, Record]]:
    """`each` mutants of every kind, with its name."""
    for mutation in MUTATIONS:
        for _ in range(each):
            mutant = copy.deepcopy(record)
            mutation(mutant, random)
            yield str(mutation.__name__), mutant
