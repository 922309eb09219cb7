"""Rulings about an entry: points, warnings, disqualification."""

from __future__ import annotations

from ..errors import Conflict
from ..models import Entry, EntryStatus, Ruling
from . import overlay, places
from .rows import lock_row
from .ruling_case import Ask, Case, refuse


def adjust(case: Case, ask: Ask) -> None:
    """Points for or against an entry that takes part, in a round that was drawn."""
    if case.entry(ask).joined is None:
        raise refuse("/entry_id", "It takes part in no round.", "no_part")
    if not ask.points:
        raise refuse("/points", "Say how many points, other than 0.", "required")
    if ask.round is None or ask.round > case.ruling.after_round:
        raise refuse("/round", f"Rounds 1 to {case.ruling.after_round} were drawn.", "out_of_range")
    case.ruling.round, case.ruling.points = ask.round, ask.points


def penalize(case: Case, ask: Ask) -> None:
    """Points against an entry."""
    adjust(case, ask)
    if (ask.points or 0) > 0:
        raise refuse("/points", "A penalty is below 0.", "out_of_range")


def warn(case: Case, ask: Ask) -> None:
    """Nothing but the words; a later arbiter sees them."""
    case.entry(ask)


def disqualify(case: Case, ask: Ask) -> None:
    """It is not seated from the next round on, and ranks after everybody else.

    Whoever waits longest gets its place, while late entries are let in.
    """
    entry = case.entry(ask)
    if entry.id in overlay.of(case.session, case.tournament.id).out:
        raise Conflict("The entry is disqualified already.", code="already_disqualified")
    if entry.fills or entry.joined is None:
        raise refuse("/entry_id", "It takes part in no round of its own.", "no_part")
    case.ruling.details = {"withdrawn": entry.status == EntryStatus.ENTERED}
    places.leave(case.session, case.tournament, entry, EntryStatus.DISQUALIFIED, ask.reason)
    places.promote(case.session, case.tournament)


def undo_disqualify(case: Case, ruling: Ruling) -> None:
    """It is seated again from the next round on, if the ruling was what took it out.

    Whoever got its place in the meantime keeps it: that may be one more than the capacity, which
    binds who comes, not who was sent away wrongly.
    """
    entry = lock_row(case.session, Entry, str(ruling.entry_id))
    if ruling.details.get("withdrawn"):
        places.rejoin(case.session, case.tournament, entry)
    else:
        entry.status, entry.reason = EntryStatus.WITHDRAWN, None
        entry.version += 1
