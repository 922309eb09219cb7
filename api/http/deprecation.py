"""Operations that will go: every answer says since when they are deprecated and when they end.

`Deprecation` is RFC 9745, `Sunset` RFC 8594. What else clients are owed: openapi/breaking.toml.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from flask import Flask, Response, g
from werkzeug.http import http_date


@dataclass(frozen=True)
class Deprecation:
    """Deprecated since the first moment of a day (UTC), gone on another.

    `link` leads to a page that says what to use instead.
    """

    since: date
    sunset: date
    link: str | None = None

    def __post_init__(self) -> None:
        if self.sunset <= self.since:
            raise ValueError("the sunset comes after the day of the deprecation")

    def headers(self) -> Iterator[tuple[str, str]]:
        """What every answer carries."""
        yield "Deprecation", f"@{_moment(self.since).timestamp():.0f}"
        yield "Sunset", http_date(_moment(self.sunset))
        if self.link is not None:
            yield "Link", f'<{self.link}>; rel="deprecation"'


def register(app: Flask) -> None:
    """Say it in the answers of an application, refusals included."""
    app.after_request(_tell)


def _tell(response: Response) -> Response:
    deprecation: Deprecation | None = g.get("deprecation")
    if deprecation is not None:
        response.headers.extend(deprecation.headers())
    return response


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
