"""A bot that picks any legal answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .protocol import Lots


class Random:
    """Every legal answer is equally likely."""

    name = "random"

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        """Any legal answer."""
        legal: list[str] = view["legal"]
        return legal[lots.below(len(legal))]
