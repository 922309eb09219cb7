"""A whole arena, and Debian's Chromium to look at its pages with."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.authoring.arena import Arena
from baohuang.api.models import Role

from ..serving import serving
from .people import DESKTOP, Person

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
WAIT_MS = 60_000


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser. A missing one is a failure: what was not looked at is not known to work."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.fail("no Chromium: install it (Debian: chromium-headless-shell); .ci/run does")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """One for all tests: what it is called by, as its admin."""
    with serving(tmp_path_factory.mktemp("arena")) as (url, token):
        yield Arena(url, token)


@pytest.fixture
def organizer(arena: Arena, request: pytest.FixtureRequest) -> Arena:
    """The arena as somebody who runs tournaments and has agents; an account for each test."""
    account = arena.post("/accounts", {"name": request.node.name, "role": "organizer"})["id"]
    wanted = {"name": "first", "scopes": sorted(ROLE_SCOPES[Role.ORGANIZER])}
    token = arena.post(f"/accounts/{account}/tokens", wanted)["token"]
    return Arena(arena.base, token)


@pytest.fixture
def person(chromium: Browser, arena: Arena) -> Iterator[Callable[..., Person]]:
    """Makes people; in the end none of them has met anything that is broken."""
    people: list[Person] = []

    def come(**options: Any) -> Person:
        context = chromium.new_context(base_url=arena.base, **{"viewport": DESKTOP, **options})
        context.set_default_timeout(WAIT_MS)
        people.append(Person(context.new_page()))
        return people[-1]

    yield come
    for each in people:
        each.page.context.close()
    for each in people:
        each.assert_content()
