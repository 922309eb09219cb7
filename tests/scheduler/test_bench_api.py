"""`baohuang bench api`: all that run answer with the same rows, and the figures are there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baohuang.api.bench.web import arrangement, contestants, report
from baohuang.api.bench.web.load import UnexpectedAnswer, request


def test_it_measures_ours_and_a_peer():
    with arrangement.sqlite() as arranged, contestants.running(arranged) as running:
        names = [contestant.name for contestant in running]
        assert names[:2] == [contestants.OURS, contestants.STOCK]
        report.check_alike(running)
        taken = report.measured(running, rounds=1, seconds=0.2)
        assert set(taken) == {*names, report.KNOWN}
        for each in taken.values():
            assert each.rates[0] > 0
            assert each.cpu_us[0] > 0
            assert each.p99_ms() > 0
        ours, stock = running[:2]
        lost = replace(stock, requests=(request("/nowhere"),))
        with pytest.raises(UnexpectedAnswer, match="404"):
            report.measured([ours, lost], rounds=1, seconds=0.1)
