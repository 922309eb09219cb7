"""As much of an HTTP client as the demo needs, with the standard library alone."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

TIMEOUT_S = 20


class DemoFailed(Exception):
    """The demo cannot go on; the message says why, in one sentence."""


@dataclass(frozen=True)
class Client:
    """Speaks to one arena, as whoever the token belongs to."""

    base: str
    token: str = field(default="", repr=False)

    def as_holder_of(self, token: str) -> Client:
        return replace(self, token=token)

    def get(self, path: str) -> Any:
        """The JSON at a path below /api/v1. Raises `DemoFailed`."""
        return json.loads(self._send("GET", f"/api/v1{path}"))

    def post(self, path: str, body: dict[str, object] | None = None) -> Any:
        """Send JSON, or nothing; what comes back. Raises `DemoFailed`."""
        data = None if body is None else json.dumps(body).encode()
        return json.loads(self._send("POST", f"/api/v1{path}", data))

    def lines(self, path: str) -> list[Any]:
        """The objects of newline-delimited JSON. Raises `DemoFailed`."""
        text = self._send("GET", f"/api/v1{path}")
        return [json.loads(line) for line in text.splitlines() if line]

    def is_ready(self) -> bool:
        """Whether the arena answers and its database is up to date."""
        try:
            self._send("GET", "/readyz")
        except DemoFailed:
            return False
        return True

    def _send(self, method: str, path: str, data: bytes | None = None) -> bytes:
        request = Request(self.base + path, data, self._headers(data), method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310 - loopback, ours
                body: bytes = response.read()
                return body
        except HTTPError as error:
            raise DemoFailed(f"{method} {path} was refused: {_detail(error)}") from None
        except (OSError, HTTPException) as error:
            raise DemoFailed(f"{method} {path} failed: {error}") from None

    def _headers(self, data: bytes | None) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return headers if data is None else {**headers, "Content-Type": "application/json"}


def _detail(error: HTTPError) -> str:
    """The problem's own words, or the status."""
    try:
        problem = json.loads(error.read())
        return f"{error.code} {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return str(error.code)
