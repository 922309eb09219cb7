"""Student's t distribution: how likely a statistic this large is by chance.

The regularised incomplete beta function by its continued fraction (Lentz's method; Numerical
Recipes 6.4 describes it), to about twelve digits.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p

_TINY = 1e-300
_EQUAL = 1e-13
_STEPS = 500


def two_sided(t: float, freedom: float) -> float:
    """The chance of a value as far from 0 as `t`, with `freedom` degrees of freedom (> 0)."""
    if freedom <= 0:
        raise ValueError(f"{freedom} degrees of freedom")
    return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function I_x(a, b); a, b > 0, 0 <= x <= 1."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d, c = 1 / _away(1 + even * d), _away(1 + even / c)
        value *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d, c = 1 / _away(1 + odd * d), _away(1 + odd / c)
        value *= d * c
        if abs(d * c - 1) < _EQUAL:
            break
    return value


def _away(value: float) -> float:
    """Never 0: the method divides by it."""
    return value if abs(value) > _TINY else _TINY
