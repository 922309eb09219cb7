"""An application with an empty database, and people who call it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
from cryptography.fernet import Fernet
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.app import create_app
from baohuang.api.arena import Arena
from baohuang.api.config import Config
from baohuang.api.models import Account, Base, Role
from baohuang.api.services import tokens

from .specification import operation_at

PREFIX = "/api/v1"


@dataclass
class Caller:
    """Somebody with a token (or without): calls paths below the prefix."""

    client: FlaskClient
    account_id: str = ""
    token: str | None = None

    def call(
        self,
        method: str,
        path: str,
        *,
        key: str | None = None,
        if_match: str | None = None,
        headers: dict[str, str] | None = None,
        **options: Any,
    ) -> TestResponse:
        sent = dict(headers or {})
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        if key is not None:
            sent["Idempotency-Key"] = key
        if if_match is not None:
            sent["If-Match"] = if_match
        where = path if path.startswith(PREFIX) else PREFIX + path
        answer = self.client.open(where, method=method, headers=sent, **options)
        operation = operation_at(self.client.application, method, where)
        if operation is not None:  # whatever a test does: nothing is answered but what is written
            assert answer.status_code in operation.responses, f"{operation}: {answer.get_data()!r}"
        return answer

    def get(self, path: str, **options: Any) -> TestResponse:
        return self.call("GET", path, **options)

    def post(self, path: str, **options: Any) -> TestResponse:
        return self.call("POST", path, **options)

    def patch(self, path: str, **options: Any) -> TestResponse:
        return self.call("PATCH", path, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self.call("DELETE", path, **options)


@dataclass
class Site:
    """An application and its database."""

    app: Flask

    @property
    def arena(self) -> Arena:
        parts: Arena = self.app.extensions["baohuang"]
        return parts

    def caller(
        self, name: str, role: Role = Role.AUTHOR, scopes: Collection[str] | None = None
    ) -> Caller:
        """A new account with a token for all that its role may (or for `scopes`)."""
        with self.arena.database.begin() as session:
            account = Account(name=name, role=role)
            session.add(account)
            session.flush()
            _, text = tokens.create(
                session, account, "test", ROLE_SCOPES[role] if scopes is None else scopes
            )
        return Caller(self.app.test_client(), account.id, text)

    def stranger(self) -> Caller:
        return Caller(self.app.test_client())

    def counts(self) -> dict[str, int]:
        """Rows by table."""
        with self.arena.database.read() as session:
            return {
                name: session.execute(select(func.count()).select_from(table)).scalar_one()
                for name, table in Base.metadata.tables.items()
            }


UNLIMITED = {
    "limit_token": 0,
    "limit_address": 0,
    "limit_logins": 0,
    "limit_verifications": 0,
    "limit_urls": 0,
}


def build(database_url: str, **settings: Any) -> Site:
    """An application on a database that is up to date, without limits unless they are set."""
    config = Config(
        database_url=database_url,
        secret_key=Fernet.generate_key().decode(),
        allow=("127.0.0.0/8",),
        port=1,
        **(UNLIMITED | settings),
    )
    return Site(create_app(config))


@pytest.fixture
def building() -> Iterator[Callable[..., Site]]:
    """`build`, for a test with settings of its own; whatever comes, what it made is closed."""
    with ExitStack() as stack:

        def made(database_url: str, **settings: Any) -> Site:
            site = build(database_url, **settings)
            stack.callback(site.arena.database.dispose)
            return site

        yield made


@pytest.fixture
def site(sqlite_arena: str) -> Iterator[Site]:
    """On SQLite."""
    site = build(sqlite_arena)
    yield site
    site.arena.database.dispose()


@pytest.fixture
def any_site(arena_url: str) -> Iterator[Site]:
    """On either database: a test that asks for it runs twice."""
    site = build(arena_url)
    yield site
    site.arena.database.dispose()


@pytest.fixture
def author(site: Site) -> Caller:
    return site.caller("Ada")


@pytest.fixture
def organizer(site: Site) -> Caller:
    return site.caller("Oleg", Role.ORGANIZER)


@pytest.fixture
def admin(site: Site) -> Caller:
    return site.caller("Root", Role.ADMIN)
