"""The engine for hours: 100,000 random deals a preset, and the laws over new random rule sets."""

import time

import pytest
from hypothesis import HealthCheck, given, settings

from baohuang.engine import PRESETS

from ..engine import test_combinations, test_contract_4_views, test_laws
from ..engine.laws import check_deals
from ..engine.strategies import keys, rule_sets, seeds

pytestmark = pytest.mark.soak

DEALS = 100_000
BATCH = 1_000
NEW = settings(
    max_examples=2_000,
    deadline=None,
    derandomize=False,
    database=None,
    suppress_health_check=list(HealthCheck),
)
LAWS = [
    test_laws.test_someone_may_act_until_the_deal_is_over_and_cards_are_conserved,
    test_laws.test_every_listed_answer_applies_and_any_other_is_refused,
    test_laws.test_copies_are_independent,
    test_laws.test_records_verify_and_replay_gives_the_state,
    test_laws.test_resume_of_a_log_equals_the_match,
    test_laws.test_a_match_refuses_foreign_answers_and_stays_as_it_was,
    test_contract_4_views.test_4_a_view_does_not_hang_on_what_others_hold,
    test_contract_4_views.test_4_a_seat_is_shown_and_asked_the_same_whatever_others_were_dealt,
]


@pytest.mark.parametrize("preset", PRESETS)
def test_100_000_random_deals_keep_the_laws(preset):
    """New deals in every run; a failing one is found again by its seed, which the error shows."""
    seed = time.time_ns()
    for batch in range(DEALS // BATCH):
        check_deals(preset, BATCH, (seed, batch))


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_laws_over_new_rule_sets(law):
    def anew(ruleset, key, seed):
        law.hypothesis.inner_test(ruleset, key, seed)

    NEW(given(rule_sets(), keys, seeds)(anew))()


@pytest.mark.parametrize("name", test_combinations.TABLES)
def test_beats_equals_the_search_over_pairings_on_new_pairs(name, monkeypatch):
    monkeypatch.setattr(test_combinations, "PAIRS", 100_000)
    monkeypatch.setattr(test_combinations, "key_of", lambda *words: time.time_ns().to_bytes(32))
    test_combinations.test_beats_equals_the_search_over_pairings_on_100_000_random_pairs(name)
