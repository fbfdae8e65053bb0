"""The commits of a table, rebuilt as batches from log blocks and successive base files."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import Window
from pyspark.sql import functions as sf

from bridge.compare.onto_table import BASE, DELETE, PARTIAL, as_versions
from bridge.engines import COMMIT, KIND, SEQUENCE
from bridge.errors import InputError, PlanError
from bridge.pipeline import Batches
from bridge.spark import META_COLUMNS, kept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

    from bridge.hudi import FileSlice, HudiTable
    from bridge.pipeline import Scope

MOMENT = "_pb_moment"
"""The commit that wrote a version."""
_PLACE, _SLICE, _INSTANT = "_pb_place", "_pb_slice", "_pb_instant"
KEY_COLUMNS = (META_COLUMNS[3], META_COLUMNS[2])


class HeldCompaction(NamedTuple):
    """A compaction (or clustering) whose base files a table still has.

    Attributes:
        instant: its requested time.
        after: the number of commits that are older.
        groups: how many file groups it wrote.
        existing: how many file groups there were to compact: those that it wrote, and others with a log, which may be
            younger.
    """

    instant: str
    after: int
    groups: int
    existing: int


@dataclasses.dataclass(frozen=True)
class RebuiltCommits:
    """The result of `rebuilt_commits`.

    Attributes:
        batches: a batch for each commit whose rows or deletes the files hold, named by its instant.
        compactions: the compactions between them, the oldest first.
        close: releases the versions that Spark keeps.
    """

    batches: Batches
    compactions: tuple[HeldCompaction, ...]
    close: Callable[[], object]

    @property
    def compact_after(self) -> tuple[int, ...]:
        """After which batches the log is compacted when they are written again; not before the first."""
        return tuple(sorted({one.after for one in self.compactions if one.after}))

    @property
    def assumption(self) -> str:
        """What is assumed of compactions, in a sentence; empty where nothing is."""
        partly = [one for one in self.compactions if one.groups < one.existing]
        if not partly:
            return ""
        told = ", ".join(f"{one.instant} ({one.groups} of {one.existing} file groups)" for one in partly)
        return (
            f"The replay compacts all file groups at once, but the table did not at {told}: rows of the other file "
            "groups may differ from the table's."
        )


def rebuilt_commits(table: HudiTable, scope: Scope | None = None) -> RebuiltCommits:
    """Rebuild the commits of a table as batches: logged rows as they were written, else the first row in a base file.

    Args:
        table: the table.
        scope: the keys that the batches have; `since` is an instant.

    Raises:
        InputError: there are no meta columns, which name the commits, or no rows.
        PlanError: the logs hold partial updates, which can't be written again as rows of a batch.
        HudiTableError: the table can't be read.
    """
    found = kept(first_of_each(table))
    with contextlib.ExitStack() as stack:
        stack.callback(found.unpersist)
        rebuilt = _rebuilt(table, scope, found)
        stack.pop_all()
    return rebuilt


def _rebuilt(table: HudiTable, scope: Scope | None, found: DataFrame) -> RebuiltCommits:
    """Rebuild the commits of the versions that were found, which the result keeps."""
    moments = found.groupBy(MOMENT).agg(sf.max(sf.col(KIND) == PARTIAL)).orderBy(MOMENT).collect()
    if any(partial for _, partial in moments):
        msg = (
            f"{table.path} has partial updates in its logs, which can't be replayed as rows; pass the batches "
            "themselves"
        )
        raise PlanError(msg)
    names = [instant for instant, _ in moments]
    if not names:
        msg = f"{table.path} holds no rows, so there is no history to replay"
        raise InputError(msg)
    numbered = list(zip(names, range(1, len(names) + 1), strict=True))
    numbers = table.spark.createDataFrame(numbered, f"{MOMENT} string, {COMMIT} int")
    rows = as_versions(found.join(sf.broadcast(numbers), MOMENT), COMMIT).drop(KIND)
    batches = Batches(names, [rows if scope is None else scope.in_partitions(rows)], scope=scope)
    compactions = _compactions(table, names) if table.is_merge_on_read else ()
    return RebuiltCommits(batches, compactions, found.unpersist)


def first_of_each(table: HudiTable) -> DataFrame:
    """Return the versions with their commits: of one key in one commit what its log holds, else its first base row.

    Raises:
        InputError: there are no meta columns, which name the commits.
    """
    if not table.has_meta_columns:
        msg = f"{table.path} has no meta columns, so rows don't say their commit; pass the batches themselves"
        raise InputError(msg)
    is_base = sf.col(KIND) == BASE
    place = Window.partitionBy(*KEY_COLUMNS, MOMENT).orderBy(is_base, _SLICE, SEQUENCE)
    numbered = table.versions().withColumn(MOMENT, _commit_time()).withColumn(_PLACE, sf.row_number().over(place))
    return numbered.where(~is_base | (sf.col(_PLACE) == 1)).drop(_PLACE)


def _commit_time() -> Column:
    """Return the commit that wrote a version."""
    return sf.when(sf.col(KIND) == DELETE, sf.col(_INSTANT)).otherwise(sf.col(META_COLUMNS[0]))


def _compactions(table: HudiTable, names: list[str]) -> tuple[HeldCompaction, ...]:
    """Return the instants of base files that are no commit's own, with the file groups that each wrote."""
    opened = table.queries()
    latest = opened.timeline.latest
    groups = [] if latest is None else opened.slices.groups(latest)
    written: dict[str, int] = {}
    for group in groups:
        for instant in {one.base_instant for one in group if one.base_file is not None}:
            written[instant] = written.get(instant, 0) + 1
    return tuple(
        HeldCompaction(
            instant,
            sum(name < instant for name in names),
            number,
            number + sum(_passed_over(group, instant) for group in groups),
        )
        for instant, number in sorted(written.items())
        if instant not in names
    )


def _passed_over(group: Sequence[FileSlice], instant: str) -> bool:
    """Whether a compaction left a file group as it was, although it has a log."""
    before = [one for one in group if one.base_instant <= instant]
    return bool(before) and before[-1].base_instant < instant and bool(before[-1].data_logs)
