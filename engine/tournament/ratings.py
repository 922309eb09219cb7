"""Ratings across tournaments: what an agent makes of its cards, roles and luck taken out.

Model, for one rule set: in every deal, measure less what the role (and the hand, where others
held it too) gives = own strength - mean strength of the other four + noise. The measure is the
finishing place (default) or the score. Strengths have a normal prior; its width and the noise are
estimated from the data, so that an agent with few deals is drawn towards the middle exactly as far
as they say little. All strengths are found at once by least squares: no order of games, no speed
to tune, two winners against three gain no more than three against two.

What it assumes: strength does not change within the data; a team-mate counts like an opponent
(places of a deal add up to a constant, so somebody else's gain is one's loss); and the role is
luck. Where a throne can be refused or grabbed the role is partly a choice, and choosing it well
is then partly taken out: judge that by points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from .deals import DealRow, Hand
from .least_squares import PULL, SEATS, Normal

Z95 = 1.959964
"""Half the width of a 95 % interval in standard deviations."""
MEASURES = ("place", "score")
PASSES = 30
SETTLED = 1e-3
"""Roles, strengths, noise and spread are estimated in turn, until their ratio moves no more."""
EXACT = 150
"""The largest field whose uncertainties are computed by inversion, 150³ steps."""


@dataclass(frozen=True)
class Estimate:
    """Strength in units of the measure a deal (better is higher), and its standard deviation."""

    deals: int
    value: float
    sd: float

    @property
    def interval(self) -> tuple[float, float]:
        """Of 95 %."""
        return self.value - Z95 * self.sd, self.value + Z95 * self.sd


@dataclass(frozen=True)
class Rating:
    """Of one agent: in all, and in each role it has been in."""

    agent: str
    total: Estimate
    roles: Mapping[str, Estimate]


@dataclass(frozen=True)
class Ratings:
    """The best first. noise: standard deviation of one deal; spread: of strengths in the field."""

    measure: str
    ratings: tuple[Rating, ...]
    noise: float
    spread: float

    def reliability(self, deals: int) -> float:
        """How much of the differences after so many deals is strength and not luck, 0 to 1."""
        signal = deals * self.spread**2 * PULL
        return signal / (signal + self.noise**2) if signal else 0.0


def rate(
    rows: Iterable[DealRow], *, measure: str = "place", anchors: Iterable[str] = ()
) -> Ratings:
    """Ratings of everybody in `rows`, whose `entry` is the agent over all tournaments.

    anchors: agents (house bots) whose mean strength is 0 by definition; without one 0 is the mean
    of the field. Deals without five rows, or without places where those are measured, say nothing.
    """
    if measure not in MEASURES:
        raise ValueError(f"no measure {measure}: there are {' and '.join(MEASURES)}")
    deals = _deals(rows, measure)
    agents = sorted({row.entry for five in deals for row in five})
    if not agents:
        return Ratings(measure, (), 0.0, 0.0)
    index = {x: i for i, x in enumerate(agents)}
    fit = _Fit(deals, index, measure)
    fit.run()
    return fit.ratings(agents, measure, [index[x] for x in sorted(set(anchors)) if x in index])


def _deals(rows: Iterable[DealRow], measure: str) -> list[list[DealRow]]:
    """Whole deals, in an order that does not depend on that of the rows."""
    deals: dict[tuple[str, int, int], list[DealRow]] = {}
    for row in rows:
        deals.setdefault((row.match, row.deal, row.attempt), []).append(row)
    found = [sorted(five, key=lambda row: row.packet) for _, five in sorted(deals.items())]
    return [
        five
        for five in found
        if len(five) == SEATS and (measure == "score" or all(row.place for row in five))
    ]


class _Fit:
    """The estimate in progress: strengths, what roles give, noise and spread."""

    def __init__(
        self, deals: Sequence[Sequence[DealRow]], index: Mapping[str, int], measure: str
    ) -> None:
        self.deals = deals
        self.fives = [[index[row.entry] for row in five] for five in deals]
        self.made = [[_made(row, measure) for row in five] for five in deals]
        self.normal = Normal(len(index))
        for five in self.fives:
            self.normal.tie(five)
        self.strength = [0.0] * len(index)
        self.noise2, self.spread2 = 1.0, 0.0
        self.left: list[list[float]] = []

    def run(self) -> None:
        """Roles and strengths in turn, noise and spread from what they leave."""
        ridge = 60.0
        for _ in range(PASSES):
            self.left = self._less_role_and_hand()
            self._set_right()
            self.strength = self.normal.solve(ridge)
            inverse = self.normal.inverse_diagonal(ridge)
            used = len(inverse) - ridge * sum(inverse)
            free = max((SEATS - 1) * len(self.deals) - used, 1.0)
            self.noise2 = max(self._squares() / free, 1e-12)
            square = sum(s * s for s in self.strength) + self.noise2 * sum(inverse)
            self.spread2 = max(square / len(inverse), 1e-12)
            before, ridge = ridge, min(self.noise2 / self.spread2, 1e9)
            if abs(ridge - before) < SETTLED * ridge:
                break

    def _less_role_and_hand(self) -> list[list[float]]:
        """Made by each seat, less what its role gives, less what its hand gave others."""
        gained = [self._gained(five) for five in self.fives]
        sums: dict[str, list[float]] = {}
        for five, made, gain in zip(self.deals, self.made, gained, strict=True):
            for row, y, g in zip(five, made, gain, strict=True):
                had = sums.setdefault(row.role, [0.0, 0.0])
                had[0] += y - g
                had[1] += 1
        role = {name: total / count for name, (total, count) in sums.items()}
        left = [
            [y - role[row.role] for row, y in zip(five, made, strict=True)]
            for five, made in zip(self.deals, self.made, strict=True)
        ]
        return _less_hand(self.deals, left)

    def _gained(self, five: Sequence[int]) -> list[float]:
        """What strengths explain in a deal."""
        strengths = [self.strength[i] for i in five]
        mean = sum(strengths) / SEATS
        return [(s - mean) * SEATS / (SEATS - 1) for s in strengths]

    def _set_right(self) -> None:
        right = [0.0] * self.normal.size
        for five, left in zip(self.fives, self.left, strict=True):
            mean = sum(left) / SEATS
            for i, r in zip(five, left, strict=True):
                right[i] += (r - mean) * SEATS / (SEATS - 1)
        self.normal.right = right

    def _squares(self) -> float:
        """Sum of squares that neither role nor strength explains."""
        total = 0.0
        for five, left in zip(self.fives, self.left, strict=True):
            mean = sum(left) / SEATS
            for r, g in zip(left, self._gained(five), strict=True):
                total += (r - mean - g) ** 2
        return total

    def ratings(self, agents: Sequence[str], measure: str, anchors: Sequence[int]) -> Ratings:
        """What was found, best first, measured from the mean of the anchors or of all."""
        level = anchors or range(len(agents))
        zero = sum(self.strength[i] for i in level) / len(level)
        counts = [0] * len(agents)
        for five in self.fives:
            for i in five:
                counts[i] += 1
        totals = [
            Estimate(count, strength - zero, sd)
            for count, strength, sd in zip(counts, self.strength, self._sds(level), strict=True)
        ]
        roles = _roles(self, totals, zero)
        made = [Rating(x, totals[i], roles[i]) for i, x in enumerate(agents)]
        made.sort(key=lambda r: (-r.total.value, r.agent))
        return Ratings(measure, tuple(made), sqrt(self.noise2), sqrt(self.spread2))

    def _sds(self, level: Sequence[int]) -> list[float]:
        """Standard deviations of strengths as measured from the mean of `level`."""
        ridge, k = min(self.noise2 / self.spread2, 1e9), len(level)
        if self.normal.size > EXACT:
            diagonal = self.normal.inverse_diagonal(ridge)
            zero = sum(diagonal[i] for i in level) / k**2
            return [sqrt(self.noise2 * (v + zero)) for v in diagonal]
        inverse = self.normal.inverse(ridge)
        to_level = [sum(row[a] for a in level) / k for row in inverse]
        zero = sum(to_level[a] for a in level) / k
        return [
            sqrt(self.noise2 * max(row[i] - 2 * to_level[i] + zero, 0.0))
            for i, row in enumerate(inverse)
        ]


def _made(row: DealRow, measure: str) -> float:
    """Higher is better; places count from the middle."""
    return float(row.score) if measure == "score" else 3.0 - (row.place or 3)


def _less_hand(
    deals: Sequence[Sequence[DealRow]], left: Sequence[Sequence[float]]
) -> list[list[float]]:
    """Less the mean of the T others who held the same hand, taken T/(T + 3) in earnest."""
    sums: dict[Hand, tuple[float, int]] = {}
    for five, made in zip(deals, left, strict=True):
        for row, y in zip(five, made, strict=True):
            total, count = sums.get(row.hand, (0.0, 0))
            sums[row.hand] = total + y, count + 1

    def luck(row: DealRow, y: float) -> float:
        total, count = sums[row.hand]
        return (total - y) / (count - 1 + 3) if count > 1 else 0.0

    return [
        [y - luck(row, y) for row, y in zip(five, made, strict=True)]
        for five, made in zip(deals, left, strict=True)
    ]


def _roles(fit: _Fit, totals: Sequence[Estimate], zero: float) -> list[dict[str, Estimate]]:
    """Each agent's strength in each role: its own deals there, drawn towards its total."""
    seen: dict[str, dict[int, list[float]]] = {}
    for five, rows, left in zip(fit.fives, fit.deals, fit.left, strict=True):
        mean = sum(left) / SEATS
        strengths = [fit.strength[i] for i in five]
        for i, row, r, s in zip(five, rows, left, strengths, strict=True):
            others = (sum(strengths) - s) / (SEATS - 1)
            value = (r - mean) * SEATS / (SEATS - 1) + others - zero
            seen.setdefault(row.role, {}).setdefault(i, []).append(value)
    found: list[dict[str, Estimate]] = [{} for _ in totals]
    for role in sorted(seen):
        for i, estimate in _one_role(seen[role], totals).items():
            found[i][role] = estimate
    return found


def _one_role(
    seen: Mapping[int, Sequence[float]], totals: Sequence[Estimate]
) -> dict[int, Estimate]:
    """How far agents differ in this role from their total is estimated over all of them."""
    means = {i: sum(values) / len(values) for i, values in seen.items()}
    within = sum((v - means[i]) ** 2 for i, values in seen.items() for v in values)
    count = sum(map(len, seen.values()))
    noise2 = within / max(count - len(seen), 1) or 1e-12
    off = sum(len(seen[i]) * (means[i] - totals[i].value) ** 2 for i in seen)
    spread2 = max((off - len(seen) * noise2) / count, 0.0)
    made: dict[int, Estimate] = {}
    for i, values in seen.items():
        weight = len(values) * spread2 / (len(values) * spread2 + noise2)
        value = totals[i].value + weight * (means[i] - totals[i].value)
        sd = sqrt(totals[i].sd ** 2 + (1 - weight) * spread2)
        made[i] = Estimate(len(values), value, sd)
    return made
