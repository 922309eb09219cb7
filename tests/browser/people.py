"""People at a real browser: whoever looks at a page, all that goes wrong on it is written down."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # only `make foreign` installs it
    from playwright.sync_api import ConsoleMessage, Locator, Page, Request, Response

ROOT = Path(__file__).parents[2]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1280, "height": 800}
TABS = 40  # more than lie between any two things that a test wants to reach
LEFT = "net::ERR_ABORTED"  # what was under way when its page was left


class Person:
    """One page of a browser with cookies of its own."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.troubles: list[str] = []
        self.expected: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.troubles.append(f"script: {error}"))
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        """Broken rules of the content security policy are told there, too."""
        if message.type in ("error", "warning"):
            self.troubles.append(f"console of {self.page.url}: {message.text}")

    def _failed(self, request: Request) -> None:
        if request.failure != LEFT:
            self.troubles.append(f"{request.method} {request.url}: {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.request.method} {response.url}: {response.status}")

    def expect_refusal(self, status: int) -> None:
        """What the next form or link is answered with; the browser tells it twice."""
        self.expected.append(f"{status}")

    def assert_content(self) -> None:
        """Nothing has gone wrong but what was expected."""
        left = [
            trouble
            for trouble in self.troubles
            if not any(re.search(rf"\b{status}\b", trouble) for status in self.expected)
        ]
        assert not left, left

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    def go(self, path: str) -> None:
        self.page.goto(path)

    def named(self, name: str) -> Locator:
        """The first link or button of that name."""
        link = self.page.get_by_role("link", name=name, exact=True)
        return link.or_(self.page.get_by_role("button", name=name, exact=True)).first

    def follow(self, name: str) -> None:
        """Click a link or a button, and wait for the page behind it."""
        with self.page.expect_navigation():
            self.named(name).click()

    def tab_to(self, what: Locator) -> None:
        """Reach it by the Tab key alone."""
        for _ in range(TABS):
            if what.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{what} is not reached by {TABS} tabs")

    def press(self, name: str) -> None:
        """Follow a link or press a button with Tab and Enter alone."""
        self.tab_to(self.named(name))
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def log_in(self, token: str) -> None:
        """From wherever one has come to /login."""
        self.page.get_by_label("Token").fill(token)
        with self.page.expect_navigation():
            self.main.get_by_role("button").click()


def overflow(page: Page) -> list[str]:
    """What is wider than the place it has, and how wide that is; nothing if all fits."""
    found: list[str] = page.evaluate(
        """() => {
          const places = [document.documentElement, document.querySelector("main")].filter(Boolean);
          return places.filter((one) => one.scrollWidth > one.clientWidth).flatMap((place) => {
            const end = place.getBoundingClientRect().left + place.clientWidth;
            const wide = [...place.querySelectorAll("*")].filter(
              (one) => one.getBoundingClientRect().left + one.scrollWidth > end);
            return [`${place.scrollWidth} px`, ...wide.map((one) => one.outerHTML.slice(0, 200))];
          });
        }"""
    )
    return found


def barriers(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds that keeps people out: fields without labels, faint text, and so on."""
    axe = ROOT / ".ci" / "pages" / "node_modules" / "axe-core" / "axe.min.js"
    page.evaluate(axe.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate(
        "rules => axe.run({ preload: false, ...(rules && { runOnly: rules }) })", rules
    )
    return [
        f"{rule['id']}: {node['html']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def assert_fit(page: Page) -> None:
    """It fits a phone and a desktop, in both of the colour schemes, and keeps nobody out."""
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)
        wide = overflow(page)
        assert not wide, f"{page.url} at {size}: {wide}"
    found = barriers(page)
    page.emulate_media(color_scheme="dark")
    found += barriers(page, ["color-contrast"])
    page.emulate_media(color_scheme="light")
    assert not found, f"{page.url}: {found}"
