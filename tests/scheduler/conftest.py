"""What most tests here begin with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .arena import Arena


@pytest.fixture
def arena(arena_url: str) -> Iterator[Arena]:
    """An arena without rows on either engine, closed at the end whatever comes."""
    arena = Arena(arena_url)
    yield arena
    arena.close()
