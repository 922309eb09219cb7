"""Rule sets: presets for everybody, own ones for those who made them."""

from __future__ import annotations

from flask.views import MethodView

from ..http import Blueprint, Call
from ..schemas.rule_sets import RuleSetCreate, RuleSetDetail, RuleSetSchema
from ..services import rule_sets
from ..services.paging import Page
from ..services.rule_sets import ShownRuleSet

blp = Blueprint("rule-sets", description="The rules of the game as data: presets and variations.")


@blp.route("/rule-sets")
class RuleSets(MethodView):
    @blp.operation("list_rule_sets", scope=None)
    @blp.page(RuleSetSchema)
    def get(self, call: Call) -> Page[ShownRuleSet]:
        """List rule sets

        The presets, then those that you made.
        """
        return rule_sets.search(call.session, call.actor, **call.query)

    @blp.operation("create_rule_set", scope="rules:write")
    @blp.arguments(RuleSetCreate)
    @blp.response(201, RuleSetDetail)
    def post(self, call: Call) -> ShownRuleSet:
        """Make a rule set of your own

        A preset with some options changed. Options that contradict each other are refused, and the
        answer names all of them.
        """
        return rule_sets.create(call.session, call.actor, **call.body)


@blp.route("/rule-sets/<name_or_id:rule_set_id>")
class RuleSetById(MethodView):
    @blp.operation("get_rule_set", scope=None)
    @blp.response(200, RuleSetDetail)
    def get(self, call: Call, rule_set_id: str) -> ShownRuleSet:
        """Show a rule set

        By a preset's name or by the id of one of your own. With every option in words, and the
        full rules in English and Chinese.
        """
        return rule_sets.find(call.session, call.actor, rule_set_id)

    @blp.operation("delete_rule_set", scope="rules:write")
    @blp.response(204)
    def delete(self, call: Call, rule_set_id: str) -> None:
        """Delete a rule set of your own

        Tournaments keep the rules that they were given.
        """
        rule_sets.remove(call.session, call.actor, rule_set_id, call.version)
