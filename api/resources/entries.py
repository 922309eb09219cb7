"""Entries: who takes part in a tournament."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Entry, EntryStatus
from ..schemas.entries import (
    BulkEntries,
    EntriesEntered,
    EntryCreate,
    EntryFilters,
    EntrySchema,
    EntryUpdate,
    SubstitutionRequest,
)
from ..services import attendance, bulk_entries, entries
from ..services.paging import Page

blp = Blueprint("entries", description="Who takes part: agents, and house bots in free seats.")


@blp.route("/tournaments/<ulid:tournament_id>/entries")
class Entries(MethodView):
    @blp.operation("list_entries", scope=None)
    @blp.page(EntrySchema, EntryFilters, partial=True)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the entries of a tournament

        In the order in which they came, those too that wait, or have gone.
        """
        return entries.search(call.session, call.actor, tournament_id, **call.query)

    @blp.operation("create_entry", scope="entries:write")
    @blp.arguments(EntryCreate)
    @blp.response(201, EntrySchema, location="/api/v1/entries/{id}")
    def post(self, call: Call, tournament_id: str) -> Entry:
        """Enter an agent

        One of yours that is active, once, while the tournament is open or takes late entries. When
        it is full the entry waits for a place, if there is a waiting list. The organizer may enter
        any agent, and house bots.
        """
        return entries.enter(call.session, call.actor, tournament_id, **call.body)


@blp.route("/tournaments/<ulid:tournament_id>/entries/bulk")
class EntriesBulk(MethodView):
    @blp.operation("create_entries", scope="entries:write")
    @blp.arguments(BulkEntries)
    @blp.response(201, EntriesEntered, location="/api/v1/tournaments/{tournament_id}/entries")
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Enter many at once

        Up to 500, all or none: if any cannot enter, nobody does, and `errors` names each of them.
        What holds for one entry holds for each; the organizer may seed them besides.
        """
        wishes = [bulk_entries.Wish(**wish) for wish in call.body["entries"]]
        made = bulk_entries.enter_all(call.session, call.actor, tournament_id, wishes)
        entered = sum(entry.status == EntryStatus.ENTERED for entry in made)
        return {
            "tournament_id": tournament_id,
            "entered": entered,
            "waiting": len(made) - entered,
            "entries": made,
        }


@blp.route("/entries/<ulid:entry_id>")
class EntryById(MethodView):
    @blp.operation("get_entry", scope=None)
    @blp.response(200, EntrySchema)
    def get(self, call: Call, entry_id: str) -> Entry:
        """Show an entry

        An agent, or a house bot that fills a free seat.
        """
        return entries.find(call.session, entry_id)

    @blp.operation("update_entry", scope="tournaments:write", errors=(409,))
    @blp.arguments(EntryUpdate)
    @blp.response(200, EntrySchema)
    def patch(self, call: Call, entry_id: str) -> Entry:
        """Seed an entry

        The organizer says how strong it is held to be, before the start.
        """
        return entries.set_seed(call.session, call.actor, entry_id, call.version, **call.body)

    @blp.operation("withdraw_entry", scope="entries:write", errors=(409,))
    @blp.response(204)
    def delete(self, call: Call, entry_id: str) -> None:
        """Withdraw an entry

        Before it has taken part it goes. Afterwards its results stay, and it is not seated from the
        next round on; matches of this round that have not begun have a stand-in in its seat.
        """
        entries.withdraw(call.session, call.actor, entry_id, call.version)


@blp.route("/entries/<ulid:entry_id>/check-in")
class CheckIn(MethodView):
    @blp.operation("check_in_entry", scope="entries:write")
    @blp.response(200, EntrySchema)
    def post(self, call: Call, entry_id: str) -> Entry:
        """Check in

        In the time before the start. Who does not is dropped before the draw.
        """
        return attendance.check_in(call.session, call.actor, entry_id)


@blp.route("/entries/<ulid:entry_id>/return")
class EntryReturn(MethodView):
    @blp.operation("return_entry", scope="entries:write")
    @blp.response(200, EntrySchema)
    def post(self, call: Call, entry_id: str) -> Entry:
        """Come back after a withdrawal

        Seated again from the next round on. The rounds between earned nothing.
        """
        return attendance.come_back(call.session, call.actor, entry_id)


@blp.route("/entries/<ulid:entry_id>/substitute")
class EntrySubstitute(MethodView):
    @blp.operation("substitute_agent", scope="tournaments:write")
    @blp.arguments(SubstitutionRequest)
    @blp.response(200, EntrySchema)
    def post(self, call: Call, entry_id: str) -> Entry:
        """Let another agent play on

        By the organizer, from the entry's next match on; noted with the entry.
        """
        return attendance.substitute(call.session, call.actor, entry_id, **call.body)
