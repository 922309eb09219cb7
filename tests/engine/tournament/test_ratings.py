"""Ratings on made-up agents whose strength is known."""

from random import Random
from statistics import correlation

import pytest

from baohuang.engine.tournament.deals import DealRow
from baohuang.engine.tournament.least_squares import Normal
from baohuang.engine.tournament.ratings import rate

from .simulate import season


def rank_correlation(a, b):
    names = sorted(a)
    ranks = [{x: i for i, x in enumerate(sorted(names, key=key.get))} for key in (a, b)]
    return correlation(*([rank[x] for x in names] for rank in ranks))


def values(made):
    return {r.agent: r.total.value for r in made.ratings}


def mean_points(rows):
    made = {}
    for row in rows:
        made.setdefault(row.entry, []).append(row.score)
    return {x: sum(scores) / len(scores) for x, scores in made.items()}


@pytest.fixture(scope="module")
def played():
    return season(1, agents=60, deals=80)


def test_places_less_role_order_agents_best_and_points_less_role_better_than_points(played):
    strength, rows = played
    by_place = rank_correlation(strength, values(rate(rows)))
    by_score = rank_correlation(strength, values(rate(rows, measure="score")))
    by_points = rank_correlation(strength, mean_points(rows))
    assert by_place > 0.85
    assert by_place > by_score > by_points


def linear(seed, agents=100, deals=1600, roles=("emperor", "guard", "rebel", "rebel", "rebel")):
    """Scores that follow the model itself: own strength less the others' mean, and noise."""
    random = Random(seed)
    strength = {f"a{i:03}": random.gauss(0, 30) for i in range(agents)}
    rows = []
    for number in range(deals):
        five = random.sample(sorted(strength), 5)
        dealt = random.sample(roles, 5)
        noise = [random.gauss(0, 100) for _ in five]
        for seat, x in enumerate(five):
            others = sum(strength[y] for y in five if y != x) / 4
            score = strength[x] - others + noise[seat] - sum(noise) / 5
            score += 80 * (dealt[seat] == "emperor") - 20
            rows.append(
                DealRow(x, f"m{number}", f"b{number}", 1, 1, seat, round(score), None, dealt[seat])
            )
    return strength, rows


def test_intervals_cover_as_they_say():
    """About 95 of 100 true strengths lie in their intervals (here 300, so 92.5 to 97.5 mostly)."""
    inside = total = 0
    for seed in range(3):
        strength, rows = linear(seed)
        made = rate(rows, measure="score")
        mean = sum(strength.values()) / len(strength)
        for r in made.ratings:
            low, high = r.total.interval
            inside += low <= strength[r.agent] - mean <= high
            total += 1
        assert made.noise == pytest.approx(100, rel=0.05)
        assert made.spread == pytest.approx(30, rel=0.2)
    assert 0.92 < inside / total < 0.98


def test_few_deals_say_little():
    _, rows = linear(5, agents=30, deals=300)
    newcomer = [r for r in rows if r.entry == "a000"][:2]
    rows = [r for r in rows if r.entry != "a000" or r in newcomer]
    made = {r.agent: r.total for r in rate(rows, measure="score").ratings}
    assert made["a000"].deals == 2
    assert made["a000"].sd > 1.5 * made["a001"].sd


def test_reliability_grows_from_nothing_to_all():
    made = rate(season(2, 20, 40)[1])
    assert made.reliability(0) == 0
    assert 0 < made.reliability(10) < made.reliability(100) < made.reliability(10**6) < 1.0001


def test_anchors_are_at_zero():
    _, rows = linear(3, agents=20, deals=400)
    made = {r.agent: r.total for r in rate(rows, measure="score", anchors=["a004"]).ratings}
    free = {r.agent: r.total for r in rate(rows, measure="score").ratings}
    assert made["a004"].value == pytest.approx(0)
    assert made["a004"].sd == pytest.approx(0, abs=1e-6)
    for x in ("a001", "a007"):
        assert made[x].value == pytest.approx(free[x].value - free["a004"].value)
        assert made[x].sd > free[x].sd


