"""House bots, by name. A new one is one file and one line here; tests run over the registry."""

from __future__ import annotations

from collections.abc import Mapping

from .autoplay import Autoplay
from .greedy import Greedy
from .protocol import Bot, Lots
from .random import Random
from .tactician import Tactician

__all__ = ["BOTS", "Bot", "Lots"]

BOTS: Mapping[str, Bot] = {bot.name: bot for bot in (Random(), Autoplay(), Greedy(), Tactician())}
