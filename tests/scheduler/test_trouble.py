"""What is written down of an error: kinds and places, never a text that may quote a card."""

import io
import logging

from sqlalchemy.exc import DataError, OperationalError

from baohuang.scheduler.trouble import PlacesOnly, database_away, place_of, trail_of


def caught():
    """An error with a cause and a context, all of which talk."""
    try:
        try:
            try:
                raise KeyError("card one")
            except KeyError:
                raise LookupError("card two")  # noqa: B904 - a context, not a cause
        except LookupError as error:
            raise ValueError("card three") from error
    except ValueError as error:
        return error


def test_a_place_is_the_kind_and_where_it_came_from():
    assert place_of(caught()).startswith("ValueError at test_trouble.py:")
    assert place_of(ValueError("never raised")) == "ValueError"


def test_a_trail_names_all_errors_the_first_one_first_and_none_of_their_texts():
    trail = trail_of(caught())
    kinds = [line.split(",")[0] for line in trail.splitlines() if line.endswith(", from")]
    assert kinds == ["KeyError", "LookupError", "ValueError"]
    assert "test_trouble.py" in trail
    assert "card" not in trail


def test_whatever_logs_an_error_no_text_of_it_is_written():
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(PlacesOnly("%(message)s"))
    log = logging.getLogger("test of trouble")
    log.addHandler(handler)
    log.propagate = False
    log.error("a notice failed here", exc_info=caught())
    try:
        raise caught()
    except ValueError:
        log.exception("it failed")
    assert written.getvalue().count("ValueError, from") == 2
    assert "card" not in written.getvalue()


def test_a_database_that_went_away_is_told_from_one_that_refuses():
    assert database_away(OperationalError("select", {}, Exception()))
    assert not database_away(DataError("select", {}, Exception()))
    assert not database_away(ConnectionError())
