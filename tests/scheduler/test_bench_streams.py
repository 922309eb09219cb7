"""`baohuang bench streams`: every listener hears every event, and the figures are there."""

from __future__ import annotations

from baohuang.api.bench import streams


def test_it_measures_a_few_streams(monkeypatch):
    monkeypatch.setattr(streams, "IDLE_S", 0.1)
    measured = streams.measure(8, 2)
    assert measured.missed == 0
    assert len(measured.late_ms) == 16
    assert measured.before_mb > 0
    assert measured.quiet_ms
    assert measured.busy_ms
    assert all("ms" in line or "streams" in line or "missed" in line
               for line in streams.report(measured))  # fmt: skip
