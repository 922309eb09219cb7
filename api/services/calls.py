"""What an agent was asked in a match and how it went, for its owner; notes for judges too.

Requests are not stored: the match is dealt and played again up to the question, and the seat's view
of it is the request, byte for byte. So the log costs a few columns a decision, and shows no more
than the seat was shown.
"""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Row, Select, and_, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.cards import SEATS
from baohuang.engine.match import Match as Referee

from ..errands import Errands
from ..errors import Forbidden, NotFound
from ..models import Decision, Fault, Match, Tournament
from ..remote.agent import Decision as Outcome
from ..remote.agent import HttpAgent, Question
from ..remote.client import Client
from ..remote.wire import Clock, LastCall, MatchIds, decide_body, question_id
from ..vault import Vault
from . import match_log
from .arbiters import judges
from .match_terms import Terms, terms
from .own_seats import agent_at, own_seats, require_visible
from .paging import Page, page_of
from .principal import Principal
from .signing_secrets import signing_secrets

REPLAY_MS = 10_000  # a replay has at most this long, and no bank


@dataclass(frozen=True)
class Call:
    """One question to an agent: the request as it was sent, and the row of the list."""

    row: Row[Any]
    question: Question
    body: bytes


@dataclass(frozen=True)
class Errand:
    """A question on its way to another URL, signed as the agent's calls are."""

    url: str
    question: Question
    played: str
    secrets: Sequence[str] = field(repr=False)


def search(
    session: Session,
    actor: Principal,
    match_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    seat: int | None = None,
) -> Page[Row[Any]]:
    """The calls to the caller's agents in a match, in order; who judges it sees all, with notes.

    Raises `NotFound`, `Forbidden`.
    """
    query = _calls(match_id, shown_seats(session, actor, match_id))
    if seat is not None:
        query = query.where(Decision.seat == seat)
    return page_of(session, query, [Decision.seq], after, limit)


def find(session: Session, vault: Vault, actor: Principal, match_id: str, seq: int) -> Call:
    """One call with its request, worked out anew. Raises `NotFound`, `Forbidden`."""
    asked = _calls(match_id, own_seats_at(session, actor, match_id)).where(Decision.seq == seq)
    row: Any = session.scalars(asked).one_or_none()
    if row is None:
        raise NotFound("No agent of yours was asked then.")
    match = session.get_one(Match, match_id)
    question = _question(session, match, terms(session, vault, match_id), row)
    sent = row.asked_at.timestamp()
    body = decide_body(question.request, question.ids, question.view, question.clock, sent)
    return Call(row, question, body)


def errand(
    session: Session, vault: Vault, actor: Principal, match_id: str, seq: int, url: str
) -> Errand:
    """What is to be sent, so that an author sees how another version would have answered."""
    call = find(session, vault, actor, match_id, seq)
    agent = agent_at(session, match_id, call.row.seat)
    called = agent is not None and agent.url is not None
    secrets = signing_secrets(vault, agent.live) if agent is not None and called else ()
    clock = call.question.clock
    short = Clock(min(clock.budget_ms, REPLAY_MS), 0, clock.last)
    return Errand(url, replace(call.question, clock=short), call.row.answer, secrets)


def send(errands: Errands, errand: Errand) -> Outcome:
    """Ask. No transaction may be open meanwhile."""

    def ask(client: Client) -> Coroutine[Any, Any, Outcome]:
        return HttpAgent(errand.url, errand.secrets, client, "replay").decide(errand.question)

    return errands.call(ask)


def compared(errand: Errand, outcome: Outcome) -> dict[str, Any]:
    """What came back, beside what was played."""
    fault = outcome.fault
    return {
        "url": errand.url,
        "answer": outcome.answer,
        "same": outcome.answer == errand.played,
        "ms": outcome.ms,
        "fault": None if fault is None else fault.kind,
        "detail": None if fault is None else fault.detail,
        "note": outcome.note,
    }


def shown_seats(session: Session, actor: Principal, match_id: str) -> set[int]:
    """Whose calls the caller may see: his own agents', or all as a judge.

    Raises `NotFound`, `Forbidden`.
    """
    match = require_visible(session, actor, match_id)
    if match.tournament_id is not None and judges(
        actor, session.get_one(Tournament, match.tournament_id)
    ):
        return set(range(SEATS))
    return own_seats_at(session, actor, match_id)


def own_seats_at(session: Session, actor: Principal, match_id: str) -> set[int]:
    """The seats of the caller's agents. Raises `NotFound`, `Forbidden` if there is none."""
    require_visible(session, actor, match_id)
    mine = own_seats(session, actor, match_id)
    if not mine:
        raise Forbidden("Only the owners of the agents at the table may see this.")
    return mine


def body_at(session: Session, match: Match, on: Terms, further: Any) -> bytes:
    """The question behind a decision as it was sent another time (`further.asked_at`)."""
    row = session.scalars(_calls(match.id, {further.seat}).where(Decision.seq == further.seq)).one()
    asked = _question(session, match, on, row)
    sent = further.asked_at.timestamp()
    return decide_body(asked.request, asked.ids, asked.view, asked.clock, sent)


def _calls(match_id: str, seats: set[int]) -> Select[Any]:
    columns = (
        Decision.seq, Decision.seat, Decision.answer, Decision.auto, Decision.epoch,
        Decision.asked_at, Decision.budget_ms, Decision.bank_ms, Decision.ms, Decision.charged_ms,
        Decision.note, Fault.kind.label("fault"), Fault.charged_to, Fault.detail,
    )  # fmt: skip
    fault = and_(Fault.match_id == Decision.match_id, Fault.seq == Decision.seq)
    return (
        select(Bundle("call", *columns))
        .outerjoin(Fault, fault)
        .where(
            Decision.match_id == match_id, Decision.seat.in_(seats), Decision.asked_at.is_not(None)
        )
    )


def _question(session: Session, match: Match, on: Terms, row: Any) -> Question:
    log = match_log.load(session, match.id)[: row.seq]
    view = Referee.resume(on.rules, on.key, match.deals, log).view()
    ids = MatchIds(match.id, on.tournament_id, on.round, on.table)
    clock = Clock(row.budget_ms, row.bank_ms, _last(session, match.id, row))
    return Question(question_id(ids, view), ids, view, clock)


def _last(session: Session, match_id: str, row: Any) -> LastCall | None:
    """The seat's call before."""
    before = session.execute(
        select(Decision.ms, Decision.charged_ms, Fault.kind)
        .outerjoin(Fault, and_(Fault.match_id == Decision.match_id, Fault.seq == Decision.seq))
        .where(
            Decision.match_id == match_id,
            Decision.seat == row.seat,
            Decision.seq < row.seq,
            Decision.ms.is_not(None),
        )
        .order_by(Decision.seq.desc())
        .limit(1)
    ).first()
    if before is None:
        return None
    return LastCall(before.ms or 0, before.charged_ms or 0, before.kind or "ok")
