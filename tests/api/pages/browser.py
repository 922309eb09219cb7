"""A browser as far as our pages need one: it keeps cookies, reads forms, sends them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from werkzeug.test import TestResponse

from ..conftest import Caller, Site

VOID = {"meta", "link", "input", "br", "img"}


@dataclass
class Form:
    method: str
    action: str
    fields: dict[str, str] = field(default_factory=dict)


class Document(HTMLParser):
    """The elements of a page; fails on tags that do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.elements.append((tag, given))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "form":
            self.forms.append(Form(given["method"], given["action"]))
        if tag == "input" and "name" in given and given.get("type") != "checkbox":
            self.forms[-1].fields[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def form(self, action: str) -> Form:
        return next(form for form in self.forms if form.action == action)


class Browser:
    """One browser with its cookie; `https` as behind a proxy that says so."""

    def __init__(self, site: Site, https: bool = False) -> None:
        self.client = site.app.test_client()
        self.base = "https://arena.example" if https else "http://arena.example"
        self.name = "__Host-arena" if https else "arena"

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.client.get(path, base_url=self.base, **options)

    def post(self, path: str, data: Any = None, **options: Any) -> TestResponse:
        return self.client.post(path, base_url=self.base, data=data, **options)

    @property
    def cookie(self) -> str | None:
        found = self.client.get_cookie(self.name, domain="arena.example")
        return None if found is None else found.value

    @cookie.setter
    def cookie(self, value: str) -> None:
        self.client.set_cookie(self.name, value, domain="arena.example")

    def document(self, path: str) -> Document:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return Document(answer.text)

    def send(
        self,
        page: str,
        action: str,
        fields: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> TestResponse:
        """Fill in the form of a page and send it, as a browser does."""
        form = self.document(page).form(action)
        assert form.method == "post"
        return self.post(action, form.fields | (fields or {}), headers=headers)

    def log_in(self, token: str | None, page: str = "/login") -> TestResponse:
        return self.send(page, "/login", {"token": token})


def logged_in(site: Site, caller: Caller, https: bool = False) -> Browser:
    """A browser of somebody who has logged in with his token."""
    browser = Browser(site, https)
    assert browser.log_in(caller.token).status_code == 303
    return browser
