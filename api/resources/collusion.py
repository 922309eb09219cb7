"""The report on one-sided help between entries."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..schemas.collusion import CollusionSchema
from ..services import collusion

blp = Blueprint("collusion", description="Whether entries help each other.")


@blp.route("/tournaments/<ulid:tournament_id>/collusion")
class Collusion(MethodView):
    @blp.operation("get_collusion", scope="results:write")
    @blp.response(200, CollusionSchema)
    def get(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Look for entries that help each other

        For the organizer and arbiters. Compares what two entries make on boards that both sat at
        with what their strengths, measured on boards without the other, let one expect; hands that
        others held as well are compared with what these made. A small chance is a reason to look at
        the records, no proof. 503 with the code `working`: more is asked for than is worked out at
        once.
        """
        call.tagged(collusion.tag(call.session, call.actor, tournament_id))
        figures = call.arena.figures
        return collusion.report(call.session, call.actor, tournament_id, figures)
