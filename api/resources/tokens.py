"""A caller's own tokens."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import Token
from ..schemas.tokens import TokenCreate, TokenCreated, TokenRotate, TokenSchema
from ..services import tokens
from ..services.paging import Page
from ..services.rows import columns

blp = Blueprint("tokens", description="Bearer tokens: how programs prove whose they are.")


@blp.route("/tokens")
class Tokens(MethodView):
    @blp.operation("list_tokens", scope="tokens:write")
    @blp.page(TokenSchema)
    def get(self, call: Call) -> Page[Token]:
        """List your tokens

        Oldest first, revoked and expired ones included. Their texts are not kept anywhere.
        """
        return tokens.search(call.session, call.actor, **call.query)

    @blp.operation("create_token", scope="tokens:write")
    @blp.arguments(TokenCreate)
    @blp.response(201, TokenCreated)
    def post(self, call: Call) -> dict[str, Any]:
        """Create a token

        It can do no more than the token that asks for it, and ends no later. Its text is in this
        answer only.
        """
        return _with_text(*tokens.create_own(call.session, call.actor, **call.body))


@blp.route("/tokens/<ulid:token_id>")
class TokenById(MethodView):
    @blp.operation("get_token", scope="tokens:write")
    @blp.response(200, TokenSchema)
    def get(self, call: Call, token_id: str) -> Token:
        """Show a token

        One of your own. Its text is not kept anywhere.
        """
        return tokens.find(call.session, call.actor, token_id)


@blp.route("/tokens/<ulid:token_id>/revoke")
class TokenRevoke(MethodView):
    @blp.operation("revoke_token", scope="tokens:write")
    @blp.response(200, TokenSchema)
    def post(self, call: Call, token_id: str) -> Token:
        """Revoke a token

        It is refused from the next request on. Revoking it again changes nothing.
        """
        return tokens.revoke(call.session, call.actor, token_id)


@blp.route("/tokens/<ulid:token_id>/rotate")
class TokenRotation(MethodView):
    @blp.operation("rotate_token", scope="tokens:write")
    @blp.arguments(TokenRotate, required=False)
    @blp.response(201, TokenCreated, location="/api/v1/tokens/{id}")
    def post(self, call: Call, token_id: str) -> dict[str, Any]:
        """Replace a token by a new one

        The new one has the same name, scopes and lifetime; the old one ends after `grace_s`. It
        ends by `ends_by` at the latest, and with the token that asks, if that is another one.
        """
        return _with_text(*tokens.rotate(call.session, call.actor, token_id, **call.body))


def _with_text(token: Token, text: str) -> dict[str, Any]:
    return {**columns(token), "token": text}
