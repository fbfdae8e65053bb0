"""The merge of a log with partial updates: rows that carry only the columns that MERGE INTO names.

From the first such block on, and with the base file, rows merge column by column.
Source: PartialUpdateBufferedRecordMerger of 1.1 and later; 1.0 merges so too where the mode has an order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import capabilities
from bridge.errors import PlanError
from bridge.merge.buffered import merge_props
from bridge.merge.carriers import LogDelete, StoredRow
from bridge.merge.outcome import DELETED, SKIPPED, Action, Outcome
from bridge.merge.record_merge import merge_config
from mergers import HoodieRecordType, OverwriteWithLatestMerger, RecordMergeMode
from mergers.record import DELETE, DeleteContext
from mergers.strategies import DeleteEntry, EventTimeRecordMerger, buffered_merger
from payloads.api import Properties
from payloads.avro import parse_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.plan import MergePlan
    from mergers import HoodieKey, HoodieRecordMerger
    from payloads.avro import AvroSchema, Record

_MERGERS: dict[RecordMergeMode, HoodieRecordMerger] = {
    RecordMergeMode.COMMIT_TIME_ORDERING: OverwriteWithLatestMerger(),
    RecordMergeMode.EVENT_TIME_ORDERING: EventTimeRecordMerger(),
}
"""What merges the rows of a partial block, by merge mode."""


class PartialMerge:
    """Folds and reads as `RecordMerge` does, from a version's schema on."""

    def __init__(self, plan: MergePlan, schema: AvroSchema) -> None:
        """Bind the merge.

        Args:
            plan: how the table's own settings merge.
            schema: the table's columns, with the meta columns of its rows.

        Raises:
            PlanError: this release does not merge partial rows in the table's mode.
        """
        able = capabilities(plan.release)
        config = merge_config(plan) if able.merge_modes else None
        mode = None if config is None else config.read.mode
        if config is None or mode is None or mode not in _MERGERS:
            msg = (
                f"Hudi {plan.release} does not merge partial rows with {plan.payload_name}; use the table's own release"
            )
            raise PlanError(msg)
        if mode is RecordMergeMode.COMMIT_TIME_ORDERING and not able.buffered_mergers:
            msg = (
                f"Hudi {plan.release} can't merge partial rows in the mode COMMIT_TIME_ORDERING "
                "(OverwriteWithLatestSparkRecordMerger has no partial merge); use release 1.1 or later"
            )
            raise PlanError(msg)
        self._schema = schema
        props = merge_props(config, plan)
        self._merger = buffered_merger(
            mode,
            schema,
            props,
            release=plan.release,
            engine=HoodieRecordType.SPARK,
            merger=_MERGERS[mode],
            partial_blocks=True,
        )
        by_operation = able.operation_deletes
        own = Properties() if by_operation else props
        self._deletes = DeleteContext(own, schema, reads_operation=by_operation, release=plan.release)

    def fold_log(self, folded: Any, key: HoodieKey, entry: Any) -> Any:
        """Fold the next entry of a delete block, or row with all columns, into the folded version of the key."""
        if isinstance(entry, LogDelete):
            return self._merger.fold(folded, DeleteEntry(key, entry.ordering))
        return self.fold_row(folded, key, entry.record, self._schema)

    def fold_row(self, folded: Any, key: HoodieKey, record: Record, schema: AvroSchema) -> Any:
        """Fold a row that has the columns of `schema` alone."""
        return self._merger.fold(folded, self._version(key, record, schema, judged=True))

    def snapshot(self, base: StoredRow | None, folded: Any) -> Outcome[StoredRow]:
        """Merge the row of the base file with the folded log as a query does."""
        if base is None:
            deletes = folded.marked_delete
            return SKIPPED if deletes else Outcome(Action.INSERT, self._whole(folded))
        older = self._version(base.key, base.record or {}, self._schema, judged=False)
        merged = self._merger.final_merge(older, folded)
        if merged is older:
            return Outcome(Action.KEEP, base)
        return DELETED if merged.marked_delete else Outcome(Action.UPDATE, self._whole(merged))

    snapshot_once = compact = snapshot

    def _version(self, key: HoodieKey | None, record: Record, schema: AvroSchema, *, judged: bool) -> StoredRow:
        missing = dict.fromkeys(name for name in self._schema.by_name if name not in schema.by_name)
        full = {**record, **missing} if missing else record
        ordering = self._merger.context.row_ordering(full)
        operation = DELETE if judged and self._deletes.is_delete(full) else None
        return StoredRow(key, record, schema, None, operation, ordering)

    def _whole(self, row: Any) -> StoredRow:
        """Return a row in all columns of the table; what no version had is null."""
        record = {name: row.record.get(name) for name in self._schema.by_name}
        return StoredRow(row.key, record, self._schema)


def columns_of(schema: AvroSchema, names: Iterable[str]) -> AvroSchema:
    """Return `schema` with the columns `names` alone."""
    return schema.derived(_restricted, frozenset(names))


def _restricted(schema: AvroSchema, names: frozenset[str]) -> AvroSchema:
    fields = [field for field in schema.source["fields"] if field["name"] in names]
    return parse_schema({**schema.source, "fields": fields})
