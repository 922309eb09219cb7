"""What tokens may be: their scopes, what each role may have of them, and how long they live."""

from __future__ import annotations

from typing import Final

from .models import Role

SCOPES: Final[dict[str, str]] = {
    "agents:read": "See your own agents",
    "agents:write": "Register, verify, change, pause and retire your own agents",
    "agents:play": "Play as your own pull agents: fetch their questions and answer them",
    "entries:write": "Enter your own agents in tournaments, withdraw them, have them practise",
    "tournaments:read": "See what is not public of your own tournaments",
    "tournaments:write": "Create and run your own tournaments",
    "webhooks:read": "See your own webhooks and what was sent to them",
    "webhooks:write": "Register, change, pause and delete your own webhooks; send again",
    "rules:write": "Store your own rule sets",
    "results:write": "Rule on results, as an arbiter or in your own tournaments",
    "audit:read": "Read the audit log",
    "tokens:write": "Create, rotate and revoke your own tokens",
    "admin": "Manage accounts, and act on what belongs to others",
}

READ_ONLY: Final = frozenset({"agents:read", "tournaments:read"})

_AUTHOR = READ_ONLY | {"agents:write", "agents:play", "entries:write", "tokens:write"}
_ORGANIZER = (
    _AUTHOR
    | {"tournaments:write", "rules:write", "results:write", "audit:read"}
    | {"webhooks:read", "webhooks:write"}
)
_ARBITER = _AUTHOR | {"results:write", "audit:read"}

ROLE_SCOPES: Final[dict[Role, frozenset[str]]] = {
    Role.AUTHOR: frozenset(_AUTHOR),
    Role.ORGANIZER: frozenset(_ORGANIZER),
    Role.ARBITER: frozenset(_ARBITER),
    Role.ADMIN: frozenset(SCOPES),
}

TOKEN_DAYS: Final = 90  # unless its maker says otherwise
MAX_TOKEN_DAYS: Final = 366
MAX_GRACE_S: Final = 24 * 3600  # how long the old secret may go on after a rotation
