"""The audit log's writing side: every write transaction leaves its changes there (hook.py).

`scope.py` says what counts as a change, `origin.py` who makes it, `chain.py` how rows are sealed.
"""

from .chain import GENESIS, row_hash
from .hook import WritingSession, note
from .origin import Origin, acting, origin

__all__ = ["GENESIS", "Origin", "WritingSession", "acting", "note", "origin", "row_hash"]
