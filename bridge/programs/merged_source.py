"""MergedSource: the rows that a MERGE INTO has of one key, and what it writes for them; plain Python, no Spark.

Source: MergeIntoHoodieTableCommand and ExpressionPayload, checked against tables that 0.14.0 to 1.2.0 wrote.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities
from bridge.errors import InputError
from bridge.merge import (
    LogDelete,
    MergePoint,
    MergePointError,
    PartialMerge,
    columns_of,
    key_of_version,
    merge_config,
)
from bridge.plan import TableType
from bridge.programs.sql_merge import ClauseAction
from mergers import MergerRef
from payloads import PayloadRef
from payloads.builtin import DefaultHoodieRecordPayload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.merge import Carrier, RecordMerge, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs.program import Arrival
    from bridge.programs.sql_merge import MergeClause
    from mergers import HoodieKey
    from payloads import AvroSchema, Record


class Chosen(NamedTuple):
    """The row of the source that remains of those of a key, and the clause that takes it."""

    version: Carrier
    clause: MergeClause


class PartialRow(NamedTuple):
    """A row of a log that has some columns alone."""

    record: Record
    columns: AvroSchema


class MergedSource:
    """The rows of one key: each comes once for a key that the table has, and once for another.

    Attributes:
        merge: the calls of the writer.
    """

    def __init__(self, merge: RecordMerge) -> None:
        """Set up; `merge` are the calls of a writer that passes neither payload class nor merge mode."""
        plan = merge.plan
        self._combine = merge.with_plan(_expression_plan(plan)) if plan.ordering else merge
        self.merge = merge
        if plan.table_type is TableType.COPY_ON_WRITE and not capabilities(plan.release).file_group_reader:
            self.merge = self._combine
        elif plan.table_type is TableType.COPY_ON_WRITE and capabilities(plan.release).partial_update_modes:
            self.merge = merge.with_plan(_mode_plan(plan))  # a row is replaced as a whole
        self._chosen: dict[bool, Chosen] = {}
        self._is_partial = plan.table_type is TableType.MERGE_ON_READ and capabilities(plan.release).file_group_reader

    @functools.cached_property
    def partial(self) -> PartialMerge:
        """What merges partial rows."""
        return PartialMerge(self.merge.plan, self.merge.schema)

    def take(self, key: HoodieKey, arrival: Arrival, clause: MergeClause) -> None:
        """Take a row; of several that the source has of a key, the writer's combine chooses one.

        Raises:
            MergePointError: it makes a new row of two.
        """
        version = self._combine.incoming(key, arrival.record or arrival.identity, arrival.source, arrival.ordering)
        before = self._chosen.get(clause.matched)
        if before is not None and not self.merge.plan.ordering:
            msg = (
                "the source has the key twice, and without an ordering field Hudi stores a new key twice: give one row "
                "of each key, or name the ordering field"
            )
            raise MergePointError(MergePoint.COMBINE_INPUT, InputError(msg))
        if before is not None:
            kept = self._combine.combine_input(before.version, version)
            if kept.source == before.version.source:
                return
            if kept.source != version.source:
                msg = (
                    "the source has the key twice, and the table combines both rows to a new one, which was not "
                    "recorded for MERGE INTO: give one row of each key"
                )
                raise MergePointError(MergePoint.COMBINE_INPUT, InputError(msg))
        self._chosen[clause.matched] = Chosen(version, clause)

    def chosen(self, *, matched: bool) -> Chosen | None:
        """Return the row that remains for a key that the table has, or lacks, and the clause that takes it."""
        return self._chosen.get(matched)

    def written(self, row: StoredRow | None) -> Carrier | LogDelete | PartialRow | None:
        """Return what is written to a file group with a row of the key, or for None to a new one; None for nothing.

        A delete has the ordering value of its row, which counts in a log alone.
        """
        found = self._chosen.get(row is not None)
        if found is None or found.clause.action is ClauseAction.NOTHING:
            return None
        version, clause = found
        if clause.action is ClauseAction.DELETE:
            self._check_delete(version)
            return LogDelete(version.ordering_value)
        given, old, schema = version.record or {}, {} if row is None else row.record or {}, self.merge.schema
        if row is not None and self._is_partial and len(clause.updated) < len(schema.by_name):
            if clause.lacks_columns:
                return None  # it is dropped, and no error is raised
            return PartialRow({name: given[name] for name in clause.values}, columns_of(schema, clause.values))
        rest = {} if self._is_partial else old
        record = {name: given[name] if name in clause.values else rest.get(name) for name in schema.by_name}
        # The payload of a row keeps the ordering value that its source has; what a clause assigns counts if not null.
        is_null = any(record.get(name.partition(".")[0]) is None for name in self.merge.plan.ordering)
        return self.merge.incoming(key_of_version(version), record, None, version.ordering_value if is_null else None)

    def _check_delete(self, version: Carrier) -> None:
        """Refuse to delete by a row without an ordering value, which copy-on-write tables compare as Integer 0.

        Raises:
            MergePointError: it has none.
        """
        plan, given = self.merge.plan, version.record or {}
        if plan.table_type is not TableType.COPY_ON_WRITE or not capabilities(plan.release).buffered_mergers:
            return
        missing = [name for name in plan.ordering if given.get(name.partition(".")[0]) is None]
        if missing:
            msg = (
                f"the source has a null in the ordering field {missing[0]} of a row to delete, with which Hudi "
                f"{plan.release} fails to write the copy-on-write table (ClassCastException); fill it"
            )
            raise MergePointError(MergePoint.UPSERT, InputError(msg))

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the rows."""
        yield from (one.version for one in self._chosen.values())

    def clear(self) -> None:
        """Forget the rows."""
        self._chosen.clear()


def _expression_plan(plan: MergePlan) -> MergePlan:
    """Return how ExpressionPayload combines rows, and until 0.15 merges: as DefaultHoodieRecordPayload does."""
    return dataclasses.replace(plan, payload=PayloadRef(DefaultHoodieRecordPayload.java_name), plain=False, table=None)


def _mode_plan(plan: MergePlan) -> MergePlan:
    """Return how a copy-on-write table is merged from 1.1 on: by its merge mode alone, without partial updates."""
    mode = merge_config(plan).read.mode
    return plan if mode is None else dataclasses.replace(plan, merger=MergerRef(mode.name), plain=False, table=None)
