"""What writers and readers that merge by mode share: their setup, their mergers, and results as carriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import keys
from bridge.errors import PlanError
from bridge.merge.answers import as_stored_row, came_back
from bridge.merge.carriers import StoredRow
from bridge.merge.outcome import DELETED, KEEP, UPDATE, Outcome
from bridge.merge.points import Rule
from mergers import AvroRecordMerger, HoodieRecordType, RecordMergeMode, resolve_merger
from mergers.compat import pre_combining
from mergers.strategies import buffered_merger
from payloads import NATURAL_ORDER
from payloads.api import Properties
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig, MergeRule
    from bridge.merge.calls import Listener
    from bridge.merge.carriers import RowShape
    from bridge.merge.points import MergePoint
    from bridge.plan import MergePlan
    from mergers import HoodieRecordMerger
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema, PayloadRef

_CUSTOM = RecordMergeMode.CUSTOM


class Setup(NamedTuple):
    """What the calls of a writer or reader are bound to."""

    config: EffectiveMergeConfig
    plan: MergePlan
    schema: AvroSchema
    shape: RowShape
    listener: Listener | None


def merge_props(config: EffectiveMergeConfig, plan: MergePlan) -> Properties:
    """Return the properties for mergers: the writer's, the table's merge properties, the ordering fields."""
    fields = ",".join(config.ordering)
    names = (keys.ORDERING_FIELDS.key, TABLE_PRECOMBINE_FIELD, PAYLOAD_ORDERING_FIELD)
    ordering = dict.fromkeys(names, fields) if fields else {}
    merged = config.merge_properties
    prefixed = {f"{keys.MERGE_PROPERTY_PREFIX}{name}": value for name, value in merged.items()}
    return Properties({**plan.props, **merged, **prefixed, **ordering})


class Buffered:
    """What writer and reader share: versions are rows with an ordering value, and a mark if they are deletes."""

    def __init__(self, setup: Setup) -> None:
        """Take what all its calls share."""
        self._config, self._plan, self.schema, self._shape, self._listener = setup
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
        payload = self._observed(self._plan.payload_ref(rule.payload))
        return AvroRecordMerger(payload, self._release, mode, rows_are_avro=rows_are_avro)

    def _observed(self, payload: PayloadRef) -> PayloadRef:
        """Return the reference by which the class is found: the listener's, where there is one."""
        return payload if self._listener is None else self._listener.payload_ref(payload)

    def _final(
        self, merger: BufferedMerger, point: MergePoint, base: StoredRow, newer: StoredRow
    ) -> Outcome[StoredRow]:
        """Merge with the row of a base file."""
        merged = merger.final_merge(base, newer)
        outcome: Outcome[StoredRow] = DELETED
        if came_back(merged, base):
            outcome = Outcome(KEEP, base)
        elif not merged.marked_delete:
            outcome = Outcome(UPDATE, self._stored(as_stored_row(merged, base, newer), point))
        if self._listener is not None:
            self._listener.merged(point, Rule.FINAL, base, newer, outcome)
        return outcome

    def _stored(self, row: StoredRow, point: MergePoint) -> StoredRow:
        """Return a row as a merge point stores it: in the columns of the table, unless it has a source."""
        record = row.record if row.source is not None else self._shape.stored(row.record)
        return StoredRow(row.key, record, self.schema, row.source, None, NATURAL_ORDER, point)
