"""Two or more threads doing the same thing at the same moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from baohuang.api.errors import DomainError

T = TypeVar("T")

PATIENCE_S = 60


def race(*runners: Callable[[], T]) -> list[T | DomainError]:
    """What each came to, in order: its value, or the domain error that it raised."""
    barrier = Barrier(len(runners))

    def run(runner: Callable[[], T]) -> T | DomainError:
        barrier.wait(PATIENCE_S)
        try:
            return runner()
        except DomainError as error:
            return error

    with ThreadPoolExecutor(len(runners)) as pool:
        futures = [pool.submit(run, runner) for runner in runners]
        return [future.result(PATIENCE_S) for future in futures]


def losers(outcomes: Sequence[object]) -> list[str]:
    """The codes of those that were refused."""
    return [error.problem_code for error in outcomes if isinstance(error, DomainError)]
