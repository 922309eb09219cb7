"""Made-up deals of agents whose strength is known: luck and roles, then places and scores."""

from collections.abc import Sequence
from random import Random

from baohuang.engine.tournament.deals import DealRow

ROLE_LUCK = {"emperor": 0.9, "guard": 0.3, "rebel": -0.4}


def deal(
    random: Random,
    names: Sequence[str],
    strength: Sequence[float],
    match: str,
    board: str,
    number: int,
    luck: Sequence[float] = (0, 0, 0, 0, 0),
) -> list[DealRow]:
    """One deal. luck: what the hands of seats 0 to 4 are worth."""  # fmt: skip
    roles = ["emperor", "guard", "rebel", "rebel", "rebel"]
    random.shuffle(roles)
    form = [
        s + ROLE_LUCK[role] + x + random.gauss(0, 1)
        for s, role, x in zip(strength, roles, luck, strict=True)
    ]
    order = sorted(range(5), key=lambda seat: -form[seat])
    places = [order.index(seat) + 1 for seat in range(5)]
    side = 6 - places[roles.index("emperor")] - places[roles.index("guard")]
    worth = {"emperor": 2 * side, "guard": side, "rebel": -side}
    return [
        DealRow(names[s], match, board, number, 1, s, worth[roles[s]], places[s], roles[s])
        for s in range(5)
    ]


def season(
    seed: int, agents: int, deals: int, spread: float = 0.4
) -> tuple[dict[str, float], list[DealRow]]:
    """Strengths, and random fives playing matches of five deals until each has about `deals`."""
    random = Random(seed)
    strength = {f"a{i:03}": random.gauss(0, spread) for i in range(agents)}
    rows: list[DealRow] = []
    for match in range(agents * deals // 25):
        five = random.sample(sorted(strength), 5)
        for number in range(1, 6):
            form = [strength[x] for x in five]
            rows += deal(random, five, form, f"m{match}", f"b{match}", number)
    return strength, rows
