"""Forms: sent by one of our own pages, in the browser that got it, and read strictly.

Every form carries a key that is worked out from the browser's cookie, so only who sees our page can
know it. Where the browser says from where a form was sent, that has to be here.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from flask import request
from werkzeug.datastructures import MultiDict

from ..arena import arena
from ..errors import Forbidden, Invalid, UnsupportedMediaType
from ..http import body
from .blueprint import blp

FIELD = "form_key"
HEADER = "X-Form-Key"
SURE = "sure"
MAX_FORM = 16 * 1024
TYPE = "application/x-www-form-urlencoded"


def key_for(cookie: str) -> str:
    """The key of the forms that a browser with this cookie gets."""
    return hmac.digest(arena().vault.derive("forms"), cookie.encode(), "sha256").hex()


def require_own(*cookies: str | None) -> None:
    """Raise `Forbidden` unless the present request was sent by a page of ours.

    It was made for one of these cookies of the browser. Scripts send the key in the header
    `X-Form-Key`, forms in the field `form_key`.
    """
    _require_origin()
    given = (request.headers.get(HEADER) or _sent().get(FIELD, "")).encode()
    keys = [key_for(cookie).encode() for cookie in cookies if cookie is not None]
    if not any(hmac.compare_digest(given, key) for key in keys):
        raise Forbidden(
            "The form is too old, or was not one of this server's. Load the page again.",
            code="form_key",
        )


def read(*names: str, lists: Iterable[str] = ()) -> dict[str, str]:
    """The named fields of the form, without blanks around them; raises `Invalid` for others."""
    sent = _sent()
    unknown = set(sent) - {FIELD, *names, *lists}
    if unknown:
        raise Invalid([(f"/{min(unknown)}", "unknown", "The form has no such field.")])
    return {name: sent.get(name, "").strip() for name in names}


def read_list(name: str) -> list[str]:
    """All values of a field that may be there several times."""
    return _sent().getlist(name)


def require_sure() -> None:
    """Raise `Invalid` unless the box beside the button was ticked: there is no way back."""
    if _sent().get(SURE) != "yes":
        raise Invalid([(f"/{SURE}", "required", "Say that you are sure.")])


def _sent() -> MultiDict[str, str]:
    if request.mimetype not in ("", TYPE):
        raise UnsupportedMediaType(f"Forms are sent as {TYPE}.")
    request.max_content_length = MAX_FORM
    return request.form


@blp.before_request
def _fetch() -> None:
    """Have the form here before a session is opened, and however long the browser takes."""
    if request.method == "POST":
        body.fetch(request, MAX_FORM)


def _require_origin() -> None:
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site not in (None, "same-origin") or (
        origin is not None and origin.partition("://")[2] != request.host
    ):
        raise Forbidden("The form was sent from another site.", code="form_origin")
