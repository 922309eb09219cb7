"""Decisions as a pull agent makes them: fetch a question, answer it.

The clock of a question starts when it is first fetched. Until it is answered it may be fetched
again, by an agent that was restarted, say; one that has it already names it as known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import ColumnElement, and_, case, delete, func, select, update
from sqlalchemy.orm import Session

from ..errors import Conflict, Invalid, NotFound
from ..models import Agent, AgentKind, Question, QuestionKind, QuestionStatus
from ..remote.wire import with_deadline
from .agents import find
from .clock import milliseconds, now_seconds
from .principal import Principal

_TOLD_FIRST = case(
    (Question.kind == QuestionKind.DEAL_END, 0), (Question.kind == QuestionKind.DECIDE, 1), else_=2
)


@dataclass(frozen=True)
class Taken:
    """An answer that counts, and how long it took from the first fetching, in milliseconds."""

    request: str
    answer: str
    ms: int


def player(session: Session, actor: Principal, agent_id: str) -> Agent:
    """The caller's pull agent. Raises `Conflict` for one that is called at its URL."""
    agent = find(session, actor, agent_id)
    if agent.kind != AgentKind.PULL:
        raise Conflict("The agent is called at its URL; it fetches nothing.", code="agent_kind")
    return agent


def open_for(session: Session, agent_ids: Iterable[str]) -> dict[str, set[str]]:
    """agent -> the requests that wait for it, for whoever watches on behalf of many."""
    rows = session.execute(
        select(Question.agent_id, Question.request).where(
            Question.agent_id.in_(list(agent_ids)), _open()
        )
    )
    waiting: dict[str, set[str]] = {}
    for agent_id, request in rows:
        waiting.setdefault(agent_id, set()).add(request)
    return waiting


def fetch(session: Session, agent_id: str, known: Collection[str] = ()) -> bytes | None:
    """The oldest request that waits for an agent and is not `known`, as JSON; None if none does.

    A notice is gone once it is fetched. Of what came in the same millisecond, the end of a deal is
    told before the next question, and before the end of the match.
    """
    first = session.execute(
        select(Question.request, Question.kind)
        .where(Question.agent_id == agent_id, _open(), Question.request.not_in(list(known)))
        .order_by(
            func.coalesce(Question.fetched_at, Question.asked_at), _TOLD_FIRST, Question.request
        )
        .limit(1)
    ).first()
    if first is None:
        return None
    if first.kind != QuestionKind.DECIDE:
        return _take_notice(session, first.request)
    return _start_clock(session, first.request)


def answer(
    session: Session, actor: Principal, request: str, answer: str, note: str | None = None
) -> Taken:
    """Answer a question of an agent of the caller's; the same answer may come twice.

    Raises `NotFound`, `Invalid` for what is not legal (the clock runs on), and `Conflict`: `late`,
    `not_fetched` (before anything else is said of the question), `already_answered`.
    """
    question = session.get(Question, request)
    if question is None or question.kind != QuestionKind.DECIDE:
        raise _no_question()
    if not actor.owns(session.get_one(Agent, question.agent_id).owner_id):
        raise _no_question()
    if question.fetched_at is None:
        raise _not_fetched()
    if answer not in orjson.loads(question.body)["legal"]:
        raise Invalid([("/answer", "illegal", "It is not one of the request's `legal`.")])
    return _stored(session, request, answer, note) or _why_not(session, question, answer)


def _stored(session: Session, request: str, answer: str, note: str | None) -> Taken | None:
    """Write an answer down while it counts."""
    now = now_seconds()
    row = session.execute(
        update(Question)
        .where(
            Question.request == request,
            Question.status == QuestionStatus.OPEN,
            Question.fetched_at.is_not(None),
            Question.until >= now,
        )
        .values(status=QuestionStatus.ANSWERED, answer=answer, note=note, answered_at=now)
        .returning(Question.fetched_at, Question.answered_at)
        .execution_options(synchronize_session=False)
    ).first()
    return None if row is None else _taken(request, answer, row)


def _why_not(session: Session, question: Question, answer: str) -> Taken:
    session.refresh(question)
    if question.status == QuestionStatus.ANSWERED:
        if question.answer == answer:
            return _taken(question.request, answer, question)
        raise Conflict("Another answer was given before.", code="already_answered")
    if question.fetched_at is None:
        raise _not_fetched()
    raise Conflict("Time is up; the fallback was played.", code="late")


def _taken(request: str, answer: str, at: Any) -> Taken:
    return Taken(request, answer, milliseconds(at.fetched_at, at.answered_at))


def _not_fetched() -> Conflict:
    return Conflict("Fetch the question first.", code="not_fetched")


def _take_notice(session: Session, request: str) -> bytes | None:
    body: bytes | None = session.scalar(
        delete(Question)
        .where(Question.request == request)
        .returning(Question.body)
        .execution_options(synchronize_session=False)
    )
    return body


def _start_clock(session: Session, request: str) -> bytes | None:
    now = now_seconds()
    first = Question.fetched_at.is_(None)
    row = session.execute(
        update(Question)
        .where(Question.request == request, _open())
        .values(
            fetched_at=case((first, now), else_=Question.fetched_at),
            until=case((first, now + Question.limit_ms / 1000.0), else_=Question.until),
        )
        .returning(Question.body, Question.fetched_at)
        .execution_options(synchronize_session=False)
    ).first()
    return None if row is None else with_deadline(row.body, row.fetched_at)


def _open() -> ColumnElement[bool]:
    return and_(Question.status == QuestionStatus.OPEN, Question.until >= now_seconds())


def _no_question() -> NotFound:
    return NotFound("There is no such question of your agents'.")
