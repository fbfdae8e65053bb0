"""Replay: the same batches on two sides; which keys differ after each commit, by kind, and on which data."""

from __future__ import annotations

import collections
import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Self

from pyspark.errors import PySparkException
from pyspark.sql import functions as sf

from bridge.compare.comparison import comparison_of
from bridge.compare.differing import Counts, Difference, Example
from bridge.compare.grade import Grade, without_deletes, without_ties
from bridge.compare.replay_report import report_replays, verdict_of
from bridge.engines import COMMIT
from bridge.errors import PlanError, sentence_of
from bridge.pipeline import (
    ARRIVAL,
    KIND,
    KINDS,
    LEFT,
    RIGHT,
    arrival_of,
    as_batches,
    differences,
    join_rows,
)
from bridge.plan import TableType
from bridge.programs import small_file_candidates
from bridge.report import json_rows
from bridge.spark import in_one_task, kept, quoted
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison, Target
    from bridge.pipeline import Batches, BatchesLike
    from bridge.plan import MergePlan
    from bridge.report import Report

_COUNT, _BY_IDENTITY, _TEXTS = "_pb_count", "_pb_by_identity", "_pb_texts"


def replay(  # noqa: PLR0913 (keyword-only settings of one comparison)
    batches: BatchesLike,
    plan: MergePlan,
    to: Target,
    *,
    upgrade_after: int | None = None,
    keep_table_version: bool = False,
    compact_after: Collection[int] = (),
) -> ReplayReport:
    """Merge the same batches under two configurations, and find the keys that differ.

    Args:
        batches: the batches, or one DataFrame a batch.
        plan: one side.
        to: the other side: a release, with the other settings of `plan`; under the newest release a merge mode, a
            payload class, or a payload or merger as `package.module:Class`; or a plan.
        upgrade_after: the other side is the table of `plan`, upgraded after this batch; after the last one it is only
            read by the new release. None: a table of its own.
        keep_table_version: an upgrade leaves the table at its version.
        compact_after: the batches after which the log of a merge-on-read table is compacted, on both sides.

    Raises:
        PayloadBridgeError, PySparkException: the side of `plan` fails. Where only the other does, it is REFUSED.
        PlanError: the two make no upgrade, or nothing has the name `to`.
        InputError: a batch does not fit the one before it.

    Added in 0.1.0.
    """
    written = as_batches(batches)
    settings: dict[str, Any] = {"upgrade_after": upgrade_after, "keep_table_version": keep_table_version}
    comparison = comparison_of(plan, to, commits=len(written), compact_after=compact_after, **settings)
    return compare(written, comparison)


def compare(batches: Batches, comparison: Comparison) -> ReplayReport:
    """Write the same batches to both tables of a comparison, and count the keys that differ after each commit.

    Raises:
        PayloadBridgeError, PySparkException: the left side fails. If only the right one fails, it is REFUSED.
        PlanError: the two plans are not an upgrade.
    """
    versions = batches.versions(comparison.left)
    comparison = dataclasses.replace(comparison, operations=batches.operations_of(comparison.left))
    left = comparison.left_of(versions)
    report = ReplayReport(batches, comparison, versions, left)
    try:
        right = comparison.right_of(versions)
        found = kept(_found(versions, comparison, left, right))
    except PlanError:
        raise
    except PayloadBridgeError as error:
        left.count()
        return dataclasses.replace(report, refused=str(error))
    try:
        rows = found.groupBy(COMMIT, KIND).agg(sf.count(sf.lit(1)), sf.count_if(_BY_IDENTITY)).collect()
    except (PayloadBridgeError, PySparkException) as error:
        found.unpersist()
        left.count()  # raises if this side is at fault
        return dataclasses.replace(report, refused=sentence_of(error))
    except BaseException:
        found.unpersist()
        raise
    numbers = {(commit, kind): number for commit, kind, number, _ in rows}
    last = comparison.commits
    by_identity = sum(number for commit, _, _, number in rows if commit == last)
    counts = (Counts(commit, *(numbers.get((commit, kind), 0) for kind in KINDS)) for commit in range(1, last + 1))
    return dataclasses.replace(report, right=right, differences=found, counts=tuple(counts), by_identity=by_identity)


