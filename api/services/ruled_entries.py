"""Rulings about an entry: points, warnings, disqualification."""

from __future__ import annotations

from ..errors import Conflict
from ..models import Entry, EntryStatus, Ruling, utc_now
from . import overlay
from .rows import lock_row
from .ruling_case import Ask, Case, refuse


def adjust(case: Case, ask: Ask) -> None:
    """Points for or against an entry, in a round that was drawn."""
    case.entry(ask)
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
    """It ranks after everybody else; the server plays its seats from its next match on."""
    entry = case.entry(ask)
    if entry.id in overlay.of(case.session, case.tournament.id).out:
        raise Conflict("The entry is disqualified already.", code="already_disqualified")
    if entry.fills:
        raise refuse("/entry_id", "House bots in free seats cannot be disqualified.", "house_entry")
    if entry.status == EntryStatus.ENTERED and entry.agent_id is not None:
        entry.status, entry.withdrawn_at = EntryStatus.WITHDRAWN, utc_now()
        entry.version += 1
        case.ruling.details = {"withdrawn": True}


def undo_disqualify(case: Case, ruling: Ruling) -> None:
    """It plays again from its next match on, if the ruling was what took it out."""
    entry = lock_row(case.session, Entry, str(ruling.entry_id))
    if ruling.details.get("withdrawn") and entry.status == EntryStatus.WITHDRAWN:
        entry.status, entry.withdrawn_at = EntryStatus.ENTERED, None
        entry.version += 1
