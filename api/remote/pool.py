"""House bots outside the event loop: a few child processes that choose answers.

A bot that thinks for a millisecond in the loop is a millisecond of delay for every other table.
Bots that are quicker than the trip to a child (INLINE, see api/bench/remote.py for the figures) run
in place.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from typing import Any, NoReturn

from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.rules import RuleSet
from baohuang.engine.tournament.par import Model, Worth

INLINE = frozenset({"random", "autoplay", "greedy"})
_BREATH = 16  # decisions in place after which other tables get their turn


class PoolFailed(Exception):
    """A house bot gave no answer: too slow, or its process died twice."""


class BotPool:
    """`workers` child processes, started when needed; they end with this one, however it ends."""

    def __init__(self, workers: int = 1, inline: frozenset[str] = INLINE) -> None:
        self._workers = workers
        self._inline = inline
        self._executor: ProcessPoolExecutor | None = None
        self._in_place = 0

    async def choose(
        self, bot: str, view: Mapping[str, Any], key: bytes, ctx: str, seconds: float
    ) -> str:
        """The bot's answer to a view, with draws of `key` and `ctx`. Raises PoolFailed."""
        if bot in self._inline:
            return await self._choose_here(bot, view, key, ctx)
        for _ in range(2):
            executor = self._running()
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    executor, _choose, bot, view, key, ctx, seconds
                )
            except BrokenProcessPool:
                self._drop(executor)
            except TimeoutError:
                raise PoolFailed(f"the house bot {bot} took longer than {seconds:g} s") from None
        raise PoolFailed(f"the process of the house bot {bot} died")

    async def par(self, model: Model, rules: RuleSet, key: bytes, deals: int) -> Worth:
        """What the hands of a key's deals are worth. Raises PoolFailed."""
        for _ in range(2):
            executor = self._running()
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    executor, model.work_out, rules, key, deals
                )
            except BrokenProcessPool:
                self._drop(executor)
        raise PoolFailed("the process that works par out died")

    def close(self) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    async def _choose_here(self, bot: str, view: Mapping[str, Any], key: bytes, ctx: str) -> str:
        self._in_place += 1
        if self._in_place % _BREATH == 0:
            await asyncio.sleep(0)
        return BOTS[bot].choose(view, Draw(key, ctx))

    def _running(self) -> ProcessPoolExecutor:
        if self._executor is None:
            self._executor = ProcessPoolExecutor(
                self._workers, multiprocessing.get_context("spawn"), initializer=_start_child
            )
        return self._executor

    def _drop(self, broken: ProcessPoolExecutor) -> None:
        if self._executor is broken:
            self._executor = None
        broken.shutdown(wait=False)


def _choose(bot: str, view: Mapping[str, Any], key: bytes, ctx: str, seconds: float) -> str:
    """In the child: choose, and give up by an alarm rather than block the child for ever."""
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        return BOTS[bot].choose(view, Draw(key, ctx))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _start_child() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    signal.signal(signal.SIGALRM, _too_slow)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _too_slow(_signum: int, _frame: object) -> NoReturn:
    raise TimeoutError


def _end_with_parent() -> None:
    """The parent's end closes a pipe that only it holds open, by SIGKILL too."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
    os._exit(1)
