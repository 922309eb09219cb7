"""An arena's API as a terminal uses it: JSON over HTTP, with the standard library alone."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request

from .shapes import Maybe, Row, Shape, fit
from .wary import body_of, later, open_here, read

TIMEOUT_S = 40  # verifying an agent may take ten seconds, replaying a call as long
STARTS_S = 20  # how long an arena that is being started is waited for
PAUSE_S = 0.5
MOST_PAGES = 10_000  # of a list: more than any list has
PROBLEM_BYTES = 1024 * 1024
ANYTHING: Shape = {}


class ArenaRefused(Exception):
    """The arena said no, or nothing: one sentence for people, and codes for programs."""

    def __init__(self, detail: str, codes: Collection[str] = ()) -> None:
        super().__init__(detail)
        self.codes = codes


@dataclass(frozen=True)
class Arena:
    """One arena, as whoever the token belongs to. Paths are below /api/v1.

    `shape` is what an answer must have; one without it is refused as no answer at all.
    """

    base: str
    token: str = field(repr=False)
    sleep: Callable[[float], None] = time.sleep

    def get(self, path: str, shape: Shape = ANYTHING) -> Any:
        """What is there. Raises `ArenaRefused`."""
        return self._shaped(path, self._send("GET", path)[0], shape)

    def post(
        self, path: str, body: Mapping[str, object] | None = None, shape: Shape = ANYTHING
    ) -> Any:
        """What comes back. Raises `ArenaRefused`."""
        sent = json.dumps(body or {}).encode()
        return self._shaped(path, self._send("POST", path, sent)[0], shape)

    def tag(self, path: str) -> str | None:
        """The ETag of what is there now. Raises `ArenaRefused`."""
        return self._send("GET", path)[1]

    def delete(self, path: str, tag: str | None) -> None:
        """Do away with what has this ETag. Raises `ArenaRefused`, for what has changed too."""
        self._send("DELETE", path, if_match=tag)

    def items(self, path: str, shape: Shape = ANYTHING) -> Iterator[dict[str, Any]]:
        """Every item of a list, page by page. Raises `ArenaRefused`."""
        cursor = ""
        for _ in range(MOST_PAGES):
            page = self.get(f"{path}?limit=100{cursor}", {"items": Row(shape), "next": Maybe(str)})
            yield from page["items"]
            if page["next"] is None:
                return
            cursor = "&cursor=" + quote(page["next"], safe="")
        raise ArenaRefused(f"{path} has no end: {MOST_PAGES} pages were read.")

    def _shaped(self, path: str, answer: Any, shape: Shape) -> Any:
        try:
            fit(answer, shape)
        except ValueError as error:
            raise ArenaRefused(f"What {self.base} answers to {path} is wrong: {error}.") from None
        return answer

    def _send(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        if_match: str | None = None,
    ) -> tuple[Any, str | None]:
        """The JSON that comes back, and its ETag."""
        url = f"{self.base.rstrip('/')}/api/v1{path}"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if if_match is not None:
            headers["If-Match"] = if_match
        request = Request(url, data, headers, method=method)  # noqa: S310 - checked by the command
        try:
            body, tag = self._body(request)
            return read(body), tag
        except HTTPError as error:
            with error:
                raise _refusal(error) from None
        except (OSError, HTTPException, ValueError) as error:
            raise ArenaRefused(f"{self.base} does not answer: {error}") from None

    def _body(self, request: Request) -> tuple[bytes, str | None]:
        """The answer's body and ETag. While nobody listens nothing was sent: it is tried again."""
        end = time.monotonic() + STARTS_S
        while True:
            try:
                with open_here(request, timeout=TIMEOUT_S) as response:
                    return body_of(response), response.headers["ETag"]
            except URLError as error:
                listening = not isinstance(error.reason, ConnectionRefusedError)
                if listening or time.monotonic() > end:
                    raise
                self.sleep(PAUSE_S)


def _refusal(error: HTTPError) -> ArenaRefused:
    """The problem in the arena's own words."""
    try:
        problem = read(body_of(error, PROBLEM_BYTES))
        codes = {problem["code"], *(each["code"] for each in problem.get("errors", ()))}
        return ArenaRefused(f"{problem['detail']}{_again(error)}", codes)
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return ArenaRefused(f"The arena answered with status {error.code}.")


def _again(error: HTTPError) -> str:
    """When it may be asked again, if the answer says so in seconds."""
    seconds = later(error, 7)
    return "" if seconds is None else f" Try again in {seconds} s."
