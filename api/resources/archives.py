"""Whole tournaments, their standings and their results, as files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Response
from flask.views import MethodView

from ..figures import SMALL
from ..http import Blueprint, Call
from ..schemas.archives import ArchiveLine
from ..services import archive_file, lifecycle, result_lines, standing_lines

NDJSON = "application/x-ndjson"
IN_MEMORY = 4 * 1024 * 1024
CHUNK = 64 * 1024

blp = Blueprint("archives", description="A tournament as one file, to keep, check and import.")


@blp.route("/tournaments/<ulid:tournament_id>/archive")
class TournamentArchive(MethodView):
    @blp.operation("get_archive", scope=None, transaction=False, errors=(409,))
    @blp.response(200, ArchiveLine, content_type=NDJSON)
    def get(self, call: Call, tournament_id: str) -> Response:
        """Download the archive

        When the tournament has ended: settings, entries, rounds, results, records, rulings and
        standings, one JSON object a line. `baohuang check-tournament` replays it. Big ones are
        written one at a time: 503 with the code `working` says to come again.
        """
        with _turn(call, tournament_id), ExitStack() as on_error:
            held: IO[bytes] = on_error.enter_context(SpooledTemporaryFile(IN_MEMORY))
            with call.arena.database.snapshot() as session:
                vault = call.arena.vault
                held.writelines(archive_file.export(session, vault, call.actor, tournament_id))
            on_error.pop_all()  # from here on the answer closes it
        return _sent(held, NDJSON)


@blp.route("/tournaments/<ulid:tournament_id>/standings/csv")
class StandingsCsv(MethodView):
    @blp.operation("get_standings_csv", scope=None)
    @blp.response(200, ArchiveLine, content_type="text/csv")
    def get(self, call: Call, tournament_id: str) -> Response:
        """Download the standings as CSV

        All of them as they are stored, with the names of the columns in the first line.
        """
        rows = standing_lines.table(call.session, call.actor, tournament_id)
        return Response(_csv(rows), mimetype="text/csv")


@blp.route("/tournaments/<ulid:tournament_id>/results/csv")
class ResultsCsv(MethodView):
    @blp.operation("get_results_csv", scope=None, transaction=False)
    @blp.response(200, ArchiveLine, content_type="text/csv")
    def get(self, call: Call, tournament_id: str) -> Response:
        """Download the results as CSV

        One line a seat of every finished match, in the order of play, with the names of the columns
        in the first line; `counts` is no for matches that a ruling set aside. Big ones are written
        one at a time: 503 with the code `working` says to come again.
        """
        with _turn(call, tournament_id), ExitStack() as on_error:
            held: IO[bytes] = on_error.enter_context(SpooledTemporaryFile(IN_MEMORY))
            with call.arena.database.snapshot() as session:
                for line in result_lines.lines(session, call.actor, tournament_id):
                    held.write(_csv([line]).encode())
            on_error.pop_all()  # from here on the answer closes it
        return _sent(held, "text/csv")


def _turn(call: Call, tournament_id: str) -> AbstractContextManager[None]:
    """While a file is written that takes long. Raises `NotFound`, `Unavailable`."""
    with call.arena.database.read() as session:
        matches = lifecycle.glance(session, call.actor, tournament_id).results_count
    return call.arena.files.alone() if matches > SMALL else nullcontext()


def _csv(rows: list[list[object]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([_harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def _harmless(cell: object) -> object:
    """A name that a spreadsheet would take for a formula gets an apostrophe."""
    formula = isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r")
    return f"'{cell}" if formula else cell


def _sent(held: IO[bytes], content_type: str) -> Response:
    held.seek(0)
    response = Response(_chunks(held), mimetype=content_type)
    response.call_on_close(held.close)  # if nobody reads it to its end
    return response


def _chunks(held: IO[bytes]) -> Iterator[bytes]:
    """No transaction is open while a slow client reads."""
    with held:
        while chunk := held.read(CHUNK):
            yield chunk
