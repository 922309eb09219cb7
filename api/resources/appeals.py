"""Appeals of agents' owners, and decisions about them."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Appeal
from ..schemas.appeals import AppealCreate, AppealDecision, AppealFilters, AppealSchema
from ..services import appeals
from ..services.paging import Page

blp = Blueprint("appeals", description="What owners hold against matches and rulings.")


@blp.route("/tournaments/<ulid:tournament_id>/appeals")
class Appeals(MethodView):
    @blp.operation("list_appeals", scope=None)
    @blp.page(AppealSchema, AppealFilters)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the appeals of a tournament

        In order, with what was decided. Where a round that runs shows no names, appeals about its
        matches are for those who judge and for their makers until it has ended.
        """
        return appeals.search(call.session, call.actor, tournament_id, **call.query)

    @blp.operation("create_appeal", scope="entries:write", errors=(409,))
    @blp.arguments(AppealCreate)
    @blp.response(201, AppealSchema, location="/api/v1/appeals/{id}")
    def post(self, call: Call, tournament_id: str) -> Appeal:
        """Appeal

        For your agent's entry: about a match that it sat in, or about a ruling, for as long after
        its end as the tournament's `appeal_window_s` says. Once; it changes nothing by itself.
        """
        return appeals.make(call.session, call.actor, tournament_id, **call.body)


@blp.route("/appeals/<ulid:appeal_id>")
class AppealById(MethodView):
    @blp.operation("get_appeal", scope=None)
    @blp.response(200, AppealSchema)
    def get(self, call: Call, appeal_id: str) -> Appeal:
        """Show an appeal

        With the decision, once there is one.
        """
        return appeals.find(call.session, call.actor, appeal_id)


@blp.route("/appeals/<ulid:appeal_id>/decide")
class AppealDecisions(MethodView):
    @blp.operation("decide_appeal", scope="results:write", errors=(409,))
    @blp.arguments(AppealDecision)
    @blp.response(200, AppealSchema)
    def post(self, call: Call, appeal_id: str) -> Appeal:
        """Decide about an appeal

        The organizer and arbiters may, an arbiter not about a ruling of his own. What is to change
        is a ruling; make it first and name it here.
        """
        return appeals.decide(call.session, call.actor, appeal_id, **call.body)


@blp.route("/appeals/<ulid:appeal_id>/withdraw")
class AppealWithdrawal(MethodView):
    @blp.operation("withdraw_appeal", scope="entries:write", errors=(409,))
    @blp.response(200, AppealSchema)
    def post(self, call: Call, appeal_id: str) -> Appeal:
        """Take an appeal back

        As long as nothing is decided.
        """
        return appeals.withdraw(call.session, call.actor, appeal_id)
