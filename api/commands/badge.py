"""The report and the badge that `check-bot` leaves behind."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version

from ..remote.conformance import Finding

GREEN, RED = "#2e7d32", "#c62828"
LABEL = "bot protocol 1"
_CHAR_PX, _PAD_PX = 6.6, 8

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img"
 aria-label="{label}: {said}">
<title>{label}: {said} ({day})</title>
<rect width="{left}" height="20" fill="#444"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{left_middle}" y="14">{label}</text>
<text x="{right_middle}" y="14">{said}</text>
</g>
</svg>
"""


def passed(found: Sequence[Finding]) -> bool:
    """Whether nothing failed; warnings do not count."""
    return all(finding.verdict != "failed" for finding in found)


def report(url: str, found: Sequence[Finding], now: datetime) -> str:
    """All findings as JSON, for programs."""
    said = {
        "format": "baohuang-check/1",
        "protocol": 1,
        "checker": version("baohuang-arena"),
        "at": now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "url": url,
        "passed": passed(found),
        "findings": [asdict(finding) for finding in found],
    }
    return json.dumps(said, indent=1) + "\n"


def badge(found: Sequence[Finding], now: datetime) -> str:
    """An SVG picture for an agent's own page: how many checks it passed, and when."""
    good = sum(finding.verdict != "failed" for finding in found)
    said = f"{good} of {len(found)} checks"
    left, right = _px(LABEL), _px(said)
    return _SVG.format(
        label=LABEL,
        said=said,
        day=now.astimezone(UTC).date().isoformat(),
        colour=GREEN if passed(found) else RED,
        width=left + right,
        left=left,
        right=right,
        left_middle=left // 2,
        right_middle=left + right // 2,
    )


def _px(text: str) -> int:
    return round(len(text) * _CHAR_PX) + 2 * _PAD_PX
