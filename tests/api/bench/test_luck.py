"""How much luck duplicate takes out: the arithmetic by hand, the claim on house bots."""

from __future__ import annotations

import pytest

from baohuang.api.bench import luck
from baohuang.api.commands.bench import bench


def test_errors_of_two_boards_by_hand():
    """Singles: variances 10 and 10 over ten deals each. Boards: one is 2 ahead, the other level."""
    high, low = [4.0, 1, 0, -2, -3], [2.0, -1, -2, -4, -5]
    level = [0.0] * 5
    made = luck.errors([(high, low, level), (high, high, level)])
    ones, others = high + high, low + high

    def variance(scores):
        mean = sum(scores) / len(scores)
        return sum((s - mean) ** 2 for s in scores) / (len(scores) - 1)

    assert made.independent == pytest.approx(((variance(ones) + variance(others)) / 10) ** 0.5)
    assert made.par == pytest.approx(made.independent), "par of 0 changes nothing"
    assert made.duplicate == pytest.approx(1.0), "differences 2 and 0: variance 2 over two boards"


def test_par_is_taken_off_every_hand():
    """Both score exactly par: nothing is left."""
    made = luck.errors([([3.0] * 5, [3.0] * 5, [3.0] * 5), ([-1.0] * 5, [-1.0] * 5, [-1.0] * 5)])
    assert made.par == 0 < made.independent


class _Nothing:
    def work_out(self, rules, key, deals):
        return {}


def test_the_error_falls_by_at_least_a_third_on_replayed_boards(monkeypatch):
    monkeypatch.setattr(luck, "Model", _Nothing)
    sheets = [luck.board("lianzhong-simple", number)[0] for number in range(60)]
    rows = [(one["tactician", "greedy"], one["greedy", "greedy"], [0.0] * 5) for one in sheets]
    made = luck.errors(rows)
    assert made.duplicate < made.independent * 2 / 3


def test_errors_of_several_comparisons_are_averaged_as_variances():
    """Variances 9 and 49 make 29 on average, 16 and 0 make 8, 1 and 1 make 1."""
    made = luck.together([luck.Errors(3, 4, 1), luck.Errors(7, 0, 1)])
    assert (made.independent**2, made.duplicate**2, made.par**2) == pytest.approx((29, 8, 1))


def test_there_is_a_command_for_it():
    assert "luck" in bench.commands
