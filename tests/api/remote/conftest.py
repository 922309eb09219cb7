"""What the tests of remote calls may ask for."""

from __future__ import annotations

import pytest


@pytest.fixture
def late_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    """An alarm that rings late on a busy machine makes what a server did no fault of ours."""
    for module in ("client", "dial"):
        monkeypatch.setattr(f"baohuang.api.remote.{module}.LAG_SECONDS", 5.0)
