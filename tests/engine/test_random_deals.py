"""Five hundred deals of each preset with random answers; `make soak` plays 100,000."""

import pytest

from baohuang.engine import PRESETS

from .laws import check_deals


@pytest.mark.parametrize("preset", PRESETS)
def test_500_random_deals_keep_the_laws(preset):
    check_deals(preset, 500, "test")
