"""Replay: the same batches on two sides; which keys differ after each commit, by kind, and on which data."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.errors import PySparkException
from pyspark.sql import functions as sf

from bridge.compare.grade import Grade, without_deletes, without_ties
from bridge.engines import COMMIT
from bridge.errors import PlanError, sentence_of
from bridge.pipeline import ARRIVAL, KIND, KINDS, LEFT, RIGHT, arrival_of, differences, join_rows
from bridge.plan import TableType
from bridge.programs import small_file_candidates
from bridge.report import json_rows
from bridge.spark import in_one_task, kept, quoted
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Sides

_COUNT, _BY_IDENTITY, _TEXTS = "_pb_count", "_pb_by_identity", "_pb_texts"


class Counts(NamedTuple):
    """How many keys differ after a commit, by kind."""

    commit: int
    only_left: int
    only_right: int
    changed: int

    @property
    def total(self) -> int:
        """How many keys differ."""
        return self.only_left + self.only_right + self.changed


class Difference(NamedTuple):
    """A key that differs, in JSON values.

    Attributes:
        key: the columns that identify the row.
        kind: one of `KINDS`.
        columns: those whose values differ, if both sides have the key.
        left: the row on the left side; None if there is none.
        right: the row on the right side.
        note: a remark, as a sentence.
    """

    key: dict[str, Any]
    kind: str
    columns: list[str]
    left: dict[str, Any] | None
    right: dict[str, Any] | None
    note: str | None = None


class Example(NamedTuple):
    """A difference, the commit after which it shows, and the versions of its key until then, in order of arrival.

    `row` has the columns that identify it as the texts that `explain` takes, empty for null.
    """

    commit: int
    difference: Difference
    versions: list[dict[str, Any]]
    row: dict[str, str]


@contextlib.contextmanager
def replay(versions: DataFrame, sides: Sides) -> Iterator[Replay]:
    """Run both sides over the same batches, with their numbers in `_pb_commit`; the differences are kept meanwhile.

    Raises:
        PayloadBridgeError, PySparkException: the left side fails. If only the right one fails, it is REFUSED.
        PlanError: the two plans are not an upgrade.
    """
    if sides.left.arrival is None and ARRIVAL not in versions.columns:
        versions = versions.withColumn(ARRIVAL, sf.monotonically_increasing_id())
    left = sides.left_of(versions)
    try:
        found = _found(versions, sides, left)
    except PlanError:
        raise
    except PayloadBridgeError as error:
        left.count()
        yield Replay(versions, sides, None, (), str(error))
        return
    found = kept(found)
    try:
        yield _counted(Replay(versions, sides, found, ()), left)
    finally:
        found.unpersist()


def _counted(answer: Replay, left: DataFrame) -> Replay:
    """Run both sides, and count their differences."""
    found, commits = answer.found, answer.sides.commits
    if found is None:
        return answer
    try:
        rows = found.groupBy(COMMIT, KIND).agg(sf.count(sf.lit(1)), sf.count_if(_BY_IDENTITY)).collect()
    except (PayloadBridgeError, PySparkException) as error:
        left.count()  # raises if this side is at fault
        return dataclasses.replace(answer, found=None, refused=sentence_of(error))
    numbers = {(commit, kind): number for commit, kind, number, _ in rows}
    by_identity = sum(number for commit, _, _, number in rows if commit == commits)
    counts = (Counts(commit, *(numbers.get((commit, kind), 0) for kind in KINDS)) for commit in range(1, commits + 1))
    return dataclasses.replace(answer, counts=tuple(counts), by_identity=by_identity)


def _found(versions: DataFrame, sides: Sides, left: DataFrame) -> DataFrame:
    """Return the differences; `_pb_by_identity`: there is none if IGNORE_DEFAULTS compares values, not objects."""
    keys = [COMMIT, *sides.left.identity]
    found = differences(left, sides.right_of(versions), sides.left.identity)
    if not sides.missed_defaults():
        return found.withColumn(_BY_IDENTITY, sf.lit(False))
    intended = sides.as_intended()
    same = differences(intended.left_of(versions), intended.right_of(versions), sides.left.identity)
    marked = same.select(*map(quoted, keys), sf.lit(True).alias(_COUNT))
    return join_rows(found, marked, keys, "left").withColumn(_BY_IDENTITY, sf.col(_COUNT).isNull()).drop(_COUNT)


@dataclasses.dataclass(frozen=True)
class Replay:
    """The results of a replay.

    Attributes:
        versions: all batches.
        sides: what ran.
        found: commit, key, kind and both rows of every difference; None if the right side is refused.
        counts: how many keys differ after each commit.
        refused: why the right side is refused.
        by_identity: how many keys differ after the last commit only because Hudi's IGNORE_DEFAULTS compares objects.
    """

    versions: DataFrame
    sides: Sides
    found: DataFrame | None
    counts: tuple[Counts, ...]
    refused: str | None = None
    by_identity: int = 0

    @property
    def is_equal(self) -> bool:
        """Whether the right side runs, and no key differs after any commit."""
        return self.refused is None and not any(counts.total for counts in self.counts)

    def grade(self) -> Grade:
        """Return how far the sides agree.

        Differences depend on ties, or on deletes, if the same keys without them show none: of versions with one
        ordering value the first alone, or no version that says that it deletes. Both sides run again for these keys.
        """
        if self.found is None:
            return Grade.REFUSED
        if self.is_equal:
            return Grade.IDENTICAL if self.sides.follow_one_rule else Grade.IDENTICAL_HERE
        identity = self.sides.left.identity
        keys = self.found.select(*map(quoted, identity)).distinct()
        differing = self.versions
        if not self._share_files:
            differing = join_rows(differing, keys, identity, "leftsemi", or_empty=self.sides.left.partition)
        if self._agree(without_ties(differing, self.sides.left)):
            return Grade.ON_TIES
        return Grade.ON_DELETES if self._agree(without_deletes(differing, self.sides)) else Grade.DIFFERS

    def differences(self, limit: int | None = None) -> list[Difference]:
        """Return the keys that differ after the last commit, by key."""
        if self.found is None:
            return []
        identity = map(quoted, self.sides.left.identity)
        last = self.found.where(sf.col(COMMIT) == self.sides.commits).orderBy(*identity)
        return [self._difference(row) for row in json_rows(last if limit is None else last.limit(limit))]

    def examples(self) -> list[Example]:
        """Return the smallest example of each kind: with the fewest versions, then the earliest, then by key."""
        if self.found is None or self.is_equal:
            return []
        identity = self.sides.left.identity
        key = [*map(quoted, identity)]
        sizes = self.versions.select(*key, sf.col(COMMIT).alias(_COUNT))
        so_far = join_rows(self.found.select(*key, COMMIT, KIND), sizes, identity, or_empty=self.sides.left.partition)
        so_far = so_far.where(sf.col(_COUNT) <= sf.col(COMMIT))
        counted = so_far.groupBy(*key, COMMIT, KIND).agg(sf.count(sf.lit(1)).alias(_COUNT))
        smallest = sf.min(sf.struct(_COUNT, COMMIT, *key)).alias(_COUNT)
        chosen = kept(counted.groupBy(KIND).agg(smallest).select(KIND, f"{_COUNT}.*").drop(_COUNT))
        few = chosen if in_one_task(chosen.sparkSession) else sf.broadcast(chosen)
        as_text = [sf.coalesce(one.cast("string"), sf.lit("")) for one in key]
        shown = join_rows(self.found, few, (*identity, COMMIT, KIND))
        pairs = json_rows(shown.withColumn(_TEXTS, sf.array(*as_text)))
        until = few.withColumnRenamed(COMMIT, _COUNT)
        story = join_rows(self.versions, until, identity, or_empty=self.sides.left.partition)
        story = story.where(sf.col(COMMIT) <= sf.col(_COUNT))
        versions: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
        for row in json_rows(story.orderBy(COMMIT, arrival_of(self.sides.left)).drop(ARRIVAL, _COUNT)):
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
        key = {name: row[name] for name in self.sides.left.identity}
        return Difference(key, row[KIND], columns, left, right, self._by_object() if row[_BY_IDENTITY] else None)

    def _by_object(self) -> str:
        """Say why a key differs that is equal if values are compared."""
        names = ", ".join(self.sides.missed_defaults())
        return (
            f"differs only because IGNORE_DEFAULTS of Hudi tests value and default for object identity: in {names} "
            "the default overwrites; compared by value (fidelity intended, which no release does) the sides are equal"
        )

    # -- the same keys without some of their versions

    @property
    def _share_files(self) -> bool:
        """Whether the result of a key depends on other keys: the small-file rule considers all inserts of a batch."""
        plans = self.sides.left, self.sides.right
        return any(plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props) for plan in plans)

    def _agree(self, versions: DataFrame | None) -> bool:
        if versions is None:
            return False
        sides = self.sides
        return differences(sides.left_of(versions), sides.right_of(versions), sides.left.identity).isEmpty()
