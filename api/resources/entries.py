"""Entries: who takes part in a tournament."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Entry
from ..schemas.entries import EntryCreate, EntrySchema
from ..services import entries
from ..services.paging import Page

blp = Blueprint("entries", description="Who takes part: agents, and house bots in free seats.")


@blp.route("/tournaments/<ulid:tournament_id>/entries")
class Entries(MethodView):
    @blp.operation("list_entries", scope=None)
    @blp.page(EntrySchema)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the entries of a tournament

        In the order in which they came; the withdrawn are marked.
        """
        return entries.search(call.session, call.actor, tournament_id, **call.query)

    @blp.operation("create_entry", scope="entries:write")
    @blp.arguments(EntryCreate)
    @blp.response(201, EntrySchema, location="/api/v1/entries/{id}")
    def post(self, call: Call, tournament_id: str) -> Entry:
        """Enter an agent

        One of yours that is active, once, while the tournament is open and has room. Its organizer
        may enter any agent, and house bots.
        """
        return entries.enter(call.session, call.actor, tournament_id, **call.body)


@blp.route("/entries/<ulid:entry_id>")
class EntryById(MethodView):
    @blp.operation("get_entry", scope=None)
    @blp.response(200, EntrySchema)
    def get(self, call: Call, entry_id: str) -> Entry:
        """Show an entry

        An agent, or a house bot that fills a free seat.
        """
        return entries.find(call.session, entry_id)

    @blp.operation("withdraw_entry", scope="entries:write", errors=(409,))
    @blp.response(204)
    def delete(self, call: Call, entry_id: str) -> None:
        """Withdraw an entry

        Before the start it goes. Afterwards its results stay and it is marked as withdrawn: the
        server plays its seats from its next match on.
        """
        entries.withdraw(call.session, call.actor, entry_id, call.version)
