"""The registry of formats: name -> scheme. One contract test runs over all of them."""

from __future__ import annotations

from .fixed import ROUND_ROBIN, SINGLE_TABLE
from .knockout import KNOCKOUT
from .ladder import LADDER
from .scheme import Scheme
from .swiss import SWISS

FORMATS: dict[str, Scheme] = {
    scheme.name: scheme for scheme in (SINGLE_TABLE, ROUND_ROBIN, SWISS, KNOCKOUT, LADDER)
}
