"""Strengths of five at a table by ridge regression, on sparse symmetric matrices.

Every deal contributes the projection I - J/5 on its five seats: what is seen of strengths is their
differences. `Normal` adds these up once; solving and inverting then cost no more than the number
of different pairs.
"""

from __future__ import annotations

from collections.abc import Sequence

SEATS = 5
PULL = (SEATS / (SEATS - 1)) ** 2
"""Own strength less the mean of the other four is 5/4 of own strength less the mean of all."""
TOLERANCE = 1e-10
STEPS = 200


class Normal:
    """Normal equations: `rows[i][j]` is the matrix, `right[i]` the right side."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.rows: list[dict[int, float]] = [{i: 0.0} for i in range(size)]
        self.right = [0.0] * size

    def tie(self, five: Sequence[int]) -> None:
        """Add a deal of these five; one may be at several seats."""
        part = PULL / SEATS
        for i in five:
            row = self.rows[i]
            row[i] += PULL
            for j in five:
                row[j] = row.get(j, 0.0) - part

    def solve(self, ridge: float) -> list[float]:
        """x with (matrix + ridge) x = right, by conjugate gradients. ridge > 0."""
        x = [0.0] * self.size
        rest = list(self.right)
        direction, square = rest, _dot(rest, rest)
        goal = TOLERANCE**2 * square
        for _ in range(STEPS):
            if square <= goal:
                break
            image = self._times(direction, ridge)
            step = square / _dot(direction, image)
            x = [a + step * d for a, d in zip(x, direction, strict=True)]
            rest = [r - step * m for r, m in zip(rest, image, strict=True)]
            square, before = _dot(rest, rest), square
            direction = [r + square / before * d for r, d in zip(rest, direction, strict=True)]
        return x

    def inverse_diagonal(self, ridge: float) -> list[float]:
        """Of matrix + ridge, to second order: exact enough where nobody meets one other mostly."""
        diagonal = [row[i] + ridge for i, row in enumerate(self.rows)]
        return [
            (1 + sum(a * a / (diagonal[i] * diagonal[j]) for j, a in row.items() if j != i))
            / diagonal[i]
            for i, row in enumerate(self.rows)
        ]

    def inverse(self, ridge: float) -> list[list[float]]:
        """Of matrix + ridge, exactly (Gauss and Jordan; positive definite, so without pivoting)."""
        n = self.size
        rows = [[0.0] * n + [float(i == j) for j in range(n)] for i in range(n)]
        for i, row in enumerate(self.rows):
            for j, a in row.items():
                rows[i][j] = a
            rows[i][i] += ridge
        for k in range(n):
            pivot = rows[k] = [a / rows[k][k] for a in rows[k]]
            for i in range(n):
                if i != k and rows[i][k]:
                    factor = rows[i][k]
                    rows[i] = [a - factor * b for a, b in zip(rows[i], pivot, strict=True)]
        return [row[n:] for row in rows]

    def _times(self, x: Sequence[float], ridge: float) -> list[float]:
        return [
            ridge * x[i] + sum(a * x[j] for j, a in row.items()) for i, row in enumerate(self.rows)
        ]


def _dot(x: Sequence[float], y: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(x, y, strict=True))
