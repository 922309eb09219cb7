"""How sure a ranking is: intervals and chances of coming first, by resampling deals.

The unit is the deal, wherever it was played: the five scores of a deal hang together, and so do
all tables that played the same cards. Deals are resampled among those that the same entries played
(a table's match, or a round whose tables share boards), so that everybody keeps his number of
deals. From g such deals g - 1 are drawn and weighed g/(g - 1), which keeps the variance right for
small g (the rescaled bootstrap of Rao and Wu). Deals that stand alone are resampled together, a
single one with those of its neighbours.

Everything is conditional on the seating and on who took part.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from .lots import Lots, fast

SAMPLES = 1000
LEVEL = 0.95
EQUAL = 1e-9
"""Weights are fractions, so equal totals may differ in the last digits."""

Number = TypeVar("Number", int, float)


class Scored(Protocol):
    """What an entry made in one unit, a deal as a rule: a DealRow is one.

    Units of one cluster share luck and are resampled together.
    """

    @property
    def entry(self) -> str: ...
    @property
    def cluster(self) -> tuple[str, int]: ...
    @property
    def score(self) -> float: ...


@dataclass(frozen=True)
class Unit:
    """A unit that is no single deal, or whose score is no sum of points."""

    entry: str
    cluster: tuple[str, int]
    score: float


@dataclass(frozen=True)
class Confidence:
    """Of one entry: mean score a unit with its interval, chance of coming first, likely ranks.

    An entry that has no rank has no chance either, and the ranks 0.
    """

    entry: str
    deals: int
    mean: float
    low: float
    high: float
    first: float
    rank_low: int
    rank_high: int


Key = tuple[str, int]
"""Of a cluster."""

Scores = list[tuple[int, float]]
"""(index of the entry, score) of one cluster of deals."""


def confidence(
    rows: Sequence[Scored],
    lots: Lots,
    *,
    house: Collection[str] = (),
    fixed: Mapping[str, float] | None = None,
    samples: int = SAMPLES,
    level: float = LEVEL,
) -> dict[str, Confidence]:
    """By entry, `level` for intervals and ranks. House entries have no rank and do not come first.
    Who played nothing but one cluster, with no other to draw instead, is left out: that tells
    nothing of luck.

    fixed: what counts for ranks besides and is no luck of deals (penalties, rulings).
    Takes samples · rows steps; keeps samples · entries numbers.
    """
    ids = sorted({row.entry for row in rows})
    index = {x: i for i, x in enumerate(ids)}
    strata, word = _strata(rows, index), fast(lots)
    drawn = {i for stratum in strata if len(stratum) > 1 for unit in stratum for i, _ in unit}
    samples_ = [_resampled(strata, len(ids), word) for _ in range(samples)]
    ranked = [i for i, x in enumerate(ids) if x not in house]
    more = [(fixed or {}).get(x, 0.0) for x in ids]
    finals = [[a + b for a, b in zip(more, sample, strict=True)] for sample in samples_]
    chances = _chances(finals, ranked)
    ranks = _ranks(finals, ranked)
    deals, total = [0] * len(ids), [0.0] * len(ids)
    for row in rows:
        deals[index[row.entry]] += 1
        total[index[row.entry]] += row.score
    made: dict[str, Confidence] = {}
    for x, i in index.items():
        if i not in drawn:
            continue
        low, high = _middle(sorted(sample[i] for sample in samples_), level)
        best, worst = _middle(ranks[i], level) if i in ranks else (0, 0)
        n = deals[i]
        made[x] = Confidence(
            x, n, total[i] / n, low / n, high / n, chances.get(i, 0.0), best, worst
        )
    return made


def _strata(rows: Sequence[Scored], index: dict[str, int]) -> list[list[Scores]]:
    """Clusters that the same entries played, together; those alone of their kind in one stratum.

    A single one of these would look certain. So it joins the clusters of those with whom it has
    most in common (collapsed strata: what the two differ in on average widens the intervals, never
    the other way), of several the fewest. If there is nothing in common it has nobody with luck
    elsewhere, and stays.
    """
    clusters: dict[Key, Scores] = {}
    for row in rows:
        clusters.setdefault(row.cluster, []).append((index[row.entry], row.score))
    groups: dict[frozenset[int], list[Key]] = {}
    for key in sorted(clusters):
        groups.setdefault(frozenset(i for i, _ in clusters[key]), []).append(key)
    alone = [keys[0] for keys in groups.values() if len(keys) == 1]
    strata = [keys for keys in groups.values() if len(keys) > 1]
    if len(alone) == 1:
        joined = _nearest(groups, {i for i, _ in clusters[alone[0]]})
        if joined is not None:
            joined[:] = sorted([*joined, alone.pop()])
    return [[clusters[key] for key in keys] for keys in [*strata, alone] if keys]


def _nearest(
    groups: Mapping[frozenset[int], list[Key]], entries: Collection[int]
) -> list[Key] | None:
    """The clusters, more than one, of those who have most of `entries` among them."""
    near = [(who, keys) for who, keys in groups.items() if len(keys) > 1 and who & set(entries)]
    if not near:
        return None
    return max(near, key=lambda each: (len(each[0] & set(entries)), -len(each[1])))[1]


def _resampled(strata: list[list[Scores]], entries: int, word: Callable[[], int]) -> list[float]:
    """Total scores by entry in one sample."""
    total = [0.0] * entries
    for stratum in strata:
        size = len(stratum)
        draws = size - 1 or 1
        weight = size / draws
        for _ in range(draws):
            for i, score in stratum[word() % size]:
                total[i] += weight * score
    return total


def _chances(samples: Sequence[Sequence[float]], ranked: Sequence[int]) -> dict[int, float]:
    """Share of the samples in which each comes first; equals share it."""
    chances = dict.fromkeys(ranked, 0.0)
    for sample in samples if ranked else ():
        best = max(sample[i] for i in ranked)
        leaders = [i for i in ranked if sample[i] > best - EQUAL]
        for i in leaders:
            chances[i] += 1 / len(leaders)
    return {i: chance / len(samples) for i, chance in chances.items()}


def _ranks(samples: Sequence[Sequence[float]], ranked: Sequence[int]) -> dict[int, list[int]]:
    """The ranks of each over the samples, sorted."""
    ranks: dict[int, list[int]] = {i: [] for i in ranked}
    for sample in samples:
        for rank, i in enumerate(sorted(ranked, key=lambda i: -sample[i]), 1):
            ranks[i].append(rank)
    return {i: sorted(had) for i, had in ranks.items()}


def _middle(ordered: Sequence[Number], level: float) -> tuple[Number, Number]:
    """The bounds of the middle `level` of sorted values."""
    cut = round((1 - level) / 2 * (len(ordered) - 1))
    return ordered[cut], ordered[len(ordered) - 1 - cut]
