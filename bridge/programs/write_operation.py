"""WriteOperation: how a batch is written, and what each operation requires of its rows; plain Python, no Spark.

Source: WriteOperationType, BaseSparkCommitActionExecutor and its subclasses, HoodieDeleteHelper; of the SQL statements
UpdateHoodieTableCommand, DeleteHoodieTableCommand and MergeIntoHoodieTableCommand.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import keys
from bridge.errors import PlanError
from bridge.plan import TableType
from bridge.programs.small_files import inserts_into_files, small_file_candidates, updates_by_insert
from payloads.release import ByRelease

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.plan import MergePlan
    from bridge.programs.sql_merge import MergeStatement


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
    SQL_MERGE = "sql_merge"

    @classmethod
    def parse(cls, text: str) -> WriteOperation:
        """Return the operation of a name.

        Raises:
            PlanError: there is none, or it is not supported.
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
        return self in {WriteOperation.SQL_UPDATE, WriteOperation.SQL_DELETE, WriteOperation.SQL_MERGE}

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
        statements: the MERGE INTO statements.
    """

    by_commit: Mapping[int, WriteOperation] = {}
    assigned: Mapping[int, tuple[str, ...]] = {}
    statements: Mapping[int, MergeStatement] = {}

    def names_keys(self, commit: int) -> bool:
        """Whether the rows of a commit are keys that lose their row."""
        operation = self.by_commit.get(commit, WriteOperation.UPSERT)
        return operation.deletes_keys or operation is WriteOperation.DELETE_PARTITION

    def until(self, commit: int) -> Operations:
        """Return those of the commits until `commit`."""
        found = ({number: one for number, one in part.items() if number <= commit} for part in self)
        return Operations(*found)  # type: ignore[arg-type]  # each part as it was

    @property
    def delete_by_merge(self) -> bool:
        """Whether a MERGE INTO has a clause that deletes."""
        clauses = (one for statement in self.statements.values() for one in statement.written)
        return any(one.matched and not one.values for one in clauses)

    @property
    def delete_keys(self) -> bool:
        """Whether keys are deleted without data."""
        return self.delete_by_merge or any(operation.deletes_keys for operation in self.by_commit.values())

    @property
    def make_duplicates(self) -> bool:
        """Whether a key may have several rows."""
        return any(operation.inserts for operation in self.by_commit.values())


UPSERTS = Operations()
"""Nothing but upserts."""


def check_operations(plan: MergePlan, operations: Operations, commits: int = 0) -> None:
    """Refuse operations with settings for which they are not supported; of a table of some `commits`, if known.

    Raises:
        PlanError: naming the operation and the setting.
    """
    for number, operation in operations.by_commit.items():
        problem = _problem(plan, operations, number, max(commits, *operations.by_commit))
        if problem is not None:
            msg = f"the operation {operation.value} is not supported for {problem}"
            raise PlanError(msg)


def _problem(plan: MergePlan, operations: Operations, number: int, commits: int) -> str | None:
    """Return for what the operation of a commit is not supported; None if it is."""
    operation, problem = operations.by_commit[number], None
    updates = operation is WriteOperation.INSERT and updates_by_insert(plan)
    on_read = plan.table_type is TableType.MERGE_ON_READ
    inserts_alone = all(operations.by_commit.get(one) is WriteOperation.INSERT for one in range(1, commits + 1))
    if plan.has_record_index and operation.inserts:
        problem = (
            "a record index, which stores one location per key and loses the others; upsert, or take another index"
        )
    elif not plan.combine_before_upsert:
        problem = "batches that are not combined; set hoodie.combine.before.upsert=true"
    elif operation is WriteOperation.SQL_MERGE and (found := _not_merged(plan, operations, number)) is not None:
        problem = found
    elif plan.inserts_to == "log":
        problem = "an index that inserts to the log; leave the index out"
    elif updates and (found := _not_updated(plan, operations, number)) is not None:
        problem = (
            f"{found}, as it updates the row that a small file has in Hudi {plan.release}; "
            f"{keys.SMALL_FILE_LIMIT}=0 has new files written, {keys.DUPLICATE_INSERTS.key}=true a second row"
        )
    elif operation.inserts and plan.global_index and inserts_into_files(plan.props):
        problem = f"a global index with the small-file rule; leave out {keys.SMALL_FILE_LIMIT}"
    elif on_read and small_file_candidates(plan.props) and not (updates and inserts_alone):
        problem = f"the small-file rule of merge-on-read tables; leave out {keys.SMALL_FILE_LIMIT}"
    elif operation is WriteOperation.DELETE_PARTITION and not plan.partition:
        problem = "a table without partitions; name the partition columns"
    return problem


def _not_merged(plan: MergePlan, operations: Operations, number: int) -> str | None:
    """Return for what a MERGE INTO was not recorded with real Hudi; None if it was."""
    recorded = WriteOperation.SQL_MERGE in _RECORDED.at(plan.release)
    is_insert = number in operations.statements and operations.statements[number].is_insert(plan)
    problems = {
        "a batch without its statement; write it as N=sql_merge:FILE.sql": number not in operations.statements,
        "batch 1, since there is no table yet; let a batch before it make one": number == 1,
        "a record index; take another global one, or leave it out": plan.has_record_index,
        "a table whose inserts may have stored a key twice, together with a clause that reads the table; upsert these "
        "batches": _reads_duplicates(plan, operations, number),
        "a statement without UPDATE and a table without an ordering field, which insert, where inserts update small "
        f"files; leave out {keys.DUPLICATE_INSERTS.key}": is_insert and updates_by_insert(plan),
        "keys that are quarantined; leave on_error out": plan.on_error == "quarantine",
        f"Hudi {plan.release}, of which no table was recorded with it; name 0.14 or a later one": not recorded,
    }
    return next((problem for problem, is_there in problems.items() if is_there), None)


def _reads_duplicates(plan: MergePlan, operations: Operations, number: int) -> bool:
    """Whether a statement reads rows of a copy-on-write table, of which a key may have several."""
    if number not in operations.statements or plan.table_type is not TableType.COPY_ON_WRITE:
        return False
    before = [one for earlier, one in operations.statements.items() if earlier < number]
    several = operations.make_duplicates or any(one.is_insert(plan) for one in before)
    return several and any(one.reads for one in operations.statements[number].written)


def _not_updated(plan: MergePlan, operations: Operations, number: int) -> str | None:
    """Return for what an insert that updates is not supported; None if it is.

    It updates what the small file has that it goes to. A partition has one, until a bulk insert adds others or a log
    makes it none.
    """
    before = [operations.by_commit.get(one, WriteOperation.UPSERT) for one in range(1, number)]
    if plan.global_index:
        return "a global index"
    if WriteOperation.BULK_INSERT in before:
        return "a table with a bulk insert before it, whose files are not known from a key alone"
    if plan.table_type is TableType.MERGE_ON_READ and not all(one.inserts for one in before[1:]):
        return "a merge-on-read table that may have logs, whose file groups are not known from a key alone"
    return None


_RECORDED: Final = ByRelease(
    frozenset[WriteOperation](),
    {
        "0.14": {WriteOperation.INSERT, WriteOperation.SQL_MERGE},
        "0.15": set(WriteOperation),
    },
)
"""The operations besides upserts with which tables of a release were recorded."""
_NOT_GLOBAL: Final = {WriteOperation.BULK_INSERT, WriteOperation.INSERT_OVERWRITE_TABLE}
"""Those of them with which no table with a global index was recorded, under any release."""


def unrecorded(operations: Operations, *plans: MergePlan) -> list[str]:
    """Return a sentence on each release of plans of which no table with the operations was recorded."""
    found = []
    for release in dict.fromkeys(plan.release for plan in plans):
        named = sorted({one.value for one in operations.by_commit.values() if one not in _RECORDED.at(release)})
        if named:
            found.append(
                f"{', '.join(named)} under Hudi {release}: the rows follow its sources; no table of this release was "
                "recorded with it"
            )
    named = sorted({one.value for one in operations.by_commit.values() if one in _NOT_GLOBAL})
    if named and any(plan.global_index for plan in plans):
        found.append(
            f"{', '.join(named)} with a global index: the rows follow Hudi's sources; no table was recorded with both"
        )
    return found
