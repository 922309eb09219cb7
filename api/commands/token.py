"""`baohuang token`: the way in before anybody has a token."""

from __future__ import annotations

import click

from ..access import MAX_TOKEN_DAYS, ROLE_SCOPES, SCOPES, TOKEN_DAYS
from ..config import Config
from ..models import Role
from ..services import accounts, tokens
from .database import prepared
from .errors import said_plainly


@click.group()
def token() -> None:
    """Make tokens for the API."""


@token.command()
@click.option("--account", required=True, help="Whose it is; a new name makes an account.")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    help="The account's role (needed for a new account).",
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(list(SCOPES)),
    metavar="SCOPE",
    help=f"What it may do, once or more: {', '.join(SCOPES)}. All that the role may, by default.",
)
@click.option(
    "--days",
    type=click.IntRange(1, MAX_TOKEN_DAYS),
    default=TOKEN_DAYS,
    show_default=True,
    help="How long it lives.",
)
@click.option("--name", default="command line", show_default=True, help="What it is for.")
def create(account: str, role: str | None, scopes: tuple[str, ...], days: int, name: str) -> None:
    """Make a token and print it, this once and nothing else, on standard output."""
    with said_plainly(), prepared(Config.from_env()) as database, database.begin() as session:
        owner = accounts.obtain(session, account, None if role is None else Role(role))
        chosen = scopes or ROLE_SCOPES[Role(owner.role)]
        _, text = tokens.create(session, owner, name, chosen, days)
    click.echo(text)
