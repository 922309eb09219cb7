"""Counts and times of requests, for `/metrics` in Prometheus' text format.

Each process counts for itself; what the database knows (metrics of matches) is the same in all.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock

from flask import Flask, Response, g, request

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

Labels = tuple[tuple[str, str], ...]


class RequestMetrics:
    """Requests by operation and status, and how long they took."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[Labels] = Counter()
        self._buckets: Counter[int] = Counter()
        self._seconds = 0.0

    def register(self, app: Flask) -> None:
        """Watch every request of an application."""
        app.before_request(self._start)
        app.after_request(self._finish)

    def lines(self) -> Iterator[str]:
        """The text format."""
        with self._lock:
            requests, buckets = self._requests.copy(), self._buckets.copy()
            seconds = self._seconds
        yield from family("baohuang_requests_total", "counter", "Requests answered.", requests)
        yield "# HELP baohuang_request_seconds Time to answer a request."
        yield "# TYPE baohuang_request_seconds histogram"
        below = 0
        for index, bound in enumerate((*BOUNDS, float("inf"))):
            below += buckets[index]
            shown = "+Inf" if index == len(BOUNDS) else str(bound)
            yield f'baohuang_request_seconds_bucket{{le="{shown}"}} {below}'
        yield f"baohuang_request_seconds_sum {seconds:.6f}"
        yield f"baohuang_request_seconds_count {below}"

    def _start(self) -> None:
        g.started = time.perf_counter()

    def _finish(self, response: Response) -> Response:
        seconds = time.perf_counter() - g.get("started", time.perf_counter())
        method = request.method if request.endpoint else "other"
        self.count(method, request.endpoint or "none", response.status_code, seconds)
        return response

    def count(self, method: str, operation: str, status: int, seconds: float) -> None:
        """Note an answer."""
        labels = (("method", method), ("operation", operation), ("status", str(status)))
        with self._lock:
            self._requests[labels] += 1
            self._buckets[bisect_left(BOUNDS, seconds)] += 1
            self._seconds += seconds


def family(name: str, kind: str, text: str, values: Mapping[Labels, float]) -> Iterator[str]:
    """One family of samples; labels come from a fixed set of names, so they need no escaping."""
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"
    for labels, value in sorted(values.items()):
        shown = ",".join(f'{label}="{content}"' for label, content in labels)
        yield f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"


def exposition(lines: Iterable[str]) -> Response:
    """The answer to a scrape."""
    return Response(
        "\n".join(lines) + "\n", content_type="text/plain; version=0.0.4; charset=utf-8"
    )
