"""What went wrong with a call, as a value: it is stored, shown to the owner, and never raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Kind = Literal[
    "dns", "connect", "tls", "blocked", "timeout", "status", "redirect", "content_type",
    "too_large", "malformed", "schema", "stale", "illegal", "server",
]  # fmt: skip
ChargedTo = Literal["bot", "network", "server"]

KINDS: tuple[Kind, ...] = get_args(Kind)
MAX_DETAIL = 300
LAG_SECONDS = 0.25  # an alarm that rings later than this was delayed by our own event loop


@dataclass(frozen=True, slots=True)
class Fault:
    """`kind` and `charged_to` are contract.md 4; `detail` is one sentence for the agent's owner.

    `ms`: the whole call. `own_ms`: how long of that the agent had the request, less the network's
    share; 0 if it was never sent. `status`: the HTTP status of an answer that had a wrong one,
    else 0.
    """

    kind: Kind
    charged_to: ChargedTo
    detail: str
    ms: int = 0
    status: int = 0
    own_ms: int = 0


TOO_BUSY = Fault("server", "server", "this server was too busy to keep the deadline")


def excerpt(text: str, length: int = 60) -> str:
    """A stranger's text made harmless for a detail: ASCII, no control characters, short."""
    shown = ascii(text[: length + 1])
    return shown if len(text) <= length and len(shown) <= 2 * length else f"{shown[:length]}…"
