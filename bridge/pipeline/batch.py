"""Batch: a frame with the operation that writes it; SqlMerge, the one that is a MERGE INTO statement."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.errors import InputError, ParameterError, PlanError
from bridge.programs import WriteOperation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.programs import MergeStatement


@dataclasses.dataclass(frozen=True)
class SqlMerge:
    """A MERGE INTO statement of Spark SQL, whose source is a batch: the `operation` of a `Batch`.

    The names of table and source in the statement don't matter. ON compares the key columns, and those of the
    partition, with values of the source. The source has columns of its own.

    Attributes:
        statement: its text.
    """

    statement: str

    @classmethod
    def read(cls, path: str | Path) -> SqlMerge:
        """Read the statement of a file.

        Raises:
            InputError: it can't be read.
        """
        try:
            return cls(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            msg = f"the statement {path} can't be read: {error}; give a text file with one MERGE INTO"
            raise InputError(msg) from error

    def parsed(self, source: Sequence[str], table: Sequence[str]) -> MergeStatement:
        """Return what the statement says about a source and a table with these columns.

        Raises:
            InputError: it is no MERGE INTO statement, or has what is not supported.
        """
        from bridge.pipeline.merge_statement import parsed  # noqa: PLC0415 (executors lack sqlglot)

        return parsed(self.statement, source, table)


@dataclasses.dataclass(frozen=True)
class Batch:
    """A batch with the operation that writes it, for `Batches.of`.

    The columns of the rows depend on the operation: key and partition for `delete` and `sql_delete`; these and the
    assigned columns for `sql_update`; the partition columns for `delete_partition`; those of the source for a
    `SqlMerge`; all columns of the table for all other operations.

    Attributes:
        frame: the rows.
        operation: upsert, insert, bulk_insert, delete, insert_overwrite, insert_overwrite_table, delete_partition,
            sql_update or sql_delete; or a `SqlMerge`, whose source is the frame.
    """

    frame: DataFrame
    operation: str | SqlMerge = "upsert"


def check_numbers(operations: Iterable[int], batches: int) -> None:
    """Refuse operations of batches that are not there.

    Raises:
        ParameterError: naming the number of one.
    """
    if absent := sorted({*operations} - {*range(1, batches + 1)}):
        msg = f"`operations` {absent[0]}: the last batch is {batches}; name a batch, from 1"
        raise ParameterError(msg)


def parsed_operations(operations: Mapping[int, str | SqlMerge]) -> dict[int, WriteOperation | SqlMerge]:
    """Read the operations of batches.

    Raises:
        PlanError: an operation does not exist, or lacks its statement.
    """
    named = {n: one if isinstance(one, SqlMerge) else WriteOperation.parse(one) for n, one in operations.items()}
    for number, one in named.items():
        if one is WriteOperation.SQL_MERGE:
            msg = f"batch {number}: sql_merge needs a statement; give N=sql_merge:FILE.sql, or SqlMerge(...)"
            raise PlanError(msg)
    return named
