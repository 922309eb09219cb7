"""The fairness certificate over HTTP: counted from what was drawn and dealt."""

from __future__ import annotations

from itertools import combinations

from baohuang.api.models import Role

from .tournament_support import agent, opened, play_round


def running(site, organizer, agents, **settings):
    tournament_id = opened(organizer, **settings)
    owners = [site.caller(f"owner-{k}", Role.AUTHOR) for k in range(agents)]
    for k, owner in enumerate(owners):
        entry = {"agent_id": agent(site, owner, f"bot-{k}")}
        assert owner.post(f"/tournaments/{tournament_id}/entries", json=entry).status_code == 201
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    return tournament_id


def certificate(site, tournament_id):
    answer = site.stranger().get(f"/tournaments/{tournament_id}/fairness")
    assert answer.status_code == 200, answer.json
    return answer


def test_before_the_draw_there_is_nothing_to_count(site):
    organizer = site.caller("olga", Role.ORGANIZER)
    tournament_id = opened(organizer)
    made = certificate(site, tournament_id).json
    assert (made["entries"], made["rounds"], made["repeats"]) == ([], 0, 0)


def test_meetings_seats_and_neighbours_are_counted_from_the_tables(site):
    """Ten entries, two rounds: two tables of five always share four pairs with an earlier round."""
    organizer = site.caller("olga", Role.ORGANIZER)
    tournament_id = running(site, organizer, 10, rounds=2, deals=1)
    for _ in range(2):
        play_round(site, tournament_id)
    made = certificate(site, tournament_id).json
    ids = [entry["entry_id"] for entry in made["entries"]]
    met, after, seats = ([[0] * n for _ in ids] for n in (10, 10, 5))
    for number in (1, 2):
        path = f"/tournaments/{tournament_id}/rounds/{number}/tables"
        for table in site.stranger().get(path).json["items"]:
            five = [ids.index(seat["entry_id"]) for seat in table["seats"]]
            for i, j in combinations(five, 2):
                met[i][j] += 1
                met[j][i] += 1
            for seat, i in enumerate(five):
                after[i][five[(seat + 1) % 5]] += 1
                seats[i][seat] += 1
    assert (made["meetings"], made["next"], made["seats"]) == (met, after, seats)
    assert made["played"] == [2] * 10
    repeats = sum(times == 2 for row in met for times in row) // 2
    assert (made["repeats"], made["repeats_bound"]) == (repeats, 8)
    assert made["repeats_above_bound"] == repeats - 8 == 0
    assert made["pairs"] == [45 - 40 + repeats, 40 - 2 * repeats, repeats]
    assert made["dealt_first"] == [row[0] for row in seats], "one deal a match"
    first = made["dealt_first"]
    spread = {"least": min(first), "most": max(first), "unavoidable": 1}
    assert made["dealt_first_spread"] == spread, "four deals first over ten entries"
    assert made["neighbour_squares"] == sum(n == 2 for row in after for n in row)
    assert made["neighbour_squares_bound"] == 0, "20 neighbours over 90 ordered pairs"


def test_replays_count_as_matches_in_their_own_seats(any_site):
    site = any_site
    organizer = site.caller("olga", Role.ORGANIZER)
    settings = {"format": "single_table", "capacity": 5, "rounds": 1, "deals": 1}
    settings["format_options"] = {"boards": 20}
    tournament_id = running(site, organizer, 5, **settings)
    play_round(site, tournament_id)
    made = certificate(site, tournament_id).json
    assert made["seats"] == [[4] * 5] * 5
    assert made["next"] == [[5 * (i != j) for j in range(5)] for i in range(5)]
    assert made["dealt_first"] == [4] * 5
    assert made["dealt_first_spread"] == {"least": 4, "most": 4, "unavoidable": 0}
    assert made["neighbour_squares_above_bound"] == 0
    assert made["seat_spread"] == {"least": 4, "most": 4, "unavoidable": 0}


def test_an_unchanged_certificate_is_not_made_again(site):
    organizer = site.caller("olga", Role.ORGANIZER)
    tournament_id = opened(organizer)
    tag = certificate(site, tournament_id).headers["ETag"]
    path = f"/tournaments/{tournament_id}/fairness"
    assert site.stranger().get(path, headers={"If-None-Match": tag}).status_code == 304
