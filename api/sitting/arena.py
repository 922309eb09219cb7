"""The arena as a person's terminal reaches it: the two operations of a pull agent."""

from __future__ import annotations

import json
import socket
import ssl
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException, InvalidURL
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request

from ..authoring.wary import body_of, later, open_here, plain, read
from .requests import require_request

WAIT_S = 20
PAUSE_S = 1.0
MOST_BYTES = 1024 * 1024  # a question has some thousand
MOST_S = 30.0
_LATER = (429, 500, 502, 503, 504)
_NO_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}
_BROKEN_OFF = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)


class ArenaRefused(Exception):
    """The arena said no, in its own words; `status` is HTTP's, 0 if none can be reached."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def _aside(text: str) -> None:
    sys.stderr.write(f"{text}\n")


@dataclass
class Arena:
    """One agent's door. Whatever passes by itself (a restart, a full room) is waited out.

    `tell` is told once why, each time. An address that never answered and never will is refused.
    """

    base: str
    agent_id: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep
    tell: Callable[[str], None] = field(default=_aside, repr=False)
    _answered: bool = field(default=False, init=False, repr=False)
    _waiting: bool = field(default=False, init=False, repr=False)

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
                    answer = read(body_of(response, MOST_BYTES, MOST_S))
                self._answered, self._waiting = True, False
                return answer
            except HTTPError as error:
                with error:
                    if error.code not in _LATER:
                        raise ArenaRefused(error.code, _detail(error)) from None
                    self._answered = True
                    seconds = later(error, 3)
                    self._wait(f"status {error.code}", PAUSE_S if seconds is None else seconds)
            except (OSError, HTTPException) as error:
                why = error.reason if isinstance(error, URLError) else error
                if not self._answered and _for_good(why):
                    raise ArenaRefused(0, f"{self.base} cannot be reached: {_said(why)}") from None
                self._wait(_said(why), PAUSE_S)
            except ValueError as error:
                raise ArenaRefused(200, f"{self.base} is no arena: {error}") from None

    def _wait(self, why: str, seconds: float) -> None:
        if not self._waiting:
            self._waiting = True
            self.tell(plain(f"{self.base} does not answer as it should ({why}); waiting for it."))
        self.sleep(seconds)


def _for_good(why: object) -> bool:
    """Whether no waiting mends it: an address that is none, a name or a certificate."""
    if isinstance(why, socket.gaierror):
        return why.errno in _NO_NAME
    if isinstance(why, ssl.SSLError):
        return not isinstance(why, _BROKEN_OFF)
    return isinstance(why, str | InvalidURL)


def _said(why: object) -> str:
    """A failure in words."""
    if isinstance(why, ssl.SSLCertVerificationError):
        return f"its certificate does not verify: {why.verify_message}"
    if isinstance(why, OSError) and why.strerror:
        return why.strerror
    return str(why) or type(why).__name__


def _detail(error: HTTPError) -> str:
    try:
        return str(read(body_of(error, MOST_BYTES, MOST_S))["detail"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return f"status {error.code}"
