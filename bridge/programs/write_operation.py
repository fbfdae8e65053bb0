"""WriteOperation: how a batch is written, and what each operation requires of its rows; plain Python, no Spark.

Source: WriteOperationType, BaseSparkCommitActionExecutor and its subclasses, HoodieDeleteHelper; of the SQL statements
UpdateHoodieTableCommand and DeleteHoodieTableCommand.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import keys
from bridge.errors import PlanError
from bridge.plan import TableType
from bridge.programs.small_files import inserts_into_files, small_file_candidates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan


class WriteOperation(enum.Enum):
    """How a batch is written."""

    UPSERT = "upsert"
    INSERT = "insert"
    BULK_INSERT = "bulk_insert"
    DELETE = "delete"
    INSERT_OVERWRITE = "insert_overwrite"
    INSERT_OVERWRITE_TABLE = "insert_overwrite_table"
    DELETE_PARTITION = "delete_partition"
    SQL_UPDATE = "sql_update"
    SQL_DELETE = "sql_delete"

    @classmethod
    def parse(cls, text: str) -> WriteOperation:
        """Return the operation of a name.

        Raises:
            PlanError: there is none, or it is not ported.
        """
        try:
            return cls(text.strip().lower().replace("-", "_"))
        except ValueError as error:
            msg = f"unknown operation {text!r}; choose one of {', '.join(one.value for one in cls)}"
            raise PlanError(msg) from error

    @property
    def deletes_keys(self) -> bool:
        """Whether a row of the batch is a key to delete; its other columns mean nothing."""
        return self in {WriteOperation.DELETE, WriteOperation.SQL_DELETE}

    @property
    def inserts(self) -> bool:
        """Whether rows become new rows without a look at the table, so that a key may have several."""
        return self in {WriteOperation.INSERT, WriteOperation.BULK_INSERT} | _OVERWRITES

    @property
    def replaces(self) -> bool:
        """Whether the partitions that the batch names lose what they have, or all do."""
        return self is WriteOperation.DELETE_PARTITION or self in _OVERWRITES

    @property
    def replaces_table(self) -> bool:
        """Whether partitions that the batch does not name lose what they have, too."""
        return self is WriteOperation.INSERT_OVERWRITE_TABLE

    @property
    def is_statement(self) -> bool:
        """Whether it is an SQL statement, whose writer passes neither payload class nor merge mode."""
        return self in {WriteOperation.SQL_UPDATE, WriteOperation.SQL_DELETE}

    @property
    def writes_rows(self) -> bool:
        """Whether the rows of the batch have all columns of the table."""
        return self is WriteOperation.UPSERT or self.inserts


_OVERWRITES = {WriteOperation.INSERT_OVERWRITE, WriteOperation.INSERT_OVERWRITE_TABLE}


class Operations(NamedTuple):
    """The operations of a table's commits.

    Attributes:
        by_commit: of the commits that are not upserts, by number from 1.
        assigned: the columns that each SQL update assigns.
    """

    by_commit: Mapping[int, WriteOperation] = {}
    assigned: Mapping[int, tuple[str, ...]] = {}

    def names_keys(self, commit: int) -> bool:
        """Whether the rows of a commit are keys that lose their row."""
        operation = self.by_commit.get(commit, WriteOperation.UPSERT)
        return operation.deletes_keys or operation is WriteOperation.DELETE_PARTITION

    @property
    def make_duplicates(self) -> bool:
        """Whether a key may have several rows."""
        return any(operation.inserts for operation in self.by_commit.values())


UPSERTS = Operations()
"""Nothing but upserts."""


def check_operations(plan: MergePlan, operations: Operations) -> None:
    """Refuse operations together with settings for which they are not ported.

    Raises:
        PlanError: naming the operation and the setting.
    """
    for operation in operations.by_commit.values():
        problem = None
        if plan.has_record_index and operation.inserts:
            problem = "a record index, which has one place a key and loses the other one; upsert, or take another index"
        elif operation.inserts and plan.global_index and inserts_into_files(plan.props):
            problem = f"a global index with the small-file rule; leave out {keys.SMALL_FILE_LIMIT}"
        elif not plan.combine_before_upsert:
            problem = "batches that are not combined; set hoodie.combine.before.upsert=true"
        elif plan.inserts_to == "log":
            problem = "an index that inserts to the log; leave the index out"
        elif operation.inserts and plan.table_type is TableType.MERGE_ON_READ and small_file_candidates(plan.props):
            problem = f"the small-file rule of merge-on-read tables; leave out {keys.SMALL_FILE_LIMIT}"
        elif operation is WriteOperation.DELETE_PARTITION and not plan.partition:
            problem = "a table without partitions; name the partition columns"
        if problem is not None:
            msg = f"the operation {operation.value} is not ported for {problem}"
            raise PlanError(msg)
