"""Which MERGE INTO statements Hudi refuses, which were not recorded, and what it does other than they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bridge.config import DELETE_KEY, capabilities
from bridge.errors import PlanError
from bridge.merge import merge_config
from bridge.plan import TableType
from bridge.programs.sql_merge import ClauseAction
from bridge.programs.write_operation import unrecorded
from mergers import RecordMergeMode
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.plan import MergePlan
    from bridge.programs.sql_merge import MergeStatement
    from bridge.programs.write_operation import Operations

_MOST: Final = 4
"""How many entries a map of Scala keeps in order, as clauses by condition are."""
_RECORDED: Final = frozenset(
    {
        "DefaultHoodieRecordPayload",
        "OverwriteWithLatestAvroPayload",
        "OverwriteNonDefaultsWithLatestAvroPayload",
        "PartialUpdateAvroPayload",
    }
)
"""The classes of the tables with which statements were recorded."""


def _unlike_recorded(plan: MergePlan, columns: Collection[str]) -> str | None:
    """Return what a table has that none has with which statements were recorded."""
    if DELETE_KEY.key in plan.props or IS_DELETED in columns:
        return "a marker of deletes"
    able = capabilities(plan.release)
    if plan.payload is None:
        return (
            None
            if plan.mode in {RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING}
            else (plan.payload_name)
        )
    name = plan.payload.name.rpartition(".")[2]
    partial = name.startswith(("OverwriteNonDefaults", "PartialUpdate"))
    is_recorded = name in _RECORDED and not (partial and able.file_group_reader and not able.partial_update_modes)
    return None if is_recorded else plan.payload_name


def check_statement(
    statement: MergeStatement, number: int, plan: MergePlan, columns: Collection[str], *, passes_on: bool = False
) -> None:
    """Refuse a statement that Hudi refuses for a table of these columns, or that was not recorded.

    `passes_on`: whether another release takes over the table after it.

    Raises:
        PlanError: naming the batch and the clause.
    """
    unlike = _unlike_recorded(plan, columns)
    if unlike is not None:
        msg = f"batch {number} (sql_merge): no table with {unlike} was recorded with it for Hudi {plan.release}"
        raise PlanError(msg)
    of_log = plan.table_type is TableType.MERGE_ON_READ
    check = _problem_later if capabilities(plan.release).file_group_reader else _problem_until_0_15
    problem = _problem_always(statement) or check(statement, plan, columns, of_log=of_log)
    if problem is None and of_log and passes_on and any(len(one.values) < len(columns) for one in statement.updates):
        problem = "was not recorded with an UPDATE of some columns before another release takes over; set all"
    if problem is None and of_log and any(one.reads_in_values for one in statement.updates):
        problem = "refuses a value that reads the table; compute it in the source"
    if problem is not None:
        where = " of a merge-on-read table" if of_log else ""
        msg = f"batch {number} (sql_merge): in a MERGE INTO{where} Hudi {plan.release} {problem}"
        raise PlanError(msg)


def _problem_always(statement: MergeStatement) -> str | None:
    actions = [one.action for one in statement.written]
    if actions.count(ClauseAction.DELETE) > 1:
        return "refuses a second DELETE; join the conditions of both by OR"
    many = next((one for one in (ClauseAction.UPDATE, ClauseAction.INSERT) if actions.count(one) > _MOST), None)
    if many is not None:
        what = many.value.upper()
        return f"tries more than {_MOST} {what} clauses in an order of its own; put the cases into one by CASE WHEN"
    return None


def _problem_until_0_15(
    statement: MergeStatement, plan: MergePlan, columns: Collection[str], *, of_log: bool
) -> str | None:
    if not plan.ordering:
        return (
            "without an ordering field stores a key twice that the source has twice, and leaves out deletes; name "
            "the ordering field"
        )
    if of_log and any(len(one.values) < len(columns) for one in statement.updates):
        return "refuses an UPDATE of some columns; set all"
    if of_log and any(one.reads for one in statement.written):
        return "refuses a condition that reads the table; test the source"
    return None


def _problem_later(statement: MergeStatement, plan: MergePlan, columns: Collection[str], *, of_log: bool) -> str | None:
    config = merge_config(plan)
    by_commit = config.read.mode is RecordMergeMode.COMMIT_TIME_ORDERING
    if of_log and any(len(one.values) < len(columns) for one in statement.updates):
        if config.partial_update_mode is not None:
            return "refuses an UPDATE of some columns; set all"
        if by_commit:
            return "may fail to read the log after an UPDATE of some columns (NullPointerException); set all"
    ordering = () if by_commit else plan.ordering
    left_out = [name for one in statement.updates for name in ordering if name not in one.values]
    if left_out and capabilities(plan.release).partial_update_modes:
        return f"refuses an UPDATE that leaves out the ordering field {left_out[0]}; assign it"
    is_whole = [len(one.values) == len(columns) for one in statement.updates]
    if of_log and any(is_whole) and not all(is_whole):
        return "was not recorded with an UPDATE of all columns beside one of some; set the same columns in both"
    return None


def operation_warnings(operations: Operations, *plans: MergePlan) -> list[str]:
    """Return a sentence on each operation that was not recorded, and on what Hudi does other than a statement says."""
    found = unrecorded(operations, *plans)
    for number, statement in operations.statements.items():
        what = f"batch {number} (sql_merge)"
        if statement.reorders:
            found.append(
                f"{what}: Hudi takes a row by an UPDATE whose condition holds, though a DELETE before it holds, too; "
                "let the UPDATE exclude the rows to delete"
            )
        for plan in plans:
            if plan.table_type is TableType.COPY_ON_WRITE or not capabilities(plan.release).file_group_reader:
                continue
            there = f"{what}, merge-on-read table of Hudi {plan.release}:"
            if any(one.reads for one in statement.written):
                found.append(f"{there} a condition finds null in all columns of the table; test the source")
            if any(one.lacks_columns for one in statement.clauses):
                found.append(f"{there} a clause that sets fewer columns than another changes no row; set the same ones")
    return list(dict.fromkeys(found))
