"""An answer that lasts: an iterable of bytes that holds a place for as long as it is sent."""

from __future__ import annotations

import logging
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator

from sqlalchemy.exc import SQLAlchemyError

_log = logging.getLogger(__name__)


class Lasting(ABC):
    """For the server to iterate. Takes a place; `close` gives it back, and so does its end.

    `name` is what the log calls it when the database ends it early.
    """

    name: str

    def __init__(self, enter: Callable[[], None], leave: Callable[[], None]) -> None:
        enter()
        self._leave = weakref.finalize(self, leave)  # also for one that nobody ever reads
        self._leave.atexit = False
        self._parts = self._run()

    @abstractmethod
    def _run(self) -> Generator[bytes, None, None]:
        """What is sent, part by part; begins with the first one that is asked for."""

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._parts)
        except StopIteration:
            self.close()
            raise
        except SQLAlchemyError:
            _log.warning("%s ended early", self.name, exc_info=True)
            self.close()
            raise StopIteration from None

    def close(self) -> None:
        self._parts.close()
        self._leave()
