"""Who acts, and what that one may do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ..errors import Forbidden, NotFound
from ..models import Role


@dataclass(frozen=True, slots=True)
class Principal:
    """An account acting through a token; `scopes` are those of both token and role.

    `until` is when the token ends; None where no token is shown (a command, a timer).
    """

    account_id: str
    role: Role | None
    scopes: frozenset[str]
    name: str
    token_id: str = ""
    until: datetime | None = None

    def may(self, scope: str) -> bool:
        """Whether the token carries a scope."""
        return scope in self.scopes

    def require(self, scope: str) -> None:
        """Raise `Forbidden` (`insufficient_scope`) without the scope."""
        if scope not in self.scopes:
            raise insufficient_scope(scope)

    def owns(self, owner_id: str) -> bool:
        """Whether a thing is the caller's own, or the caller may act on everybody's."""
        return self.account_id == owner_id or self.may("admin")

    def require_owner(self, owner_id: str, what: str) -> None:
        """Raise `NotFound` for a thing of others: the caller may not even know of it."""
        if not self.owns(owner_id):
            raise NotFound(f"There is no such {what}.")


ANONYMOUS: Final = Principal(account_id="", role=None, scopes=frozenset(), name="")


def insufficient_scope(scope: str) -> Forbidden:
    """The error for a token without `scope`, with the challenge of RFC 6750."""
    challenge = f'Bearer realm="baohuang", error="insufficient_scope", scope="{scope}"'
    return Forbidden(
        f"The token lacks the scope {scope}.",
        code="insufficient_scope",
        headers={"WWW-Authenticate": challenge},
    )
