"""Who somebody is according to whom, apart from what he may do here.

An identity is a pair: an issuer, and the subject that it vouches for. Today there is one issuer,
`token`: this server, by a token that it has given out; the subject is the token's id. An identity
is made once, from what is shown at log-in, and turned into a `Principal` at every request, so that
what the issuer takes back is gone at once.

An OpenID provider will be a further issuer (its URL; the subject is its `sub`), with a row in
`PRINCIPALS` and a table of which account is whose. Logins (models/logins.py) have the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from ..errors import Unauthorized
from . import tokens
from .tokens import Known

TOKEN: Final = "token"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a log-in has proved; no secret."""

    issuer: str
    subject: str


def of_token(session: Session, text: str) -> tuple[Identity, Known]:
    """The identity that a token's text proves. Raises `Unauthorized`."""
    known = tokens.identify(session, text)
    return Identity(TOKEN, known.token_id), known


def principal_of(session: Session, identity: Identity) -> Known:
    """Who acts under an identity, and what he may do now. Raises `Unauthorized` if it has ended."""
    find = PRINCIPALS.get(identity.issuer)
    if find is None:
        raise Unauthorized("Nobody vouches for this login any more.")
    return find(session, identity.subject)


PRINCIPALS: Final[Mapping[str, Callable[[Session, str], Known]]] = {TOKEN: tokens.known}
