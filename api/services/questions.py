"""Questions to pull agents, as the worker of a match sees them: offered, answered, too late.

All times are the database's clock's. An answer that was taken before its time was up counts, and
one that comes later is refused: the row decides, so worker and agent never disagree.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, case, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..models import Question, QuestionKind, QuestionStatus
from ..remote.pull import Letter, Returned
from .clock import milliseconds, now_seconds

KEEP_S = 3600.0  # how long what nobody needs any more may lie about


def offer(session: Session, letters: Sequence[Letter]) -> None:
    """Put letters where their agents find them; a question drops the one before it in its match.

    One that an earlier worker asked, or that came back without an answer, is offered anew with a
    whole clock, unless it is answered; who has fetched it need not do so again.
    """
    for letter in letters:
        if letter.kind == "decide" and letter.match_id is not None:
            _drop_before(session, letter)
        session.execute(_offered(session, letter))


def look(session: Session, requests: Collection[str]) -> tuple[dict[str, Returned], list[str]]:
    """Of these questions: what came back, and which are overdue (`close` them)."""
    now = now_seconds()
    rows = session.execute(
        select(*_TOLD, Question.status).where(
            Question.request.in_(requests),
            or_(Question.status == QuestionStatus.ANSWERED, Question.until < now),
        )
    ).all()
    answered = {row.request: _returned(row) for row in rows if row.answer is not None}
    return answered, [row.request for row in rows if row.answer is None]


def close(session: Session, requests: Collection[str]) -> dict[str, Returned]:
    """Go on without answers to overdue questions; some may just have got one."""
    session.execute(
        update(Question)
        .where(
            Question.request.in_(requests),
            Question.status == QuestionStatus.OPEN,
            Question.until < now_seconds(),
        )
        .values(status=QuestionStatus.LATE)
        .execution_options(synchronize_session=False)
    )
    rows = session.execute(
        select(*_TOLD).where(Question.request.in_(requests), Question.status != QuestionStatus.OPEN)
    )
    return {row.request: _returned(row) for row in rows}


def purge(session: Session) -> None:
    """Forget what has been too late for an hour."""
    old = delete(Question).where(Question.until < now_seconds() - KEEP_S)
    session.execute(old.execution_options(synchronize_session=False))


_TOLD = (
    Question.request,
    Question.answer,
    Question.note,
    Question.asked_at,
    Question.fetched_at,
    Question.answered_at,
    Question.until,
)


def _returned(row: Any) -> Returned:
    since: float = row.asked_at if row.fetched_at is None else row.fetched_at
    till = row.until if row.answered_at is None else row.answered_at
    fetched = row.fetched_at is not None
    lay = milliseconds(row.asked_at, since)
    return Returned(milliseconds(since, till), fetched, row.answer, row.note, lay, since)


def _drop_before(session: Session, letter: Letter) -> None:
    done = or_(Question.kind == QuestionKind.DECIDE, Question.until < now_seconds())
    session.execute(
        delete(Question)
        .where(
            Question.match_id == letter.match_id,
            Question.agent_id == letter.agent_id,
            Question.request != letter.request,
            Question.epoch <= letter.epoch,
            done,
        )
        .execution_options(synchronize_session=False)
    )


def _offered(session: Session, letter: Letter) -> Any:
    postgres = session.get_bind().dialect.name == "postgresql"
    insert: Any = (postgresql if postgres else sqlite).insert(Question)
    now = now_seconds()
    insert = insert.values(
        request=letter.request,
        agent_id=letter.agent_id,
        match_id=letter.match_id,
        epoch=letter.epoch,
        kind=letter.kind,
        status=QuestionStatus.OPEN,
        body=letter.body,
        budget_ms=letter.budget_ms,
        limit_ms=letter.limit_ms,
        asked_at=now,
        until=now + letter.limit_ms / 1000,
    )
    anew = ("epoch", "status", "body", "budget_ms", "limit_ms", "asked_at", "until")
    known = case((Question.fetched_at.is_not(None), now))
    return insert.on_conflict_do_update(
        index_elements=[Question.request],
        set_={**{name: insert.excluded[name] for name in anew}, "fetched_at": known},
        where=and_(
            or_(
                Question.epoch < insert.excluded.epoch,
                and_(
                    Question.epoch == insert.excluded.epoch,
                    Question.status == QuestionStatus.LATE,
                ),
            ),
            Question.status != QuestionStatus.ANSWERED,
        ),
    )
