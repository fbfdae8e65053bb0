"""Batches: the input of a table, in order: frames, a frame split by a column, or files."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, TypeAlias

from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as sf

from bridge.config import capabilities
from bridge.engines import ARRIVAL, COMMIT
from bridge.errors import InputError, PlanError
from bridge.pipeline.batch import Batch, SqlMerge, check_numbers, parsed_operations
from bridge.pipeline.files import read_batches
from bridge.pipeline.layout import layout_of
from bridge.pipeline.merged_rows import check_on, source_rows
from bridge.pipeline.row_counts_report import NamedPartitions
from bridge.pipeline.split import split
from bridge.pipeline.written_keys import bare_keys, check_names
from bridge.programs import Operations, WriteOperation, check_operations
from bridge.spark import PySparkException, common_types, in_one_task, kept, quoted, with_types
from payloads.arguments import checked
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as spark_types

    from bridge.pipeline.scope import Scope
    from bridge.plan import MergePlan
    from bridge.programs import MergeStatement


class Batches:
    """The batches that are written to a table, in order; made by `of`, `by` or `read`.

    Rows stay in Spark. Batches are numbered from 1, like their commits.

    Attributes:
        names: one name per batch, for reports.
        operations: the operations of the batches that are not upserts, by number.
        statements: the MERGE INTO statements among them.
        scope: the keys that `versions` has; None for all.
        have_schema: whether the columns come from a schema, not from the files.
    """

    def __init__(
        self,
        names: Iterable[str],
        frames: Iterable[DataFrame],
        *,
        check: Callable[[], object] | None = None,
        operations: Mapping[int, WriteOperation | SqlMerge] | None = None,
        scope: Scope | None = None,
    ) -> None:
        """Take frames that have the column `_pb_commit`, with the rows of the partitions in `scope`.

        `check` parses the rows of a small input once more, and raises an error that names the file at fault.
        """
        self.names = tuple(names)
        self._frames = tuple(frames)
        self._check = check
        given = operations or {}
        self.statements = {number: one for number, one in given.items() if isinstance(one, SqlMerge)}
        self.operations = {
            n: WriteOperation.SQL_MERGE if isinstance(one, SqlMerge) else one for n, one in given.items()
        }
        self.scope = scope
        self._has_rows = False  # in the scope, as far as it is known
        self.have_schema = False

    @classmethod
    @checked
    def of(
        cls,
        frames: Iterable[DataFrame | Batch],
        names: Iterable[str] | None = None,
        *,
        scope: Scope | None = None,
    ) -> Batches:
        """Take one DataFrame per batch, in order; `names` are 1, 2 and so on by default.

        A DataFrame is upserted; a `Batch` says another operation. A later batch may have columns that the earlier ones
        lack. Rows arrive in the order of each frame, unless the plan has an arrival column.

        Raises:
            InputError: no frames are given, or their number is not that of the names.
            PlanError: an operation does not exist.
        """
        given = [one if isinstance(one, Batch) else Batch(one) for one in frames]
        found = [one.frame for one in given]
        labels = [str(number) for number in range(1, len(found) + 1)] if names is None else list(names)
        if not found or len(labels) != len(found):
            msg = f"{len(found)} frames with {len(labels)} names are not batches; give each frame one name"
            raise InputError(msg)
        operations = {number: one.operation for number, one in enumerate(given, start=1)}
        return cls(labels, _numbered(map(_narrow(scope), found)), scope=scope).written_by(operations)

    @classmethod
    @checked
    def by(cls, frame: DataFrame, column: str, *, scope: Scope | None = None) -> Batches:
        """Split one DataFrame by a column: a batch for each distinct value, in ascending order, named by the value.

        The column does not become part of the table. One job collects its distinct values; rows stay in Spark.

        Raises:
            InputError: the column is missing, has no order, or has a null; or the frame has no rows.
        """
        names, versions = split(frame, column, _narrow(scope))
        return cls(names, [versions], scope=scope)

    @classmethod
    @checked
    def read(
        cls,
        spark: SparkSession,
        path: str | Path,
        schema: spark_types.StructType | None = None,
        *,
        scope: Scope | None = None,
    ) -> Batches:
        """Read a folder, or what matches a pattern (`days/2024-*`): one file or folder per batch, in name order.

        It may lie on any storage that Spark reaches. Formats are Parquet, Avro, ORC, JSON lines and CSV.

        `schema` has the types of CSV and JSON columns; without it Spark infers them. Rows arrive in the order of files
        and lines.

        Raises:
            InputError: naming the file or folder that can't be read.
        """
        small = in_one_task(spark)
        found = read_batches(spark, path, schema, check=not small, narrow=_narrow(scope))
        check = functools.partial(read_batches, spark, path, schema) if small else None
        batches = cls([one.name for one in found], _numbered([one.frame for one in found]), check=check, scope=scope)
        batches.have_schema = schema is not None
        return batches

    def written_by(self, operations: Mapping[int, str | SqlMerge]) -> Batches:
        """Return the batches with other operations; the others keep theirs.

        Args:
            operations: how batches are written, by number from 1, if not by upsert: insert, bulk_insert,
                insert_overwrite, insert_overwrite_table, delete or sql_delete (rows name keys), delete_partition (rows
                name partitions), sql_update (rows name keys, and have the columns to assign), or a MERGE INTO statement
                (`SqlMerge`; the rows are its source).

        Raises:
            ParameterError: a batch does not exist.
            PlanError: an operation does not exist, or does not fit its batch.
        """
        check_numbers(operations, len(self))
        if operations and len(self._frames) < len(self):
            msg = "a frame that is split into batches must have complete rows; give one frame per batch (Batches.of)"
            raise PlanError(msg)
        named = parsed_operations(operations)
        if self.have_schema and WriteOperation.SQL_UPDATE in named.values():
            msg = "an SQL update assigns the columns of its file; a schema adds the others, so leave it out"
            raise PlanError(msg)
        both = {**self.operations, **self.statements, **named}
        both = {number: one for number, one in both.items() if one is not WriteOperation.UPSERT}
        found = Batches(self.names, self._frames, check=self._check, operations=both, scope=self.scope)
        found.have_schema = self.have_schema
        return found

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Batches({', '.join(self.names)})"

    @property
    def frames(self) -> tuple[DataFrame, ...]:
        """One DataFrame per batch, in order, with only the columns of the data."""
        if len(self._frames) == len(self.names):
            found = list(self._frames)
        else:
            found = [self._versions.where(sf.col(COMMIT) == number) for number in range(1, len(self) + 1)]
        return tuple(frame.drop(COMMIT, ARRIVAL) for frame in found)

    @functools.cached_property
    def rows(self) -> int:
        """How many rows all batches have, before a scope selects keys; runs one job."""
        return self._versions.count()

    def rows_of(self, plan: MergePlan) -> int:
        """Return how many rows the keys of the scope have; without a selection of keys, all rows. Runs one job."""
        if self.scope is None or not self.scope.chooses_keys:
            return self.rows
        with_keys = self._versions.where(~sf.col(COMMIT).isin(*self._naming_partitions))
        return self.scope.of_keys(with_keys, plan, self.names).count()

    def partitions_named(self, plan: MergePlan) -> NamedPartitions | None:
        """Return the partitions that `delete_partition` batches name, with `_pb_commit`; None if there are none.

        None, too, where the scope chooses keys: whether such a partition had a row can't be told by some of its keys.
        """
        numbers = self._naming_partitions
        if not numbers or (self.scope is not None and self.scope.chooses_keys):
            return None
        rows = self._versions.where(sf.col(COMMIT).isin(*numbers))
        return NamedPartitions(rows.select(COMMIT, *map(quoted, plan.partition)), tuple(numbers))

    @property
    def _naming_partitions(self) -> list[int]:
        return [number for number, one in self.operations.items() if one is WriteOperation.DELETE_PARTITION]

    @property
    def is_sample(self) -> bool:
        """Whether the scope is a sample of the keys."""
        return self.scope is not None and self.scope.is_sample

    @property
    def first(self) -> int:
        """The number of the first batch whose keys are in the scope, from 1; InputError if there is none."""
        return 1 if self.scope is None else self.scope.first(self.names)

    def versions(self, plan: MergePlan) -> DataFrame:
        """Return all rows in one frame, with the number of their batch in `_pb_commit`.

        Each batch must fit the one before it, as in a table. A small input from files is parsed once and kept. Where
        an operation names keys, or removes them, `_pb_delete` is true in a row that is a bare key.

        Raises:
            InputError: a column has two types without a wider one, or is missing later; a file can't be read; or no
                row is in the scope.
            PlanError: a column that the plan names does not exist, or the scope does not fit it.
        """
        check_operations(plan, self.operations_of(plan), len(self))
        try:
            self._check_layout(plan)
            versions = self._versions
        except (PayloadBridgeError, PySparkException, Py4JJavaError):
            if self._check is not None:
                self._check()
            raise
        if capabilities(plan.release).keeps_field_order:
            versions = with_types(versions, common_types(self._own, keeps_order=True))
        layout_of(plan, versions)
        if plan.arrival is None and ARRIVAL not in versions.columns:
            versions = versions.withColumn(ARRIVAL, sf.monotonically_increasing_id())
        if self.operations:
            versions = bare_keys(versions, plan, self.operations)
        if self.scope is None:
            return versions
        chosen = self.scope.narrow(versions, plan, self.names, has_rows=self._has_rows)
        self._has_rows = True
        return chosen

    def _check_layout(self, plan: MergePlan) -> None:
        """Check that each frame fits the one before it; incomplete rows need only the columns that they name."""
        if len(self._frames) < len(self.names):
            return
        whole = self._whole
        for older, newer in itertools.pairwise(whole):
            layout_of(plan, newer, older)
        for number, frame in enumerate(self._frames, start=1):
            if number in self.statements:
                check_on(number, self._statements[number], self._own[number - 1], plan)
            elif not self._operation(number).writes_rows:
                check_names(number, self._operation(number), frame, whole, plan)

    def _operation(self, number: int) -> WriteOperation:
        return self.operations.get(number, WriteOperation.UPSERT)

    def operations_of(self, plan: MergePlan) -> Operations:
        """Return the operations, with the columns that each SQL update assigns: those besides key and partition."""
        named = {COMMIT, ARRIVAL, *plan.identity, *plan.partition, plan.arrival}
        updates = [number for number, one in self.operations.items() if one is WriteOperation.SQL_UPDATE]
        columns = {number: self._frames[number - 1].columns for number in updates}
        assigned = {n: tuple(set(found) - named) for n, found in columns.items()}
        return Operations(self.operations, assigned, self._statements)

    @functools.cached_property
    def _statements(self) -> dict[int, MergeStatement]:
        """The MERGE INTO statements, parsed with the columns of their sources and of the table."""
        if not self.statements:
            return {}
        table = [name for name in self._whole[-1].columns if name not in {COMMIT, ARRIVAL}]
        return {number: one.parsed(self.frames[number - 1].columns, table) for number, one in self.statements.items()}

    @property
    def _whole(self) -> list[DataFrame]:
        """The frames whose rows have all columns.

        Raises:
            InputError: there are none.
        """
        whole = [one for number, one in enumerate(self._frames, start=1) if self._operation(number).writes_rows]
        if not whole:
            msg = "no batch has complete rows, so the columns of the table are unknown; add one that is upserted"
            raise InputError(msg)
        return whole

    @functools.cached_property
    def _own(self) -> list[DataFrame]:
        """The frames in columns of the table."""
        return [
            source_rows(frame, number, self._statements[number], self._whole) if number in self.statements else frame
            for number, frame in enumerate(self._frames, start=1)
        ]

    @functools.cached_property
    def _versions(self) -> DataFrame:
        # The columns of the last complete rows come first.
        in_order = sorted(enumerate(self._own, start=1), key=lambda one: self._operation(one[0]).writes_rows)
        kinds = common_types(self._own)
        frames = [with_types(frame, kinds) for _, frame in reversed(in_order)]
        frame = functools.reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)
        if self._check is None:
            return frame
        frame = kept(frame.coalesce(1))
        counts = frame.groupBy(COMMIT).count().collect()
        if len(counts) < len(self):
            self._check()  # rejects a file without rows if its types are inferred from them
        self.__dict__["rows"] = sum(number for _, number in counts)
        return frame


BatchesLike: TypeAlias = "Batches | Iterable[DataFrame | Batch]"


def as_batches(batches: BatchesLike) -> Batches:
    """Return `batches`, or the batches made of plain DataFrames in order."""
    return batches if isinstance(batches, Batches) else Batches.of(batches)


def only_upserts(batches: Batches, what: str) -> None:
    """Refuse batches with other operations.

    Raises:
        PlanError: naming the batch, and `what` does not take it.
    """
    for number, operation in batches.operations.items():
        msg = f"batch {number} is written by the operation {operation.value}, which {what} does not take; upsert it"
        raise PlanError(msg)


def _narrow(scope: Scope | None) -> Callable[[DataFrame], DataFrame]:
    return scope.in_partitions if scope is not None else lambda frame: frame


def _numbered(frames: Iterable[DataFrame]) -> list[DataFrame]:
    return [frame.withColumn(COMMIT, sf.lit(number)) for number, frame in enumerate(frames, start=1)]
