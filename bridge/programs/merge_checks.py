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
from payloads import HudiRelease
from payloads.builtin import IS_DELETED

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.plan import MergePlan
    from bridge.programs.sql_merge import MergeStatement
    from bridge.programs.write_operation import Operations

_MOST: Final = 4
"""How many entries a map of Scala keeps in order, as clauses by condition are."""
_SOME_COLUMNS: Final = "an UPDATE of some columns; set all"
_FEWER: Final = (
    "a clause that sets fewer columns than another changes no row, or stores null in the others where all clauses "
    "together set every column; set the same ones"
)
_AFTER_DELETES: Final = (
    "Hudi fails to read a log (NullPointerException) in which a key is deleted and then written again, after an UPDATE "
    "of some columns; here only keys fail that have such an UPDATE themselves, not others of their file group; set all "
    "columns"
)
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
    if any("." in name for name in plan.ordering):
        return "a nested ordering field"
    if plan.payload is None:
        return (
            None
            if plan.mode in {RecordMergeMode.EVENT_TIME_ORDERING, RecordMergeMode.COMMIT_TIME_ORDERING}
            else (plan.payload_name)
        )
    return None if plan.payload.name.rpartition(".")[2] in _RECORDED else plan.payload_name


def check_statement(  # noqa: PLR0913 (keyword-only settings of one table)
    statement: MergeStatement,
    number: int,
    plan: MergePlan,
    columns: Collection[str],
    *,
    is_upgraded: bool = False,
    deletes: bool = False,
) -> None:
    """Refuse a statement that Hudi refuses for a table of these columns, or that was not recorded.

    `is_upgraded`: whether another release upgrades the table later; `deletes`: whether any statement deletes.

    Raises:
        PlanError: naming the batch and the clause.
    """
    if plan.release.is_preview:
        partial = any(len(one.values) < len(columns) for one in statement.updates)
        what = f"refuses {_SOME_COLUMNS}" if partial else "is not described by its sources; upsert the rows"
        msg = f"batch {number} (sql_merge): a MERGE INTO by Hudi {plan.release} {what} (apache/hudi#19322)"
        raise PlanError(msg)
    unlike = _unlike_recorded(plan, columns)
    if unlike is not None:
        msg = f"batch {number} (sql_merge): no table with {unlike} was recorded with it for Hudi {plan.release}"
        raise PlanError(msg)
    of_log = plan.table_type is TableType.MERGE_ON_READ
    check = _problem_later if capabilities(plan.release).file_group_reader else _problem_until_0_15
    problem = _problem_always(statement) or check(statement, plan, columns, of_log=of_log)
    if problem is None and of_log and is_upgraded and any(len(one.values) < len(columns) for one in statement.updates):
        problem = "was not recorded with an UPDATE of some columns before an upgrade; set all columns"
    is_partial = of_log and bool(statement.updates) and len(statement.updated) < len(columns)
    if problem is None and is_partial and deletes and not capabilities(plan.release).buffered_mergers:
        problem = (
            "deletes by a lower ordering value, too, in a file group whose log has an UPDATE of some columns; which "
            "rows it has is not known from a key alone: set all columns, or leave WHEN MATCHED THEN DELETE out"
        )
    if problem is None and plan.global_index:
        problem = _problem_global(statement, plan, columns, of_log=of_log)
    if problem is None and of_log and any(one.reads_in_values for one in statement.updates):
        problem = "refuses a value that reads the table; compute it in the source"
    if problem is None and of_log and _is_unreadable(statement):
        problem = (
            "changes no matched row, or fails, if a condition that reads the table is one of several, or can hold for "
            "null; test the source"
        )
    if problem is not None:
        where = " of a merge-on-read table" if of_log else ""
        msg = f"batch {number} (sql_merge): in a MERGE INTO{where} Hudi {plan.release} {problem}"
        raise PlanError(msg)


def _is_unreadable(statement: MergeStatement) -> bool:
    """Whether a condition reads the table of a log otherwise than as one that finds no row."""
    matched = [one for one in statement.written if one.matched]
    return any(one.reads and (len(matched) > 1 or not one.fails_on_null) for one in matched)


def _problem_always(statement: MergeStatement) -> str | None:
    actions = [one.action for one in statement.written]
    if actions.count(ClauseAction.DELETE) > 1:
        return "refuses a second DELETE; join the conditions of both by OR"
    many = next((one for one in (ClauseAction.UPDATE, ClauseAction.INSERT) if actions.count(one) > _MOST), None)
    if many is not None:
        what = many.value.upper()
        return f"tries more than {_MOST} {what} clauses in an order of its own; put the cases into one by CASE WHEN"
    return None