def test_two_winners_against_three_gain_no_more_than_their_role_gives():
    """Everybody of equal strength: whoever was emperor more often is rated no higher."""
    random = Random(4)
    rows = []
    for number in range(1500):
        five = random.sample([f"a{i}" for i in range(10)], 5)
        five.sort(key=lambda x: x != "a0")  # a0 is emperor whenever it plays
        for seat, (x, role) in enumerate(
            zip(five, ["emperor", "guard", "rebel", "rebel", "rebel"], strict=True)
        ):
            score = {"emperor": 4, "guard": 2, "rebel": -2}[role]
            rows.append(DealRow(x, f"m{number}", "b", number, 1, seat, score, None, role))
    assert all(abs(r.total.value) < 0.01 for r in rate(rows, measure="score").ratings)


def test_roles_are_rated_apart_where_agents_differ_in_them():
    """a000 is strong as emperor alone: that role is rated above its total, the others below."""
    _, rows = linear(6, agents=20, deals=2000)
    better = [
        DealRow(r.entry, r.match, r.board, 1, 1, r.packet,
                r.score + (120 if (r.entry, r.role) == ("a000", "emperor") else 0), None, r.role)
        for r in rows
    ]  # fmt: skip
    rating = next(r for r in rate(better, measure="score").ratings if r.agent == "a000")
    assert rating.roles["emperor"].value > rating.total.value + 40
    assert rating.roles["emperor"].deals < rating.total.deals
    level = next(r for r in rate(rows, measure="score").ratings if r.agent == "a000")
    assert abs(level.roles["emperor"].value - level.total.value) < 25


def test_luck_of_shared_cards_is_taken_out():
    """Ten tables play the same boards; hands are worth much more than strength."""
    random = Random(7)
    strength = {f"a{i:03}": random.gauss(0, 30) for i in range(50)}
    rows = []
    for board in range(40):
        worth = [random.gauss(0, 150) for _ in range(5)]
        names = random.sample(sorted(strength), 50)
        for t in range(10):
            five = names[5 * t : 5 * t + 5]
            for seat, x in enumerate(five):
                score = round(strength[x] + worth[seat] + random.gauss(0, 60))
                rows.append(
                    DealRow(x, f"m{board}/{t}", f"b{board}", 1, 1, seat, score, None, "rebel")
                )
    apart = [
        DealRow(r.entry, r.match, r.match, 1, 1, r.packet, r.score, None, r.role) for r in rows
    ]
    together, alone = rate(rows, measure="score"), rate(apart, measure="score")
    assert rank_correlation(strength, values(together)) > rank_correlation(strength, values(alone))
    assert together.noise < alone.noise * 0.7


def test_the_order_of_rows_does_not_matter(played):
    rows = played[1]
    assert rate(rows) == rate(rows[::-1])


def test_nothing_to_rate():
    assert rate([]).ratings == ()
    with pytest.raises(ValueError, match="place and score"):
        rate([], measure="beauty")


def test_least_squares_by_hand():
    """Five who met once: matrix 25/16 (I - J/5); ridge r divides differences by 25/16 + r."""
    normal = Normal(5)
    normal.tie(range(5))
    normal.right = [2.0, -1.0, -1.0, 0.0, 0.0]
    assert normal.solve(0.4375) == pytest.approx([1.0, -0.5, -0.5, 0.0, 0.0])
    inverse = normal.inverse(0.4375)
    # On differences 1/2, along (1,1,1,1,1) 1/0.4375: diagonal 4/5 · 1/2 + 1/5 · 16/7.
    assert inverse[0][0] == pytest.approx(0.4 + 16 / 35)
    assert inverse[0][1] == pytest.approx(-0.1 + 16 / 35)


def test_the_second_order_diagonal_is_close_in_a_mixed_field():
    random = Random(8)
    normal = Normal(40)
    for _ in range(300):
        normal.tie(random.sample(range(40), 5))
    exact = normal.inverse(20.0)
    for i, value in enumerate(normal.inverse_diagonal(20.0)):
        assert value == pytest.approx(exact[i][i], rel=0.05)
