"""Par from play-outs on the real game."""

from baohuang.engine.rules import rule_set
from baohuang.engine.tournament.duplicate import centred
from baohuang.engine.tournament.par import par

RULES = rule_set("lianzhong-simple")
KEY = bytes(range(32))


def test_par_adds_up_to_nothing_in_every_deal_and_is_the_same_again():
    made = par(RULES, KEY, 2, board="b", bot="random", playouts=3)
    assert made == par(RULES, KEY, 2, board="b", bot="random", playouts=3)
    deals = {hand[:3] for hand in made}
    assert {deal for _, deal, _ in deals} == {1, 2}
    for deal in deals:
        assert sum(value for hand, value in made.items() if hand[:3] == deal) == 0
    assert centred(made) == made
    assert len(made) == 5 * len(deals)


def test_other_cards_have_another_par():
    assert par(RULES, KEY, 1, board="b", playouts=2) != par(
        RULES, bytes(32), 1, board="b", playouts=2
    )
