"""The title ladder by total points (rules.md section 7)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Title:
    """A title with the lowest total that has it (None: no lower bound)."""

    name: str
    english: str
    from_points: int | None


_LADDER: tuple[tuple[int | None, str, str], ...] = (
    (None, "业余九级", "amateur 9"),
    (-500, "业余八级", "amateur 8"),
    (-400, "业余七级", "amateur 7"),
    (-300, "业余六级", "amateur 6"),
    (-200, "业余五级", "amateur 5"),
    (-100, "业余四级", "amateur 4"),
    (0, "业余三级", "amateur 3"),
    (100, "业余二级", "amateur 2"),
    (200, "业余一级", "amateur 1"),
    (400, "职业五级", "professional 5"),
    (700, "职业四级", "professional 4"),
    (1100, "职业三级", "professional 3"),
    (1600, "职业二级", "professional 2"),
    (2200, "职业一级", "professional 1"),
    (2900, "专业三级", "expert 3"),
    (3700, "专业二级", "expert 2"),
    (4600, "专业一级", "expert 1"),
    (5600, "专业大师", "master"),
    (6700, "高级大师", "senior master"),
    (7900, "特级大师", "grandmaster"),
)

TITLES = tuple(Title(name, english, points) for points, name, english in _LADDER)
_BOUNDS = [points for points, _, _ in _LADDER if points is not None]


def title(points: int) -> Title:
    """The title of a total; a boundary belongs to the higher one."""
    return TITLES[bisect_right(_BOUNDS, points)]
