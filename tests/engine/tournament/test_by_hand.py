"""Single tables by hand: there as they were given, and the rest moves as little as it can."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baohuang.engine.draw import Draw
from baohuang.engine.tournament.by_hand import put_in
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.plan import Round
from baohuang.engine.tournament.scheme import Finished, NeedsAttention, Seated, State

from .conftest import ids

HOUSE = ("house-1", "house-2", "house-3", "house-4")
A, B, C = ("a1", "a2", "a3", "a4", "a5"), ("b1", "b2", "b3", "b4", "b5"), tuple("cdefg")


def state(entrants=(*A, *B, *C), **more):
    who = tuple(Entrant(x) for x in entrants)
    return State(
        who, FORMATS["swiss"].options({}), lambda n: Draw(bytes(32), str(n)), HOUSE, **more
    )


def seated(*tables, byes=(), out=()):
    return Seated(Round(1, tables, byes, out))


def test_the_table_replaces_the_one_that_has_most_of_its_five():
    five = ("b1", "a1", "b3", "b4", "b5")
    made = put_in(state(), seated(A, B, C), [five])
    assert made.round.tables == (("b2", "a2", "a3", "a4", "a5"), five, C)


def test_two_tables_and_an_exchange_of_seats_within_one():
    turned, mixed = A[::-1], ("b1", "b2", "b3", "b4", "c")
    made = put_in(state(), seated(A, B, C), [turned, mixed])
    assert made.round.tables == (turned, mixed, ("b5", *C[1:]))


def test_who_makes_room_gets_the_bye_or_is_out_instead():
    five = ("x", *A[1:])
    who = (*A, *B, "x", "y")
    made = put_in(state(who), seated(A, B, byes=("x",), out=("y",)), [five])
    assert (made.round.byes, made.round.out) == (("a1",), ("y",))
    made = put_in(state(who), seated(A, B, byes=("x",), out=("y",)), [("y", *A[1:])])
    assert (made.round.byes, made.round.out) == (("x",), ("a1",))


def test_a_house_entry_that_makes_room_has_no_bye():
    table = ("house-1", *A[1:])
    made = put_in(state((*A[1:], "x")), seated(table, byes=("x",)), [("x", *A[1:])])
    assert made.round == Round(1, (("x", *A[1:]),), (), ())


def test_a_spare_house_entry_may_be_seated():
    made = put_in(state(A), seated(A), [("house-2", *A[1:])])
    assert made.round == Round(1, (("house-2", *A[1:]),), ("a1",), ())


def test_whoever_goes_elsewhere_meets_whom_he_may_and_has_met_least():
    """b1 and c go to a's table; a1 must not meet b2, a2 has met d: only one way is clean."""
    five = ("b1", "c", *A[2:])
    before = (Round(1, (("a2", "d", "h1", "h2", "h3"),)),)
    at = replace(state(forbidden=(("a1", "b2"),)), rounds=before)
    made = put_in(at, Seated(Round(2, (A, B, C))), [five])
    assert made.round.tables == (five, ("a2", *B[1:]), ("a1", *C[1:]))


def test_what_must_not_be_needs_attention_but_the_table_itself_may_be_anything():
    never = (("b1", "b2"), ("a1", "b2"))
    made = put_in(state(forbidden=never), seated(A, B, C), [("b1", *A[2:], "c")])
    assert made.round.tables[1:] == (("a2", *B[1:]), ("a1", *C[1:]))
    made = put_in(state(forbidden=never), seated(A, B), [("b1", *A[1:])])
    assert made == NeedsAttention("beside the table seated by hand these would meet: a1 and b2")
    five = ("b1", "b2", *A[2:])
    assert put_in(state(forbidden=never[:1]), seated(A, B), [five]).round.tables[0] == five


@pytest.mark.parametrize(
    ("tables", "cause"),
    [
        ([("z", *A[1:])], "seats z, who do not take part in it"),
        ([A, ("a1", *B[1:])], "has a1 in two places"),
        ([A[:4]], "has a table that is not of five"),
    ],
)
def test_tables_that_do_not_fit_need_attention(tables, cause):
    made = put_in(state(), seated(A, B, C), tables)
    assert isinstance(made, NeedsAttention)
    assert cause in made.cause


def test_more_tables_than_are_drawn_need_attention():
    made = put_in(state((*A, *B)), seated(A, byes=B), [A, B])
    assert made == NeedsAttention("more tables are seated by hand than there are")


def test_what_is_no_round_stays_what_it_is():
    for decision in (Finished("all 5 rounds are played"), NeedsAttention("why")):
        assert put_in(state(), decision, [A]) is decision


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_goes_on_after_a_table_by_hand(name):
    scheme = FORMATS[name]
    field = tuple(Entrant(x) for x in ids(9))
    at = State(field, scheme.options({}), lambda n: Draw(bytes(32), f"round/{n}/seats"), HOUSE)
    first = scheme.next_round(at)
    table = list(first.round.tables[0])
    outside = next(x for x in ids(9) if x not in table)
    five = (outside, *table[1:])
    made = put_in(at, first, [five])
    assert five in made.round.tables
    at = replace(at, rounds=(made.round,), course=made.course)
    second = scheme.next_round(at)
    assert isinstance(second, Seated)
    placed = [*(x for t in second.round.tables for x in t), *second.round.byes, *second.round.out]
    assert sorted(x for x in placed if x not in HOUSE) == ids(9)
