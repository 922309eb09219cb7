"""What an arena's answers must hold before a command reads them: fields, and what they are.

A shape is a type (`int`, `str`, `bool`, `dict`; `object` is anything), a `range` for a number in
it, `Maybe` a shape or null, a `Row` of things of one shape, or an object with the shapes of the
fields that are read. Others may be there: a newer arena says more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Shape: TypeAlias = "type | range | Maybe | Row | Mapping[str, Shape]"


@dataclass(frozen=True)
class Maybe:
    """Null, or of the shape."""

    shape: Shape


@dataclass(frozen=True)
class Row:
    """A list; `length`: of so many, where that matters."""

    shape: Shape
    length: int | None = None


def fit(value: Any, shape: Shape, at: str = "") -> None:
    """Raises `ValueError`, which names the first place (a JSON pointer) that is not of its shape.

    True and false are no numbers.
    """
    match shape:
        case Maybe(inner):
            if value is not None:
                fit(value, inner, at)
        case Row(inner, length):
            _require(isinstance(value, list), at, "a list")
            _require(length in (None, len(value)), at, f"a list of {length}")
            for number, item in enumerate(value):
                fit(item, inner, f"{at}/{number}")
        case range():
            inside = _is(value, int) and value in shape
            _require(inside, at, f"a number from {shape[0]} to {shape[-1]}")
        case type():
            _require(_is(value, shape), at, _NAMES[shape])
        case _:
            _require(isinstance(value, dict), at, "an object")
            for name, inner in shape.items():
                _require(name in value, f"{at}/{name}", "there")
                fit(value[name], inner, f"{at}/{name}")


_NAMES = {
    int: "a whole number",
    str: "a text",
    bool: "true or false",
    dict: "an object",
    object: "anything",
}


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is not int or not isinstance(value, bool))


def _require(right: bool, at: str, what: str) -> None:
    if not right:
        raise ValueError(f"{at or 'it'} is not {what}")
