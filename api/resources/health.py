"""For machines that watch: is it alive, is it ready, how much does it do. No token is needed."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from ..arena import arena
from ..http.metrics import Labels, RequestMetrics, exposition, family
from ..services import health

blp = Blueprint("health", __name__)
requests = RequestMetrics()


@blp.get("/healthz")
def alive() -> Response:
    """The process answers."""
    return jsonify(status="ok")


@blp.get("/readyz")
def ready() -> tuple[Response, int]:
    """The database answers and has the tables of this version."""
    with arena().database.read() as session:
        reason = health.unready(session)
    return jsonify(status="unready" if reason else "ready", reason=reason), 503 if reason else 200


@blp.get("/metrics")
def metrics() -> Response:
    """Prometheus' text format."""
    with arena().database.read() as session:
        counts = health.counts(session)
    lines = list(requests.lines())
    streams: dict[Labels, float] = {(): arena().hub.open}
    lines += family("baohuang_streams", "gauge", "Event streams of this process.", streams)
    for noun, by_status in counts.items():
        values: dict[Labels, float] = {
            (("status", status),): number for status, number in by_status.items()
        }
        lines += family(f"baohuang_{noun}", "gauge", f"The {noun}, by status.", values)
    return exposition(lines)
