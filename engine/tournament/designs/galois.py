"""Finite fields GF(p^e), small and slow: enough to build a transversal plan once.

An element is a number below q whose digits to base p are the coefficients of a polynomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

Polynomial = tuple[int, ...]
"""Coefficients, constant first."""


@dataclass(frozen=True)
class Field:
    """GF(p^e) modulo a monic irreducible polynomial of degree e."""

    p: int
    e: int
    modulus: Polynomial

    @property
    def order(self) -> int:
        return int(self.p**self.e)

    def add(self, a: int, b: int) -> int:
        digits = zip(self._digits(a), self._digits(b), strict=True)
        return self._number([(x + y) % self.p for x, y in digits])

    def multiply(self, a: int, b: int) -> int:
        x, y = self._digits(a), self._digits(b)
        product_ = [0] * (2 * self.e - 1)
        for i, u in enumerate(x):
            for j, v in enumerate(y):
                product_[i + j] += u * v
        return self._number(_remainder(product_, self.modulus, self.p))

    def _digits(self, a: int) -> list[int]:
        return [a // self.p**i % self.p for i in range(self.e)]

    def _number(self, digits: list[int]) -> int:
        return sum(digit * self.p**i for i, digit in enumerate(digits))


def field(q: int) -> Field | None:
    """GF(q), or None if q is not a prime power."""
    p = next((d for d in range(2, q + 1) if q % d == 0), 0)
    e = 0
    while p and q % p == 0:
        q //= p
        e += 1
    return Field(p, e, _irreducible(p, e)) if q == 1 and p else None


def _irreducible(p: int, e: int) -> Polynomial:
    """The first monic polynomial of degree e that no monic one of half the degree divides."""
    divisors = [d for k in range(1, e // 2 + 1) for d in _monic(p, k)]
    return next(m for m in _monic(p, e) if all(any(_remainder(m, d, p)) for d in divisors))


def _monic(p: int, degree: int) -> list[Polynomial]:
    return [(*low, 1) for low in product(range(p), repeat=degree)]


def _remainder(a: Polynomial | list[int], m: Polynomial, p: int) -> list[int]:
    """a mod m over Z_p; m is monic. As many digits as the degree of m."""
    rest, degree = list(a), len(m) - 1
    for top in range(len(rest) - 1, degree - 1, -1):
        factor = rest[top]
        for i, c in enumerate(m):
            rest[top - degree + i] -= factor * c
    return [x % p for x in rest[:degree]]
