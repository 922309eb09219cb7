"""Rule sets: the presets, which are code, and organizers' own, which are rows.

Both are shown alike. A preset's id is its name, so that whatever takes a rule set takes either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from baohuang.engine.rules import PRESETS, RuleSet, RuleSetError, Value, rule_set
from baohuang.engine.texts import LANGUAGES, OptionText, describe, rules_text

from ..errors import Invalid, NotFound, PreconditionFailed
from ..models import CustomRuleSet
from .paging import Page, page_of
from .principal import Principal
from .rows import unique

Problem = tuple[str, str, str]
"""(pointer, code, detail)."""

_PRESET, _OWN = 0, 1  # the first sort key of the list


@dataclass(frozen=True)
class ShownRuleSet:
    """A preset or a rule set of one's own; `version` is None for a preset, which never changes."""

    id: str
    name: str
    preset: str
    overrides: Mapping[str, object]
    options: Mapping[str, Value]
    owner_id: str | None = None
    version: int | None = None

    @property
    def descriptions(self) -> tuple[OptionText, ...]:
        """Every option in words."""
        return describe(self._rules)

    @property
    def text(self) -> dict[str, str]:
        """The whole rules in words, by language."""
        return {language: rules_text(self._rules, language) for language in LANGUAGES}

    @property
    def _rules(self) -> RuleSet:
        return rule_set(self.preset, self.overrides)


def find(session: Session, actor: Principal, rule_set_id: str) -> ShownRuleSet:
    """A preset by name, or a rule set of the caller's by id."""
    if rule_set_id in PRESETS:
        return _of_preset(PRESETS[rule_set_id])
    return _of_row(_own(session, actor, rule_set_id))


def search(
    session: Session, actor: Principal, after: tuple[object, ...] | None, limit: int
) -> Page[ShownRuleSet]:
    """The presets by name, then the caller's own by age."""
    kind, last = after or (_PRESET, "")
    names = [name for name in sorted(PRESETS) if kind == _PRESET and name > str(last)]
    presets = [_of_preset(PRESETS[name]) for name in names[:limit]]
    if len(names) >= limit:
        return Page(presets, (_PRESET, names[limit - 1]))
    mine = select(CustomRuleSet).where(CustomRuleSet.owner_id == actor.account_id)
    seen = (last,) if kind == _OWN else None
    own = page_of(session, mine, [CustomRuleSet.id], seen, limit - len(presets))
    following = None if own.after is None else (_OWN, *own.after)
    return Page([*presets, *map(_of_row, own.items)], following)


def create(
    session: Session, actor: Principal, name: str, preset: str, overrides: Mapping[str, object]
) -> ShownRuleSet:
    """Store `preset` with `overrides`. Raises `Invalid` naming every option of a refused pair."""
    rules = resolved(preset, overrides)
    row = CustomRuleSet(
        owner_id=actor.account_id,
        name=name,
        preset=preset,
        overrides=dict(overrides),
        options=rules.options(),
    )
    with unique("/name"):
        session.add(row)
        session.flush()
    return _of_row(row)


def remove(session: Session, actor: Principal, rule_set_id: str, version: int) -> None:
    """Forget a rule set of the caller's; tournaments keep the rules that they were given."""
    _own(session, actor, rule_set_id)
    statement = (
        delete(CustomRuleSet)
        .where(CustomRuleSet.id == rule_set_id, CustomRuleSet.version == version)
        .returning(CustomRuleSet.id)
    )
    if session.execute(statement).first() is None:
        raise PreconditionFailed("The rule set was changed since you read it; read it again.")


def resolved(preset: str, overrides: Mapping[str, object]) -> RuleSet:
    """The rule set of the engine. Raises `Invalid` with a pointer to every option concerned."""
    try:
        return rule_set(preset, overrides)
    except RuleSetError as error:
        raise Invalid(_problems(error)) from None


def _problems(error: RuleSetError) -> list[Problem]:
    """The option to blame first, then those that it contradicts."""
    if error.option == "preset":
        return [("/preset", "unknown", f"{error}.")]
    return [
        (f"/overrides/{option}", "rule_set", f"{error}.")
        for option in (error.option, *error.others)
    ]


def _own(session: Session, actor: Principal, rule_set_id: str) -> CustomRuleSet:
    row = session.get(CustomRuleSet, rule_set_id)
    if row is None or not actor.owns(row.owner_id):
        raise NotFound("There is no such rule set.")
    return row


def _of_preset(rules: RuleSet) -> ShownRuleSet:
    return ShownRuleSet(rules.preset, rules.preset, rules.preset, {}, rules.options())


def _of_row(row: CustomRuleSet) -> ShownRuleSet:
    return ShownRuleSet(
        row.id, row.name, row.preset, row.overrides, row.options, row.owner_id, row.version
    )
