"""Accounts, for admins; and who one is."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import ANY_TOKEN, Blueprint, Call
from ..models import Account
from ..schemas.accounts import AccountCreate, AccountSchema, AccountUpdate, WhoAmI
from ..schemas.tokens import TokenCreate, TokenCreated
from ..services import accounts, tokens
from ..services.paging import Page
from ..services.rows import columns

blp = Blueprint("accounts", description="Who may act here, and as what.")


@blp.route("/accounts")
class Accounts(MethodView):
    @blp.operation("list_accounts", scope="admin")
    @blp.page(AccountSchema)
    def get(self, call: Call) -> Page[Account]:
        """List accounts

        Oldest first.
        """
        return accounts.search(call.session, **call.query)

    @blp.operation("create_account", scope="admin")
    @blp.arguments(AccountCreate)
    @blp.response(201, AccountSchema)
    def post(self, call: Call) -> Account:
        """Create an account

        Its first token is made by `create_account_token`.
        """
        return accounts.create(call.session, **call.body)


@blp.route("/accounts/me")
class Me(MethodView):
    @blp.operation("get_own_account", scope=ANY_TOKEN)
    @blp.response(200, WhoAmI)
    def get(self, call: Call) -> dict[str, Any]:
        """Show who you are

        The account behind the token, and what the token may do.
        """
        return accounts.who(call.actor)


@blp.route("/accounts/<ulid:account_id>")
class AccountById(MethodView):
    @blp.operation("get_account", scope="admin")
    @blp.response(200, AccountSchema)
    def get(self, call: Call, account_id: str) -> Account:
        """Show an account

        Any account, for admins; your own is at `/accounts/me`.
        """
        return accounts.find(call.session, account_id)

    @blp.operation("update_account", scope="admin", errors=[409])
    @blp.arguments(AccountUpdate)
    @blp.response(200, AccountSchema)
    def patch(self, call: Call, account_id: str) -> Account:
        """Change an account

        A new role counts from the next request on, for the account's old tokens too.
        """
        return accounts.update(call.session, account_id, call.version, **call.body)


@blp.route("/accounts/<ulid:account_id>/tokens")
class AccountTokens(MethodView):
    @blp.operation("create_account_token", scope="admin")
    @blp.arguments(TokenCreate)
    @blp.response(201, TokenCreated, location="/api/v1/tokens/{id}")
    def post(self, call: Call, account_id: str) -> dict[str, Any]:
        """Create a token for an account

        The first token of somebody who is let in. Its text is in this answer only. One for your own
        account ends no later than the token that asks for it.
        """
        account = accounts.find(call.session, account_id)
        token, text = tokens.create_for(call.session, call.actor, account, **call.body)
        return {**columns(token), "token": text}
