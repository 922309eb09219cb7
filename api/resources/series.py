"""Series: tournaments that come again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import Series, utc_now
from ..schemas.series import SeriesCreate, SeriesSchema, SeriesUpdate
from ..services import series
from ..services.paging import Page
from ..services.rows import columns

blp = Blueprint("series", description="Tournaments that come again, by the clock of a time zone.")


@blp.route("/series")
class SeriesList(MethodView):
    @blp.operation("list_series", scope="tournaments:read")
    @blp.page(SeriesSchema)
    def get(self, call: Call) -> Page[dict[str, Any]]:
        """List your series

        The oldest first, each with its next starts.
        """
        page = series.search(call.session, call.actor, **call.query)
        return Page(_shown(call, page.items), page.after)

    @blp.operation("create_series", scope="tournaments:write")
    @blp.arguments(SeriesCreate)
    @blp.response(201, SeriesSchema)
    def post(self, call: Call) -> dict[str, Any]:
        """Create a series

        Each of its tournaments is made and opened some time ahead and starts by itself.
        """
        made = series.create(call.session, call.actor, call.body)
        return _shown(call, [made])[0]


@blp.route("/series/<ulid:series_id>")
class SeriesById(MethodView):
    @blp.operation("get_series", scope="tournaments:read")
    @blp.response(200, SeriesSchema)
    def get(self, call: Call, series_id: str) -> dict[str, Any]:
        """Show a series

        With its next starts, as clocks show them there.
        """
        found = series.find(call.session, call.actor, series_id)
        return _shown(call, [found])[0]

    @blp.operation("update_series", scope="tournaments:write")
    @blp.arguments(SeriesUpdate)
    @blp.response(200, SeriesSchema)
    def patch(self, call: Call, series_id: str) -> dict[str, Any]:
        """Change a series

        What it has made stays as it is; what it makes from now on follows the change.
        """
        changed = series.change(call.session, call.actor, series_id, call.version, call.body)
        return _shown(call, [changed])[0]

    @blp.operation("delete_series", scope="tournaments:write")
    @blp.response(204)
    def delete(self, call: Call, series_id: str) -> None:
        """Delete a series

        It makes no more tournaments; those that it made stay.
        """
        series.remove(call.session, call.actor, series_id, call.version)


def _shown(call: Call, found: Sequence[Series]) -> list[dict[str, Any]]:
    waiting = series.waiting(call.session, [each.id for each in found])
    now = utc_now()
    return [
        {
            **columns(each),
            "open_tournaments": waiting[each.id],
            "next_runs": series.next_runs(each, now),
        }
        for each in found
    ]
