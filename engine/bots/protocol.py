"""What a house bot is: a name and a choice from a view. Stateless: any process can ask it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Lots(Protocol):
    """Where a bot's randomness comes from, so that a match can be played again: a `Draw`."""

    def below(self, m: int, /) -> int:
        """A number from 0 to m - 1, each equally likely."""

    def shuffle(self, items: list[Any], /) -> None:
        """Put `items` in a random order, in place."""


class Bot(Protocol):
    """A house bot. `name` is its name in commands, seats and standings."""

    name: str

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        """One of `view["legal"]` (at least two), for a view as in contract.md section 4."""
