"""Accounts: who there is. Only an admin makes and changes them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Invalid
from ..models import Account, Role
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, unique, update_versioned


def create(session: Session, name: str, role: Role) -> Account:
    """A new account; raises `Conflict` for a name that another one has."""
    account = Account(name=name, role=role)
    with unique("/name"):
        session.add(account)
        session.flush()
    return account


def obtain(session: Session, name: str, role: Role | None) -> Account:
    """The account with this name, made with `role` if there is none.

    Raises `Invalid` when it must be made without a role, or has another role.
    """
    found = named(session, name)
    if found is None:
        if role is None:
            raise Invalid([("--role", "required", f"There is no account {name} yet.")])
        return create(session, name, role)
    if role not in (None, found.role):
        raise Invalid([("--role", "role", f"The account {name} has the role {found.role}.")])
    return found


def named(session: Session, name: str) -> Account | None:
    """The account with this name, if there is one."""
    return session.scalar(select(Account).where(Account.name == name))


def find(session: Session, account_id: str) -> Account:
    """An account by its id."""
    return get_row(session, Account, account_id)


def who(actor: Principal) -> dict[str, Any]:
    """Who the caller is, and what the token may do."""
    return {
        "account_id": actor.account_id,
        "name": actor.name,
        "role": actor.role,
        "scopes": sorted(actor.scopes),
    }


def search(session: Session, after: tuple[object, ...] | None, limit: int) -> Page[Account]:
    """All accounts, oldest first."""
    return page_of(session, select(Account), [Account.id], after, limit)


def update(session: Session, account_id: str, version: int, **values: Any) -> Account:
    """Rename an account or give it another role; its tokens lose what the role may not."""
    with unique("/name"):
        return update_versioned(session, Account, account_id, version, **values)