def _problem_global(
    statement: MergeStatement, plan: MergePlan, columns: Collection[str], *, of_log: bool
) -> str | None:
    """Return what no table with a global index was recorded with, or what fails there."""
    if plan.release < HudiRelease.V0_14:
        return "was not recorded with a global index; leave it out, or name 0.14 or a later one"
    unlike = {
        "a table without an ordering field; name one": not plan.ordering,
        _SOME_COLUMNS: any(len(one.values) < len(columns) for one in statement.updates),
        "a clause that reads the table; compute it in the source": any(one.reads for one in statement.written),
    }
    found = next((what for what, is_there in unlike.items() if is_there), None)
    if found is not None:
        return f"was not recorded with a global index and {found}"
    can = capabilities(plan.release)
    if of_log and can.buffered_mergers and any(one.action is ClauseAction.DELETE for one in statement.written):
        return "fails on a DELETE of a table with a global index; delete by DELETE FROM"
    fails = of_log or plan.release < HudiRelease.V0_15  # there with an ArrayIndexOutOfBoundsException
    if fails and not can.file_group_reader and plan.moves_rows:
        return "fails, if a global index moves rows; upsert them, or let it move none"
    if of_log and can.file_group_reader and not can.buffered_mergers and not plan.moves_rows:
        return "may fail to read the log, if a global index moves no rows; let it move them"
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
        return f"refuses {_SOME_COLUMNS}"
    if of_log and any(one.reads for one in statement.written):
        return "refuses a condition that reads the table; test the source"
    return None


def _problem_later(statement: MergeStatement, plan: MergePlan, columns: Collection[str], *, of_log: bool) -> str | None:
    config = merge_config(plan)
    by_commit = config.read.mode is RecordMergeMode.COMMIT_TIME_ORDERING
    if of_log and any(len(one.values) < len(columns) for one in statement.updates):
        if config.partial_update_mode is not None or config.read.mode is RecordMergeMode.CUSTOM:
            keyless = any(name not in one.values for one in statement.updates for name in plan.key)
            return f"{'refuses' if keyless else 'was not recorded with'} {_SOME_COLUMNS}"
        if by_commit and len(statement.updated) < len(columns) and not capabilities(plan.release).buffered_mergers:
            return "fails to read the log after an UPDATE of some columns; set all"
    return _wrongly_assigned(statement, plan, columns, of_log=of_log)


def _wrongly_assigned(
    statement: MergeStatement, plan: MergePlan, columns: Collection[str], *, of_log: bool
) -> str | None:
    """Return what 1.x refuses, or does, for columns that a clause does not assign."""
    unnamed = [name for name in plan.key if statement.source and name.lower() not in statement.source]
    if statement.updates and (keys := [name for name in unnamed if name not in statement.updated]):
        return f"refuses an UPDATE by a source without the key column {keys[0]}; assign it there"
    is_by_event = merge_config(plan).read.mode is RecordMergeMode.EVENT_TIME_ORDERING
    assigning = [one for one in statement.written if one.values] if is_by_event else []
    left_out = [(one.action, name) for one in assigning for name in plan.ordering if name not in one.values]
    for action, name in left_out:
        what = f"an {action.value.upper()} that leaves out the ordering field {name}; assign it"
        if action is ClauseAction.INSERT or capabilities(plan.release).partial_update_modes:
            return f"refuses {what}"
        if of_log:
            return f"fails to read the log after {what}"
    if of_log and all(name in statement.updated for name in columns):
        places = [name for one in statement.updates for name in (*plan.key, *plan.partition) if name not in one.values]
        if places:
            return f"stores null in {places[0]}, which one clause assigns and another leaves out; assign it in each"
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
            if statement.is_insert(plan):
                found.append(
                    f"{what}: without an ordering field and an UPDATE, Hudi {plan.release} looks no key up: it inserts "
                    "rows whose key the table has, and deletes nothing; name an ordering field"
                )
            if plan.table_type is TableType.COPY_ON_WRITE or not capabilities(plan.release).file_group_reader:
                continue
            there = f"{what}, merge-on-read table of Hudi {plan.release}:"
            if any(one.reads for one in statement.written):
                found.append(f"{there} a condition finds null in all columns of the table; test the source")
            if any(one.lacks_columns for one in statement.clauses):
                found.append(f"{there} {_FEWER}")
            by_commit = merge_config(plan).read.mode is RecordMergeMode.COMMIT_TIME_ORDERING
            if statement.is_partial and by_commit and operations.delete_keys:
                found.append(f"{there} {_AFTER_DELETES}")
    return list(dict.fromkeys(found))
