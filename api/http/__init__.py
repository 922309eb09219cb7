"""How every operation speaks HTTP: read strictly, answer alike. README.md tells the story.

Resources import `Blueprint` and `Call` from here, and nothing else.
"""

from .blueprint import Blueprint
from .call import Call

__all__ = ["Blueprint", "Call"]
