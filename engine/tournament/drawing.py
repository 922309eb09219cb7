"""Which version of the drawing seats a round: archives say it, so that each is drawn again alike.

Raise DRAWING with each change after which any format may seat anybody otherwise than before, from
the same state and the same lots. Rounds that an older version drew are not drawn again; all else
about them is checked (checker.py).
"""

from __future__ import annotations

from typing import Final

FIRST: Final = 1
"""Of rounds that do not say it."""

DRAWING: Final = 2
"""1: before rounds said it. 2: late entries sit where they clash least; knockouts go by the
published tie-breaks and give places back; one table is as even as can be over any number of rounds.
"""