def _found(versions: DataFrame, sides: Comparison, left: DataFrame, right: DataFrame) -> DataFrame:
    """Return the differences; `_pb_by_identity`: there is none if IGNORE_DEFAULTS compares values, not objects."""
    keys = [COMMIT, *sides.left.identity]
    duplicates = sides.operations.make_duplicates
    found = differences(left, right, sides.left.identity, duplicates=duplicates)
    if not sides.missed_defaults():
        return found.withColumn(_BY_IDENTITY, sf.lit(False))
    intended = sides.as_intended()
    same = differences(intended.left_of(versions), intended.right_of(versions), sides.left.identity)
    marked = same.select(*map(quoted, keys), sf.lit(True).alias(_COUNT))
    return join_rows(found, marked, keys, "left").withColumn(_BY_IDENTITY, sf.col(_COUNT).isNull()).drop(_COUNT)


@dataclasses.dataclass(frozen=True, eq=False)
class ReplayReport:
    """What `replay` answers: both tables, and the keys that differ.

    Spark keeps the differences until `close`, or the end of a `with` block.

    Attributes:
        batches: what was written to both tables.
        comparison: both plans, and what the sides are called (`comparison.names`).
        versions: all rows of the batches, with the number of their batch in `_pb_commit`.
        left: the rows of the left table after each commit (`_pb_commit`, from 1).
        right: those of the right table; None if it is refused.
        differences: every difference after any commit: `_pb_commit`, the columns that identify the row, both rows as
            `_pb_left` and `_pb_right` (null for no row), `_pb_kind` (only-left, only-right, changed), and
            `_pb_by_identity boolean`, whether it exists only because Hudi's IGNORE_DEFAULTS compares objects. None
            if the right side is refused.
        counts: how many keys differ after each commit, by kind.
        refused: why the right side is refused; None if it is not.
        by_identity: how many keys differ after the last commit only because IGNORE_DEFAULTS compares objects.

    Added in 0.1.0.
    """

    batches: Batches
    comparison: Comparison
    versions: DataFrame
    left: DataFrame
    right: DataFrame | None = None
    differences: DataFrame | None = None
    counts: tuple[Counts, ...] = ()
    refused: str | None = None
    by_identity: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether the right side runs, and no key differs after any commit."""
        return self.refused is None and not any(counts.total for counts in self.counts)

    @property
    def success(self) -> bool:
        """Whether no key differs after any commit, and the right side is not refused."""
        return self.is_equal

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return verdict_of(self)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line: `sample` keys; without it all, or a readable number if not `whole`."""
        return report_replays([self], sample, whole=whole)

    def to_json(self, sample: int | None = None) -> str:
        """Return what `payload-bridge replay --output json` prints."""
        return self.to_report(sample).as_json()

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        if self.differences is not None:
            self.differences.unpersist()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @functools.cached_property
    def grade(self) -> Grade:
        """How far the sides agree.

        Differences depend on ties, or on deletes, if the same keys without them show none: of versions with one
        ordering value the first alone, or no version that says that it deletes. Both sides run again for these keys.
        """
        if self.differences is None:
            return Grade.REFUSED
        if self.is_equal:
            return Grade.IDENTICAL if self.comparison.follow_one_rule else Grade.IDENTICAL_HERE
        identity = self.comparison.left.identity
        keys = self.differences.select(*map(quoted, identity)).distinct()
        differing = self.versions
        if not self._share_files:
            differing = join_rows(differing, keys, identity, "leftsemi", or_empty=self.comparison.left.partition)
        if self._agree(without_ties(differing, self.comparison)):
            return Grade.ON_TIES
        return Grade.ON_DELETES if self._agree(without_deletes(differing, self.comparison)) else Grade.DIFFERS

    def collect(self, limit: int | None = None, *, spread: bool = False) -> list[Difference]:
        """Collect the keys that differ after the last commit, by key.

        At most `limit`: the first ones, or with `spread` those with the smallest hash, a sample of all keys that is
        always the same.
        """
        last = self.last_differences
        if last is None:
            return []
        identity = [*map(quoted, self.comparison.left.identity)]
        if limit is not None:
            last = last.orderBy(*([sf.xxhash64(*identity)] if spread else []), *identity).limit(limit)
        return [self._difference(row) for row in json_rows(last.orderBy(*identity))]

    @property
    def last_differences(self) -> DataFrame | None:
        """The differences after the last commit; None if the right side is refused."""
        return None if self.differences is None else self.differences.where(sf.col(COMMIT) == self.comparison.commits)

    @functools.cached_property
    def examples(self) -> list[Example]:
        """The smallest example of each kind: with the fewest versions, then the earliest, then by key."""
        if self.differences is None or self.is_equal:
            return []
        identity = self.comparison.left.identity
        key = [*map(quoted, identity)]
        sizes = self.versions.select(*key, sf.col(COMMIT).alias(_COUNT))
        so_far = join_rows(
            self.differences.select(*key, COMMIT, KIND), sizes, identity, or_empty=self.comparison.left.partition
        )
        so_far = so_far.where(sf.col(_COUNT) <= sf.col(COMMIT))
        counted = so_far.groupBy(*key, COMMIT, KIND).agg(sf.count(sf.lit(1)).alias(_COUNT))
        smallest = sf.min(sf.struct(_COUNT, COMMIT, *key)).alias(_COUNT)
        chosen = kept(counted.groupBy(KIND).agg(smallest).select(KIND, f"{_COUNT}.*").drop(_COUNT))
        few = chosen if in_one_task(chosen.sparkSession) else sf.broadcast(chosen)
        as_text = [sf.coalesce(one.cast("string"), sf.lit("")) for one in key]
        shown = join_rows(self.differences, few, (*identity, COMMIT, KIND))
        pairs = json_rows(shown.withColumn(_TEXTS, sf.array(*as_text)))
        until = few.withColumnRenamed(COMMIT, _COUNT)
        story = join_rows(self.versions, until, identity, or_empty=self.comparison.left.partition)
        story = story.where(sf.col(COMMIT) <= sf.col(_COUNT))
        versions: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
        for row in json_rows(story.orderBy(COMMIT, arrival_of(self.comparison.left)).drop(ARRIVAL, _COUNT)):
            versions[row.pop(KIND)].append(row)
        chosen.unpersist()
        examples = []
        for row in pairs:
            texts = dict(zip(identity, row[_TEXTS], strict=True))
            examples.append(Example(row[COMMIT], self._difference(row), versions[row[KIND]], texts))
        return sorted(examples, key=lambda example: KINDS.index(example.difference.kind))

    def _difference(self, row: dict[str, Any]) -> Difference:
        left, right = row[LEFT], row[RIGHT]
        both = left is not None and right is not None
        # The text tells 0.0 from -0.0, as the comparison does.
        columns = [name for name in left if repr(left[name]) != repr(right[name])] if both else []
        key = {name: row[name] for name in self.comparison.left.identity}
        return Difference(key, row[KIND], columns, left, right, self._by_object() if row[_BY_IDENTITY] else None)

    def _by_object(self) -> str:
        """Say why a key differs that is equal if values are compared."""
        names = ", ".join(self.comparison.missed_defaults())
        return (
            f"differs only because IGNORE_DEFAULTS of Hudi tests value and default for object identity: in {names} "
            "the default overwrites; compared by value (fidelity intended, which no release does) the sides are equal"
        )

    # -- the same keys without some of their versions

    @property
    def _share_files(self) -> bool:
        """Whether the result of a key depends on other keys: the small-file rule considers all inserts of a batch."""
        plans = self.comparison.left, self.comparison.right
        return any(plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props) for plan in plans)

    def _agree(self, versions: DataFrame | None) -> bool:
        if versions is None:
            return False
        sides = self.comparison
        duplicates = sides.operations.make_duplicates
        both = sides.left_of(versions), sides.right_of(versions)
        return differences(*both, sides.left.identity, duplicates=duplicates).isEmpty()
