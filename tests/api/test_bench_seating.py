"""`baohuang bench seating`: what it counts."""

from baohuang.api.bench.seating import seating_report, uneven


def test_who_is_ahead_of_his_rarest_seat():
    """a sits in seat 0 twice and never in seat 4: two more than none."""
    assert uneven([[list("abcde")], [list("acbed")]]) == 2
    once = [[list("abcde"[k:] + "abcde"[:k])] for k in range(5)]
    assert uneven(once) == 0


def test_small_fields_meet_their_goals():
    lines = list(seating_report(largest=30))
    assert [line.split()[:6] for line in lines if "entries" in line] == [
        "25 entries, 6 rounds 0 (0,".split(),
        "30 entries, 6 rounds 0 (0,".split(),
        "30 entries, 10 rounds 165 (165,".split(),
    ]
