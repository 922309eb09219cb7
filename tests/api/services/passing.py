"""Time that passes for services alone, as far as a test wants it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import ModuleType

import pytest

from baohuang.api.models import utc_now


def clock_of(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> Callable[[float], None]:
    """Lets so many more seconds pass for what asks for the time in these modules."""
    passed = timedelta()

    def later(seconds: float) -> None:
        nonlocal passed
        passed += timedelta(seconds=seconds)
        for module in modules:
            monkeypatch.setattr(module, "utc_now", lambda: utc_now() + passed)

    return later
