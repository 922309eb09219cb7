"""The guard that an arena's settings make."""

from __future__ import annotations

import logging

import pytest

from baohuang.api.config import Config
from baohuang.api.outgoing import guard_of
from baohuang.api.remote.urls import Blocked


def test_every_exception_is_logged_at_start(caplog, monkeypatch):
    # import-linter, when a test runs it in this process, switches all loggers off.
    monkeypatch.setattr(logging.getLogger("baohuang.api.outgoing"), "disabled", False)
    with caplog.at_level(logging.WARNING):
        guard_of(Config(allow=("10.0.0.0/8:8000", "[fd00::/8]:9000")))
    assert [record.getMessage() for record in caplog.records] == [
        "calls to 10.0.0.0/8:8000 are allowed by the operator",
        "calls to [fd00::/8]:9000 are allowed by the operator",
    ]


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8000/", "http://localhost:8000/bot", "https://arena.example.org/"],
)
def test_nobody_may_be_called_at_the_arena_itself(url):
    guard = guard_of(Config(allow=("127.0.0.0/8",), own=("arena.example.org",)))
    with pytest.raises(Blocked, match="own"):
        guard.check_url(url)
