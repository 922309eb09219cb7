"""`--secret`: with what calls to bots are signed, refused at once if it is no secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..remote.signing import decode_secret


class Secret(click.ParamType[str]):
    """A `whsec_…`. What was typed instead of one may be a secret too, so it is not repeated."""

    name = "whsec"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """The secret as it is."""
        try:
            decode_secret(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value)


def secret_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--secret`, several times if need be, or AGENT_SECRET."""
    return click.option(
        "--secret",
        multiple=True,
        type=Secret(),
        metavar="whsec_…",
        envvar="AGENT_SECRET",
        help=f"{meaning}; also in AGENT_SECRET.",
    )
