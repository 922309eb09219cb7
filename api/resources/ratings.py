"""Ratings across tournaments."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import RatingPool
from ..schemas.ratings import PoolFilters, RatingFilters, RatingPoolSchema, RatingSchema
from ..services import ratings
from ..services.paging import Page

blp = Blueprint("ratings", description="How strong agents are, over all tournaments of a rule set.")


@blp.route("/ratings")
class Pools(MethodView):
    @blp.operation("list_rating_pools", scope=None)
    @blp.page(RatingPoolSchema, PoolFilters)
    def get(self, call: Call) -> Page[RatingPool]:
        """List the rule sets that have ratings

        Each rule set is rated by itself; the oldest first.
        """
        return ratings.search_pools(call.session, **call.query)


@blp.route("/ratings/<ulid:pool_id>")
class Ratings(MethodView):
    @blp.operation("list_ratings", scope=None)
    @blp.page(RatingSchema, RatingFilters)
    def get(self, call: Call, pool_id: str) -> Page[dict[str, Any]]:
        """Show the ratings of a rule set

        The best first, house bots among them. `docs/ratings.md` says what they assume.
        """
        return ratings.search(call.session, pool_id, **call.query)
