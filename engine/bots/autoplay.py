"""A bot that answers what the server would answer for an absent seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .protocol import Lots


class Autoplay:
    """托管: the fallback of rules.md section 6, every time."""

    name = "autoplay"

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        """The fallback."""
        fallback: str = view["fallback"]
        return fallback
