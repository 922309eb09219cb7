"""What several tests say about problem documents, how they race, and where nobody listens."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any, TypeVar

from werkzeug.test import TestResponse

T = TypeVar("T")


def problem(response: TestResponse, status: int, code: str) -> dict[str, Any]:
    """The problem document of a response that must be this one."""
    assert response.status_code == status, response.get_data()
    assert response.mimetype == "application/problem+json"
    body: dict[str, Any] = response.get_json()
    assert body["status"] == status
    assert body["code"] == code
    assert body["instance"] == response.headers["X-Request-Id"]
    assert body["title"]
    assert body["detail"]
    return body


def pointers(body: dict[str, Any]) -> dict[str, str]:
    """Places and their codes."""
    return {error["pointer"]: error["code"] for error in body["errors"]}


def race(work: Callable[[int], T], threads: int) -> list[T]:
    """`work(0)`, `work(1)`, … all started at the same moment."""
    start = Barrier(threads)

    def runner(number: int) -> T:
        start.wait(timeout=30)
        return work(number)

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(runner, range(threads)))


@contextmanager
def refusing() -> Iterator[int]:
    """A port of 127.0.0.1 that refuses every call, and that nobody else is given meanwhile."""
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]
