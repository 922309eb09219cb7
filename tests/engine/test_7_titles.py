"""rules.md 7: the title ladder; a boundary belongs to the higher title."""

import pytest

from baohuang.engine.titles import TITLES, title

LADDER = [
    (-500, "业余九级", "业余八级"),
    (-400, "业余八级", "业余七级"),
    (-300, "业余七级", "业余六级"),
    (-200, "业余六级", "业余五级"),
    (-100, "业余五级", "业余四级"),
    (0, "业余四级", "业余三级"),
    (100, "业余三级", "业余二级"),
    (200, "业余二级", "业余一级"),
    (400, "业余一级", "职业五级"),
    (700, "职业五级", "职业四级"),
    (1100, "职业四级", "职业三级"),
    (1600, "职业三级", "职业二级"),
    (2200, "职业二级", "职业一级"),
    (2900, "职业一级", "专业三级"),
    (3700, "专业三级", "专业二级"),
    (4600, "专业二级", "专业一级"),
    (5600, "专业一级", "专业大师"),
    (6700, "专业大师", "高级大师"),
    (7900, "高级大师", "特级大师"),
]


@pytest.mark.parametrize(("bound", "below", "above"), LADDER)
def test_7_every_boundary_belongs_to_the_higher_title(bound, below, above):
    assert title(bound - 1).name == below
    assert title(bound).name == above
    assert title(bound + 1).name == above


@pytest.mark.parametrize(("points", "name"), [(-(10**9), "业余九级"), (10**9, "特级大师")])
def test_7_far_away(points, name):
    assert title(points).name == name


def test_7_twenty_titles_each_once():
    names = [rung.name for rung in TITLES]
    assert names == [LADDER[0][1], *(above for _, _, above in LADDER)]
    assert len({rung.english for rung in TITLES}) == 20
