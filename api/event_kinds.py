"""The kinds of events, in one table: who may see them, and what they tell.

docs/live.md prints this table; whatever is told must be in it (services/events.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from .models.events import EventView

PUBLIC, AFTER, ARBITER = EventView.PUBLIC, EventView.AFTER, EventView.ARBITER


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    `running`: told while matches run, so often that numbering them one by one would hold up play;
    they are numbered together, every second. `hooks`: whether webhooks may have it.
    """

    name: str
    meaning: str
    facts: str
    view: EventView = PUBLIC
    running: bool = False
    hooks: bool = True


_KINDS = (
    Kind("tournament.created", "A draft was made.", "name", ARBITER),
    Kind("tournament.changed", "Settings changed (in a draft: for the arbiter).", "settings"),
    Kind("tournament.opened", "Agents may enter; the rules are frozen.", "name, commitment"),
    Kind("tournament.started", "The entry is closed, round 1 comes.", "entries, entrants_hash"),
    Kind("tournament.not_started", "Its time came, but it could not start; its organizer has to do "
         "it.", "reason"),
    Kind("tournament.paused", "No match begins until it is resumed.", ""),
    Kind("tournament.resumed", "It goes on.", ""),
    Kind("tournament.needs_attention", "It cannot go on alone.", "reason"),
    Kind("tournament.ending", "No round comes after this one; when the end comes, if known.",
         "round, at"),
    Kind("tournament.finished", "The last match has ended; secret and keys are public.", "reason"),
    Kind("tournament.cancelled", "It ended early; secret and keys are public.", "reason"),
    Kind("entry.entered", "Somebody entered.", "entry_id, name, agent_id, house_bot"),
    Kind("entry.removed", "An entry was taken back before the start.", "entry_id, name"),
    Kind("entry.waiting", "Somebody waits for a place.", "entry_id, name, agent_id, house_bot"),
    Kind("entry.promoted", "Who waited has a place now.", "entry_id, name"),
    Kind("entry.checked_in", "It said that it is there.", "entry_id, name"),
    Kind("entry.dropped", "It has no place at the start.", "entry_id, name, reason"),
    Kind("entry.withdrawn", "It is not seated from the next round on.", "entry_id, name"),
    Kind("entry.returned", "It came back, to be seated from a round on.", "entry_id, name, round"),
    Kind("entry.substituted", "Another agent plays on for it.", "entry_id, name, agent_id"),
    Kind("entry.version", "Another version of its agent plays from this round on.",
         "entry_id, name, agent_id, version, round"),
    Kind("entry.filled", "House bots took the free seats.", "entries: [{entry_id, name}]"),
    Kind("round.opened", "Its tables are drawn, its matches wait.", "round, tables, byes, out"),
    Kind("round.finished", "Its last match has ended.", "round"),
    Kind("round.overdue", "Its deadline has passed; what is not finished is dealt with.",
         "round, matches, then"),
    Kind("round.scheduled", "When the next one comes; null: when the organizer says.",
         "round, at"),
    Kind("round.cancelled", "It ended with its tournament.", "round"),
    Kind("match.seated", "Who sits where.", "round, table, seats: [{entry_id, name}]"),
    Kind("match.started", "The first deal is dealt.", "round, table, deals", running=True),
    Kind(
        "match.taken_over",
        "Another worker goes on with it.",
        "round, table, epoch",
        ARBITER,
        running=True,
    ),
    Kind("match.stand_ins", "Who is not there has somebody to play the seat.",
         "seats: [{seat, entry_id, house_bot}]", running=True),
    Kind("match.interrupted", "Given back, to go on later.", "", ARBITER, running=True),
    Kind("match.attempt_failed", "A worker could not go on.", "attempts, error", ARBITER),
    Kind("match.failed", "Given up after five attempts.", "round, table, error"),
    Kind("match.retried", "Failed before, tried again after a resume.", ""),
    Kind("match.faults", "What bots did wrong.", "faults: [{seat, kind, charged_to, ms}]", AFTER,
         running=True),
    Kind("match.finished", "All deals are played.", "round, table, points, penalties"),
    Kind("match.cancelled", "It was ended before its end and counts for nobody.", ""),
    Kind("deal.started", "The cards are dealt.", "deal, attempt", running=True, hooks=False),
    Kind("deal.answers", "What was answered, the engine's own answers among it.",
         "deal, attempt, turn, answers: [[seat, answer]]", running=True, hooks=False),
    Kind("deal.finished", "How the deal came out.", "deal, attempt, emperor, guard, solo, called, "
         "factor, places, scores, result", running=True, hooks=False),
    Kind("ruling.made", "An arbiter ruled.", "ruling_id, number, ruling, match_id, entry_id, "
         "round, points, undoes_id, reason"),
    Kind("appeal.made", "An owner appealed; nothing has changed yet.", "appeal_id, number, "
         "entry_id, match_id, ruling_id"),
    Kind("appeal.decided", "An arbiter decided about it; a ruling may have come of it.",
         "appeal_id, number, outcome, reason, ruling_id"),
    Kind("appeal.withdrawn", "It was taken back.", "appeal_id, number"),
    Kind("standings.updated", "New results count.", "results, leaders: [{rank, entry_id, points}]"),
    Kind("webhook.paused", "A receiver failed for too long.", "webhook_id, reason", ARBITER),
)  # fmt: skip

KINDS: Final[Mapping[str, Kind]] = {kind.name: kind for kind in _KINDS}

HOOK_KINDS: Final = tuple(kind.name for kind in _KINDS if kind.hooks)
"""What webhooks may have: all but the play of the cards, which is for streams."""
