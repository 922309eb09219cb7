"""The bench of a tournament that grows measures what the services really do."""

from __future__ import annotations

from baohuang.api.bench import growth


def test_it_prints_a_line_for_each_size(monkeypatch):
    monkeypatch.setattr(growth, "ENTRIES", 25)
    monkeypatch.setattr(growth, "TABLES", 5)
    head, columns, *lines = growth.growth_report(1000)
    assert head == "SQLite, a ladder of 25 entries, 5 matches a round; ms:"
    assert len(columns.split()) == len("matches before claim block finish live standings due "
                                       "draw open close".split())  # fmt: skip
    assert [line.split()[0] for line in lines] == ["100", "1,000"]
    assert all(len(line.split()) == 9 for line in lines)
