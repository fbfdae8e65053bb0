"""What writers and readers that merge by mode share: their setup, their mergers, and results as carriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.config import keys
from bridge.errors import PlanError
from bridge.merge.carriers import StoredRow
from mergers import AvroRecordMerger, HoodieRecordType, RecordMergeMode, resolve_merger
from mergers.compat import pre_combining
from mergers.strategies import buffered_merger
from payloads.api import Properties
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig, MergeRule
    from bridge.merge.carriers import Progress, RowShape
    from bridge.plan import MergePlan
    from mergers import HoodieRecordMerger
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema

_CUSTOM = RecordMergeMode.CUSTOM


class Setup(NamedTuple):
    """What the calls of a writer or reader are bound to."""

    config: EffectiveMergeConfig
    plan: MergePlan
    schema: AvroSchema
    shape: RowShape
    progress: Progress


def merge_props(config: EffectiveMergeConfig, plan: MergePlan) -> Properties:
    """Return the properties for mergers: the writer's, the table's merge properties, the ordering fields."""
    fields = ",".join(config.ordering)
    names = (keys.ORDERING_FIELDS.key, "hoodie.table.precombine.field", PAYLOAD_ORDERING_FIELD)
    ordering = dict.fromkeys(names, fields) if fields else {}
    merged = config.merge_properties
    prefixed = {f"{keys.MERGE_PROPERTY_PREFIX}{name}": value for name, value in merged.items()}
    return Properties({**plan.props, **merged, **prefixed, **ordering})


class Buffered:
    """What writer and reader share: versions are rows with an ordering value, and a mark if they are deletes."""

    def __init__(self, setup: Setup) -> None:
        """Take what all its calls share."""
        self._config, self._plan, self.schema, self._shape, self._progress = setup
        self._release = self._config.release

    def _merger(
        self, rule: MergeRule, schema: AvroSchema, props: Properties, engine: HoodieRecordType, mode: str
    ) -> BufferedMerger:
        """Return the merger of a rule; `mode` is what a payload's merger does where the mode is CUSTOM."""
        if rule.mode is None:
            msg = f"Hudi {self._release} has no merge mode for this table"
            raise PlanError(msg)
        custom = self._custom_merger(rule, engine, mode) if rule.mode is _CUSTOM else None
        return buffered_merger(
            rule.mode,
            schema,
            props,
            release=self._release,
            engine=engine,
            merger=custom,
            partial_update_mode=self._config.partial_update_mode,
            fidelity=self._plan.fidelity,
        )

    def _custom_merger(self, rule: MergeRule, engine: HoodieRecordType, mode: str) -> HoodieRecordMerger:
        if rule.payload is None:
            if self._plan.merger is None:
                msg = f"the table needs a merger of the strategy {rule.strategy}; name one with --merger"
                raise PlanError(msg)
            merger = resolve_merger(self._plan.merger)
            return pre_combining(merger) if mode == "pre_combine" else merger
        rows_are_avro = engine is HoodieRecordType.AVRO
        payload = self._plan.payload_ref(rule.payload)
        return AvroRecordMerger(payload, self._release, mode, rows_are_avro=rows_are_avro)

    def as_stored_row(self, merged: Any, *known: StoredRow | None) -> StoredRow:
        """Return a merge result as one of our carriers: a known one, or one with the source of its record."""
        if isinstance(merged, StoredRow):
            return merged
        source = next((row.source for row in known if row is not None and row.record is merged.record), None)
        return StoredRow(merged.key, merged.record, merged.schema, source, merged.operation, merged.ordering_value)

    def _final(self, merger: BufferedMerger, base: StoredRow, newer: StoredRow) -> StoredRow | None:
        """Return the row after a final merge: `base` itself if it stays, None for a delete."""
        merged = merger.final_merge(base, newer)
        row: StoredRow | None = base
        if merged is not base:
            row = None if merged.marked_delete else self._stored(self.as_stored_row(merged, base, newer))
        if self._progress.trace:
            self._progress.trace(self._progress.point, base, newer, row)
        return row

    def _stored(self, row: StoredRow) -> StoredRow:
        """Return a row as it is stored: in the columns of the table, unless it has a source."""
        record = row.record if row.source is not None else self._shape.stored(row.record)
        return StoredRow(row.key, record, self.schema, row.source)
