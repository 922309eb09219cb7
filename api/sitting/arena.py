"""The arena as a person's terminal reaches it: the two operations of a pull agent."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

from ..authoring.wary import body_of, open_here, read
from .requests import require_request

WAIT_S = 20
PAUSE_S = 1.0
MOST_BYTES = 1024 * 1024  # a question has some thousand
MOST_S = 30.0
_LATER = (429, 500, 502, 503, 504)


class ArenaRefused(Exception):
    """The arena said no, in its own words; `status` is HTTP's."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


@dataclass(frozen=True)
class Arena:
    """One agent's door. Whatever passes by itself (a restart, a full room) is waited out."""

    base: str
    agent_id: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep

    def fetch(self) -> dict[str, Any] | None:
        """The next request; None if none came in time. Raises `ArenaRefused`."""
        found: dict[str, Any] | None = self._send(
            "GET", f"/agents/{self.agent_id}/decisions?wait={WAIT_S}"
        )
        if found is not None:
            try:
                require_request(found)
            except ValueError as error:
                detail = f"What {self.base} asks cannot be shown: {error}."
                raise ArenaRefused(200, detail) from None
        return found

    def answer(self, request: str, answer: str) -> None:
        """Raises `ArenaRefused`, with 409 or 404 for an answer that is too late."""
        self._send("POST", f"/decisions/{request}", {"request": request, "answer": answer})

    def _send(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        url = f"{self.base.rstrip('/')}/api/v1{path}"
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        while True:
            try:
                request = Request(url, data, headers, method=method)  # noqa: S310 - checked by sit
                with open_here(request, timeout=WAIT_S + 10) as response:
                    return read(body_of(response, MOST_BYTES, MOST_S))
            except HTTPError as error:
                with error:
                    if error.code not in _LATER:
                        raise ArenaRefused(error.code, _detail(error)) from None
                    self.sleep(_pause(error))
            except (OSError, HTTPException):
                self.sleep(PAUSE_S)
            except ValueError as error:
                raise ArenaRefused(200, f"{self.base} is no arena: {error}") from None


def _pause(error: HTTPError) -> float:
    """Seconds by `Retry-After`, if it says so many."""
    text = error.headers.get("Retry-After") or ""
    return float(text) if text.isascii() and text.isdecimal() and len(text) < 4 else PAUSE_S


def _detail(error: HTTPError) -> str:
    try:
        return str(read(body_of(error, MOST_BYTES, MOST_S))["detail"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return f"status {error.code}"
