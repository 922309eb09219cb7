"""What shadows answered beside the versions that play: stored by workers, summed up for owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..models import AgentVersion, ShadowCall, VersionStatus
from ..remote.shadow import Comparison, Taken
from . import versions
from .principal import Principal

MOST = 5_000  # questions to one shadow, and a step more for each further worker (remote/shadow.py)
SHOWN = 20  # differences in a report


def store(session: Session, taken: Taken) -> dict[str, int]:
    """Add comparisons; one that is there (a worker died) stays as it is.

    Returns how often each version may be asked yet.
    """
    postgres = session.get_bind().dialect.name == "postgresql"
    insert: Any = (postgresql if postgres else sqlite).insert(ShadowCall)
    if taken.found:
        session.execute(insert.on_conflict_do_nothing(), [_row(each) for each in taken.found])
    counted = sorted({*taken.asked, *taken.skipped})
    return {version_id: _counted(session, taken, version_id) for version_id in counted}


def _counted(session: Session, taken: Taken, version_id: str) -> int:
    asked = session.scalars(
        update(AgentVersion)
        .where(AgentVersion.id == version_id)
        .values(
            shadow_asked=AgentVersion.shadow_asked + taken.asked[version_id],
            shadow_skipped=AgentVersion.shadow_skipped + taken.skipped[version_id],
        )
        .returning(AgentVersion.shadow_asked)
        .execution_options(synchronize_session=False)
    )
    return MOST - asked.one()


def left(version: AgentVersion) -> int:
    """How often a shadow may be asked yet."""
    return MOST - version.shadow_asked


def of_agents(session: Session, agent_ids: Sequence[str]) -> dict[str, AgentVersion]:
    """agent id -> its shadow, the newest verified one that may still be asked."""
    rows = session.scalars(
        select(AgentVersion)
        .where(
            AgentVersion.agent_id.in_(agent_ids),
            AgentVersion.shadow,
            AgentVersion.status == VersionStatus.VERIFIED,
            AgentVersion.shadow_asked < MOST,
        )
        .order_by(AgentVersion.number)
    )
    return {version.agent_id: version for version in rows}


def report(session: Session, actor: Principal, agent_id: str, number: int) -> dict[str, Any]:
    """How a shadow compares with the versions that played: its newest `MOST` calls.

    Raises `NotFound`.
    """
    version = versions.find(session, actor, agent_id, number)
    query = select(ShadowCall).where(ShadowCall.agent_version_id == version.id)
    calls = session.scalars(query.order_by(ShadowCall.asked_at.desc()).limit(MOST)).all()
    return {
        "number": number,
        "shadow": version.shadow,
        "skipped": version.shadow_skipped,
        **summary(calls),
        "differences": [_shown(call) for call in calls if _differs(call)][:SHOWN],
    }


def summary(calls: Sequence[ShadowCall]) -> dict[str, Any]:
    """Agreement, latency and faults. Answers are compared where both versions gave one."""
    both = [call for call in calls if call.answer is not None and call.played is not None]
    same = sum(call.answer == call.played for call in both)
    faults = Counter(call.fault for call in calls if call.fault is not None)
    return {
        "asked": len(calls),
        "answered": sum(call.answer is not None for call in calls),
        "compared": len(both),
        "same": same,
        "agreement": round(same / len(both), 4) if both else None,
        "illegal": faults["illegal"],
        "faults": dict(sorted(faults.items())),
        "over_budget": sum(call.ms > call.budget_ms for call in calls),
        "ms": quantiles([call.ms for call in calls]),
        "played_ms": quantiles([call.played_ms for call in calls]),
        "phases": _phases(both),
    }


def quantiles(values: Sequence[int]) -> dict[str, int] | None:
    """Median, 90th and 99th percentile (nearest rank) and the greatest; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    at = {"p50": 50, "p90": 90, "p99": 99, "most": 100}
    return {name: ordered[-(-len(ordered) * percent // 100) - 1] for name, percent in at.items()}


def _phases(both: Sequence[ShadowCall]) -> list[dict[str, Any]]:
    compared, same = Counter[str](), Counter[str]()
    for call in both:
        compared[call.phase] += 1
        same[call.phase] += call.answer == call.played
    return [
        {"phase": phase, "compared": count, "same": same[phase]}
        for phase, count in compared.most_common()
    ]


def _differs(call: ShadowCall) -> bool:
    return call.answer != call.played


def _shown(call: ShadowCall) -> dict[str, Any]:
    names = (
        "request", "match_id", "seat", "phase", "asked_at", "played", "answer", "ms", "fault",
        "detail",
    )  # fmt: skip
    return {name: getattr(call, name) for name in names}


def _row(each: Comparison) -> dict[str, Any]:
    question, fault = each.question, each.shadow.fault
    return {
        "agent_version_id": each.version_id,
        "request": question.request,
        "match_id": question.ids.match,
        "seat": each.seat,
        "phase": question.view["phase"],
        "asked_at": datetime.fromtimestamp(question.asked_at, UTC),
        "budget_ms": question.clock.budget_ms,
        "played": each.played.answer,
        "played_ms": each.played.ms,
        "answer": each.shadow.answer,
        "ms": each.shadow.ms,
        "fault": None if fault is None else fault.kind,
        "detail": None if fault is None else fault.detail[:300],
    }
