"""Who looks at a page, and how a page begins.

A page is a function with two decorators: its route, and `page` (it reads) or `action` (a form was
sent; it writes). Both say which scope is needed, count the request, and hand over a `Visit`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from flask import Response, g, make_response, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from .. import limits
from ..arena import Arena, arena
from ..auth import write_down_use
from ..services import logins
from ..services.principal import ANONYMOUS, Principal
from ..trail import Origin, acting
from . import cookies, forms
from .blueprint import LoginNeeded, blp

Answer = TypeVar("Answer", bound=str | AnyResponse)


@dataclass
class Visit:
    """One request for a page: who looks, through which login, in which transaction."""

    arena: Arena
    session: Session
    actor: Principal
    login_id: str | None
    cookie: str | None

    @property
    def logged_in(self) -> bool:
        """Whether it is somebody."""
        return self.login_id is not None

    def show(self, template: str, **values: Any) -> str:
        """A page; templates see the visit as `visit`."""
        return render_template(template, visit=self, **values)

    def show_form(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page with a form for somebody who has no cookie yet, too."""
        fresh = self.cookie is None
        if fresh:
            self.cookie = secrets.token_urlsafe(32)
        response = make_response(self.show(template, **values), status)
        if fresh and self.cookie is not None:
            cookies.give(response, cookies.FORM, self.cookie)
        g.personal = True
        return response

    @property
    def form_key(self) -> str:
        """What every form of the page carries in the field `form_key`."""
        return "" if self.cookie is None else forms.key_for(self.cookie)


def page(
    scope: str | None = None,
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """A page that reads. `scope` as in the API: None: everybody may, `ANY_TOKEN`: who is logged in.

    Who is not logged in is sent to log in first, and comes back.
    """

    def decorate(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(view)
        def answer(**path: Any) -> Answer:
            with arena().database.read() as session:
                return view(enter(session, scope), **path)

        return answer

    return decorate


def action(
    scope: str | None,
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """What a form does: in one write transaction, and only for a form of ours."""

    def decorate(view: Callable[..., Answer]) -> Callable[..., Answer]:
        @wraps(view)
        def answer(**path: Any) -> Answer:
            parts = arena()
            with parts.database.read() as session:
                visit = enter(session, scope)
            forms.require_own(visit.cookie)
            with acting(origin(visit)), parts.database.begin() as session:
                visit.session = session
                return view(visit, **path)

        return answer

    return decorate


def enter(session: Session, scope: str | None) -> Visit:
    """Who sent the present request, within the limits, and with the scope.

    A cookie that is no login, or one that has ended, counts as nobody. Raises `TooMany`,
    `LoginNeeded` and `Forbidden`.
    """
    cookie = cookies.given(cookies.LOGIN)
    present = logins.resume(session, cookie) if cookie else None
    if present is None:
        limits.by_address()
        if scope is not None:
            raise LoginNeeded("Log in first.")
        return Visit(arena(), session, ANONYMOUS, None, cookies.given(cookies.FORM) or cookie)
    known = present.known
    g.personal = True
    g.token_id = known.token_id
    limits.by_token(known.token_id)
    if present.needs_touch:
        g.used_login = present.login_id
    if known.needs_touch:
        g.used_token = known.token_id
    visit = Visit(arena(), session, known.principal, present.login_id, cookie)
    g.visit = visit
    if scope:
        known.principal.require(scope)
    return visit


def origin(visit: Visit) -> Origin:
    """Who the audit log names."""
    name = str(request.endpoint)
    return Origin(name, visit.actor.account_id or None, g.get("token_id"), g.request_id)


@blp.after_request
def touch(response: Response) -> Response:
    """Write down that a login was used, after the page's own transactions."""
    write_down_use("used_login", logins.touch, "login")
    return response
