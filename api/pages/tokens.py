"""One's own account: who one is, and one's tokens: make, revoke."""

from __future__ import annotations

from flask import redirect
from werkzeug.wrappers import Response

from ..access import MAX_TOKEN_DAYS, SCOPES, TOKEN_DAYS
from ..auth import ANY_TOKEN
from ..errors import Invalid
from ..services import tokens
from . import forms, places
from .blueprint import blp
from .visit import Visit, action, page

ROWS = 100
NAME_CHARS = 100


@blp.get("/account")
@page(ANY_TOKEN)
def account(visit: Visit) -> str:
    """Who one is, and what the login may do."""
    return visit.show("account.html", scopes=_scopes(visit))


@blp.get("/tokens")
@page("tokens:write")
def own_tokens(visit: Visit) -> str:
    """All of them, the oldest first, those that have ended too."""
    return _shown(visit, places.row())


@blp.post("/tokens")
@action("tokens:write")
def create_token(visit: Visit) -> Response:
    """A further token; its text is on this one page and nowhere else.

    It ends with the one of this login at the latest.
    """
    given = forms.read("name", "days", lists=["scopes"])
    scopes = forms.read_list("scopes")
    name, days = _name(given["name"]), _days(given["days"])
    token, text = tokens.create_own(visit.session, visit.actor, name, scopes or None, days)
    return visit.show_form("token.html", 201, token=token, text=text)


@blp.post("/tokens/<ulid:token_id>/revoke")
@action("tokens:write")
def revoke_token(visit: Visit, token_id: str) -> Response:
    """It is refused from now on, and logins by it have ended. For good, so that asks."""
    forms.read(forms.SURE)
    forms.require_sure()
    tokens.revoke(visit.session, visit.actor, token_id)
    return redirect("/tokens", 303)


def _shown(visit: Visit, after: tuple[object, ...] | None) -> str:
    found = tokens.search(visit.session, visit.actor, after, ROWS)
    return visit.show(
        "tokens.html",
        tokens=found.items,
        more=places.following(found),
        scopes=_scopes(visit),
        days=TOKEN_DAYS,
        max_days=MAX_TOKEN_DAYS,
        max_name=NAME_CHARS,
    )


def _scopes(visit: Visit) -> dict[str, str]:
    """What the login may do, in words."""
    return {scope: SCOPES[scope] for scope in SCOPES if visit.actor.may(scope)}


def _name(text: str) -> str:
    if not 1 <= len(text) <= NAME_CHARS or not text.isprintable():
        raise Invalid([("/name", "length", f"Give it a name of 1 to {NAME_CHARS} characters.")])
    return text


def _days(text: str) -> int:
    days = int(text) if text.isascii() and text.isdecimal() and len(text) <= 4 else 0
    if not 1 <= days <= MAX_TOKEN_DAYS:
        raise Invalid([("/days", "range", f"It may live 1 to {MAX_TOKEN_DAYS} days.")])
    return days
