"""Tests of whole columns: for which rows they hold, for which they don't, and for which columns can't tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from payloads.java import any_case_pattern
from payloads.rules import IS_DELETED, spelled_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.engines.python.column_types import Mask
    from bridge.spark import ArrowColumn
    from payloads.rules import DeleteTests, Marker, TextIs

    Truth = bool | tuple[Mask, Mask] | None
    """What is known of a test for all rows; or for which rows it holds, and for which it doesn't; None: nothing."""


def negated(truth: Truth) -> Truth:
    """Return where a test does not hold."""
    return truth[::-1] if isinstance(truth, tuple) else None if truth is None else not truth


def either(one: Truth, other: Truth) -> Truth:
    """Return where one of two tests holds."""
    if one is True or other is True:
        return True
    if not isinstance(one, tuple):
        one, other = other, one
    if not isinstance(one, tuple):
        return None if one is None or other is None else False
    holds, fails = one
    if isinstance(other, tuple):
        return holds | other[0], fails & other[1]
    return holds, fails if other is False else np.zeros_like(fails)


def is_value(column: ArrowColumn | None, value: object) -> Truth:
    """Return where a column has a value, which may be null; None for a value of another type."""
    if column is None or value is None:
        return value is None if column is None else split(column.is_null())
    kinds = {bool: pa.types.is_boolean, int: pa.types.is_integer, str: pa.types.is_string, bytes: pa.types.is_binary}
    if not kinds[type(value)](column.type):
        return None
    return split(pc.equal(column, pa.scalar(value, column.type)))


def is_spelled(column: ArrowColumn | None, test: TextIs) -> Truth:
    """Return where a column has a text in other letters; None for a column of another type."""
    pattern = spelled_pattern(test, ignore_case="(?i)")
    if column is None:
        return False
    if pattern is None or not pa.types.is_string(column.type):
        return None
    return split(pc.match_substring_regex(column, pattern))


def is_delete(tests: DeleteTests, column_of: Callable[[str], ArrowColumn | None]) -> Truth:
    """Return which rows mark themselves as deletes; `column_of` gives their columns, None for one that is not there."""
    found: Truth = is_value(column_of(IS_DELETED), value=True) if tests.flag else False
    return found if tests.marker is None else either(found, _is_marker(column_of(tests.marker.column), tests.marker))


def _is_marker(column: ArrowColumn | None, marker: Marker) -> Truth:
    if column is None or not marker.ignore_case:
        return is_value(column, marker.text)
    if not pa.types.is_string(column.type):
        return None
    return split(pc.match_substring_regex(column, rf"(?i)\A{any_case_pattern(marker.text)}\z"))


def split(answers: ArrowColumn) -> tuple[Mask, Mask]:
    """Return where a test holds, and where not: null is not."""
    holds = mask(answers)
    return holds, ~holds


def mask(answers: ArrowColumn) -> Mask:
    """Return where answers are true."""
    result: Mask = pc.fill_null(answers, False).to_numpy(zero_copy_only=False)
    return result
