"""Places: who has one, who waits for one, who loses it at the start, which house bots fill up.

The waiting list is the order in which entries came. After the start a place is worth having only
while late entries are let in (`late_open`).
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import count as numbers
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from ..models import Entry, EntryStatus, Tournament, TournamentStatus, utc_now
from . import formats, history
from .events import tell

NAME_CHARS = 80
REASON_CHARS = 300
SPARES = 4  # as many as a table may lack
NOT_CHECKED_IN = "It did not check in."
NO_PLACE = "No place became free."


def count(session: Session, tournament_id: str, *, fills: bool = True) -> int:
    """How many entries have a place, with or without the house bots in free seats."""
    query = select(func.count()).select_from(Entry).where(*_has_place(tournament_id))
    return session.scalar(query if fills else query.where(~Entry.fills)) or 0


def ready(session: Session, tournament: Tournament) -> int:
    """How many entries would have a place if it started now (`close_check_in`)."""
    if tournament.check_in_s is None:
        return count(session, tournament.id)
    there = select(func.count()).where(
        Entry.tournament_id == tournament.id,
        Entry.status.in_((EntryStatus.ENTERED, EntryStatus.WAITING)),
        or_(Entry.agent_id.is_(None), Entry.checked_in_at.is_not(None)),
    )
    return min(session.scalar(there) or 0, tournament.capacity)


def waiting(session: Session, tournament_id: str) -> int:
    """How many entries wait for a place."""
    return len(_waiting(session, tournament_id))


def free(session: Session, tournament: Tournament) -> int:
    """How many places are free; after the start no more than the format can seat."""
    left = max(tournament.capacity - count(session, tournament.id, fills=False), 0)
    if not left or tournament.started_at is None:
        return left
    room = _room_for_comers(session, tournament)
    return left if room is None else min(left, room)


def late_open(session: Session, tournament: Tournament) -> bool:
    """Whether a started tournament takes late entries: its rule says so, and its format can.

    Not before round 1 is drawn, because its draw depends on who was there at the start.
    """
    if tournament.started_at is None or tournament.finished_at is not None:
        return False
    number, last = history.last_number(session, tournament.id), formats.last_round(tournament)
    if not 1 <= number < tournament.late_entry_round or (last is not None and number >= last):
        return False
    return takes_comers(session, tournament)


def takes_comers(session: Session, tournament: Tournament) -> bool:
    """Whether the format can seat somebody who comes, or comes back, in the next round."""
    room = _room_for_comers(session, tournament)
    return room is None or room > 0


def _room_for_comers(session: Session, tournament: Tournament) -> int | None:
    """None: any number. Only where that is not so the history is read, which may be long."""
    drawn = formats.limits_comers(tournament) and history.last_number(session, tournament.id)
    if not drawn:
        return None
    entrants = history.field(session, tournament.id).entrants
    return formats.room_for_comers(tournament, entrants, history.rounds(session, tournament.id))


def promote(session: Session, tournament: Tournament) -> list[str]:
    """Give free places to those who wait, the first one first; their ids."""
    waiters = _waiting(session, tournament.id)
    if not waiters:
        return []
    if tournament.status != TournamentStatus.OPEN and not late_open(session, tournament):
        return []
    promoted = waiters[: free(session, tournament)]
    for entry in promoted:
        entry.status = EntryStatus.ENTERED
        entry.version += 1
        seat_from_now(session, tournament, entry)
        told = {"entry_id": entry.id, "name": entry.name}
        tell(session, tournament.id, "entry.promoted", told)
    return [entry.id for entry in promoted]


def seat_from_now(session: Session, tournament: Tournament, entry: Entry) -> None:
    """For an entry with a new place: after the start it is seated from the next round on."""
    if tournament.started_at is not None:
        entry.joined = history.last_number(session, tournament.id) + 1
        tournament.version += 1
        keep_spares(session, tournament)
    session.flush()


def leave(
    session: Session,
    tournament: Tournament,
    entry: Entry,
    status: EntryStatus,
    reason: str | None = None,
) -> None:
    """Take an entry that has taken part out: it is not seated from the next round on."""
    entry.status, entry.reason = status, reason[:REASON_CHARS] if reason else None
    entry.withdrawn_at = entry.withdrawn_at or utc_now()
    if entry.left is None:
        entry.left = history.last_number(session, tournament.id) + 1
    entry.version += 1
    tournament.version += 1  # its standings mark the entry now
    session.flush()
    keep_spares(session, tournament)


def rejoin(session: Session, tournament: Tournament, entry: Entry) -> None:
    """Seat an entry again from the next round on; the rounds between it has missed."""
    following = history.last_number(session, tournament.id) + 1
    missed = range(entry.left if entry.left is not None else following, following)
    entry.absent = sorted({*entry.absent, *missed})
    entry.status = EntryStatus.ENTERED
    entry.left = entry.withdrawn_at = entry.reason = None
    entry.version += 1
    tournament.version += 1
    session.flush()
    keep_spares(session, tournament)


def close_check_in(session: Session, tournament: Tournament) -> None:
    """Before the draw: who did not check in loses the place, who waits and did gets it."""
    if tournament.check_in_s is None:
        return
    late = select(Entry).where(
        Entry.tournament_id == tournament.id,
        Entry.agent_id.is_not(None),
        Entry.checked_in_at.is_(None),
        Entry.status.in_((EntryStatus.ENTERED, EntryStatus.WAITING)),
    )
    _drop(session, tournament, session.scalars(late.order_by(Entry.id)).all(), NOT_CHECKED_IN)
    promote(session, tournament)


def freeze(session: Session, tournament: Tournament) -> str:
    """The field of the first round: house bots fill up; the hash of all ids.

    Who waits for a late entry goes on waiting, others are dropped.
    """
    if not tournament.late_entry_round:
        _drop(session, tournament, _waiting(session, tournament.id), NO_PLACE)
    _fill(session, tournament)
    field = session.scalars(select(Entry).where(*_has_place(tournament.id)).order_by(Entry.id))
    ids = []
    for entry in field:
        entry.joined = 1
        ids.append(entry.id)
    session.flush()
    return sha256(b"entrants-v1\0" + "\n".join(ids).encode()).hexdigest()


def keep_spares(session: Session, tournament: Tournament) -> None:
    """Have as many house bots as the next round can need, now that somebody came or went."""
    if tournament.finished_at is not None:
        return
    fills = session.scalars(
        select(Entry).where(Entry.tournament_id == tournament.id, Entry.fills)
    ).all()
    at_start = sum(entry.joined == 1 for entry in fills)
    leavers = _leavers(session, tournament)
    wanted = max(SPARES, formats.house_for_leavers(tournament, at_start, leavers))
    number = max(2, history.last_number(session, tournament.id) + 1)
    _add_house_bots(session, tournament, wanted - len(fills), EntryStatus.SPARE, joined=number)


def free_name(session: Session, tournament_id: str, wanted: str) -> str:
    """`wanted`, or with the first number that makes it different from all others."""
    plain = next(_names(wanted))
    same = select(Entry.id).where(Entry.tournament_id == tournament_id, Entry.name == plain)
    if session.scalar(same.limit(1)) is None:
        return plain
    return Names(session, tournament_id).free(wanted)


class Names:
    """`free_name` for many at once: what is taken is asked once."""

    def __init__(self, session: Session, tournament_id: str) -> None:
        names = select(Entry.name).where(Entry.tournament_id == tournament_id)
        self._taken = set(session.scalars(names))
        self._numbered: dict[str, Iterator[str]] = {}

    def free(self, wanted: str) -> str:
        """A name that nobody has, from now on taken."""
        names = self._numbered.setdefault(wanted, _names(wanted))
        name = next(name for name in names if name not in self._taken)
        self._taken.add(name)
        return name


def _has_place(tournament_id: str) -> tuple[Any, ...]:
    return Entry.tournament_id == tournament_id, Entry.status == EntryStatus.ENTERED


def _waiting(session: Session, tournament_id: str) -> list[Entry]:
    query = select(Entry).where(
        Entry.tournament_id == tournament_id, Entry.status == EntryStatus.WAITING
    )
    return list(session.scalars(query.order_by(Entry.id)))


def _drop(session: Session, tournament: Tournament, entries: Any, reason: str) -> None:
    for entry in entries:
        entry.status, entry.reason = EntryStatus.DROPPED, reason
        entry.version += 1
        told = {"entry_id": entry.id, "name": entry.name, "reason": reason}
        tell(session, tournament.id, "entry.dropped", told)
    session.flush()


def _fill(session: Session, tournament: Tournament) -> None:
    """House bots for the free seats, as many as the format wants."""
    lacking = formats.free_seats(tournament, count(session, tournament.id))
    filled = _add_house_bots(session, tournament, lacking, EntryStatus.ENTERED)
    if filled:
        seats = [{"entry_id": entry.id, "name": entry.name} for entry in filled]
        tell(session, tournament.id, "entry.filled", {"entries": seats})


def _add_house_bots(
    session: Session,
    tournament: Tournament,
    lacking: int,
    status: EntryStatus,
    joined: int | None = None,
) -> list[Entry]:
    """So many in order of use: that of their ids."""
    if lacking <= 0:
        return []
    bot, names = tournament.house_bot, Names(session, tournament.id)
    made = [
        Entry(
            tournament_id=tournament.id,
            name=names.free(bot),
            house_bot=bot,
            fills=True,
            status=status,
            joined=joined,
        )
        for _ in range(lacking)
    ]
    session.add_all(made)
    session.flush()
    return made


def _leavers(session: Session, tournament: Tournament) -> int:
    """How many have left at some time, be it that they came back."""
    rows = session.execute(
        select(Entry.left, Entry.absent).where(
            Entry.tournament_id == tournament.id, Entry.joined.is_not(None), ~Entry.fills
        )
    )
    return sum(left is not None or bool(absent) for left, absent in rows)


def _names(wanted: str) -> Iterator[str]:
    yield wanted[:NAME_CHARS]
    for number in numbers(2):
        suffix = f" {number}"
        yield wanted[: NAME_CHARS - len(suffix)] + suffix
