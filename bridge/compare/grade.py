"""Grades: how far two sides of a replay agree, and the versions to leave out when checking again."""

from __future__ import annotations

import enum
import functools
import operator
from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.config import DELETE_KEY, DELETE_MARKER, WRITE_PAYLOAD_CLASS, implicit_delete_marker
from bridge.engines import COMMIT, IS_DELETE
from bridge.pipeline import arrival_of, differences, join_rows
from bridge.plan import TableType
from bridge.programs import small_file_candidates
from bridge.report import Severity
from bridge.spark import distinct_keys, key_columns, quoted
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import Column, DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.programs import WriteOperation

_PLACE = "_pb_place"


class Grade(enum.Enum):
    """How far two sides agree; the first that applies."""

    REFUSED = "REFUSED"
    IDENTICAL = "IDENTICAL"
    IDENTICAL_HERE = "IDENTICAL ON THIS DATA"
    ON_TIES = "DIFFERS ON TIES"
    ON_DELETES = "DIFFERS ON DELETES"
    DIFFERS = "DIFFERS"

    @property
    def is_equal(self) -> bool:
        """Whether no key differs."""
        return self in {Grade.IDENTICAL, Grade.IDENTICAL_HERE}

    @property
    def severity(self) -> Severity:
        """What it says of the rows."""
        return Severity.REFUSED if self is Grade.REFUSED else Severity.UNCHANGED if self.is_equal else Severity.CHANGED


def overall(grades: Iterable[Grade]) -> Grade:
    """Return the grade of several comparisons together: the worst, or DIFFERS if they differ in different ways."""
    found = set(grades)
    if Grade.REFUSED in found:
        return Grade.REFUSED
    differing = {grade for grade in found if not grade.is_equal}
    if not differing:
        return Grade.IDENTICAL if found == {Grade.IDENTICAL} else Grade.IDENTICAL_HERE
    return differing.pop() if len(differing) == 1 else Grade.DIFFERS


def grade_of(found: DataFrame, versions: DataFrame, sides: Comparison, first: int = 1) -> Grade:
    """Return how far two sides agree on which some keys differ.

    Differences depend on ties, or on deletes, if the same keys without them show none: of versions with one ordering
    value the first alone, or no version that says that it deletes. Both sides run again for these keys.

    Args:
        found: the differences of a replay, at least one.
        versions: all rows of its batches, with the number of their batch.
        sides: both sides.
        first: the first commit that counts.
    """
    identity = sides.left.identity
    keys = distinct_keys(found, identity)
    differing = versions
    if not _share_files(sides):
        differing = join_rows(differing, keys, identity, "leftsemi", or_empty=sides.left.partition)
    if _agree(sides, without_ties(differing, sides), first, "without ties"):
        return Grade.ON_TIES
    no_deletes = without_deletes(differing, sides)
    return Grade.ON_DELETES if _agree(sides, no_deletes, first, "without deletes") else Grade.DIFFERS


def _share_files(sides: Comparison) -> bool:
    """Whether the result of a key depends on other keys: the small-file rule considers all inserts of a batch."""
    plans = sides.left, sides.right
    return any(plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props) for plan in plans)


def _agree(sides: Comparison, versions: DataFrame | None, first: int, what: str) -> bool:
    if versions is None:
        return False
    both = sides.left_of(versions), sides.right_of(versions)
    found = differences(*both, sides.left.identity, duplicates=sides.may_store_twice)
    with sides.job_description(versions, f"keys that differ {what}"):
        return found.where(sf.col(COMMIT) >= first).isEmpty()


def without_ties(versions: DataFrame, sides: Comparison) -> DataFrame | None:
    """Return the first of the versions of a key with the same ordering value; None if nothing orders them.

    Rows that are not whole ones, as of a delete, have no ordering value and stay.
    """
    plan = sides.left
    if not plan.ordering:
        return None
    is_partial = _of_commits(sides, lambda operation: not operation.writes_rows)
    if IS_DELETE in versions.columns:
        is_partial |= sf.coalesce(sf.col(IS_DELETE), sf.lit(False))
    tied = Window.partitionBy(*key_columns(versions, plan.identity), *map(sf.col, plan.ordering), is_partial)
    first = sf.row_number().over(tied.orderBy(COMMIT, arrival_of(plan)))
    return versions.withColumn(_PLACE, first).where(is_partial | (sf.col(_PLACE) == 1)).drop(_PLACE)


def without_deletes(versions: DataFrame, sides: Comparison) -> DataFrame | None:
    """Return the versions that neither are marked as deletes nor name keys to delete; None if none can be."""
    tests = [quoted(name).cast("string") == marker for name, marker in _markers(sides) if name in versions.columns]
    if any(operation.deletes_keys for operation in sides.operations.by_commit.values()):
        tests.append(_of_commits(sides, lambda operation: operation.deletes_keys))
    return versions.where(~sf.coalesce(functools.reduce(operator.or_, tests), sf.lit(False))) if tests else None


def _of_commits(sides: Comparison, takes: Callable[[WriteOperation], bool]) -> Column:
    """Return whether a version belongs to a commit whose operation is one of some."""
    return sf.col(COMMIT).isin([number for number, one in sides.operations.by_commit.items() if takes(one)])


def _markers(sides: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the columns and values that mark a delete on either side."""
    yield IS_DELETED, "true"
    left = sides.left
    payload = None if left.payload is None else left.writer_options()[WRITE_PAYLOAD_CLASS.key]
    for props in (left.props, sides.right.props, implicit_delete_marker(payload)):
        if DELETE_KEY.key in props and DELETE_MARKER.key in props:
            yield props[DELETE_KEY.key], props[DELETE_MARKER.key]
