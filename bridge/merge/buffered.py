"""What writers and readers that merge by mode share: their setup, their mergers, and results as carriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities, keys
from bridge.errors import PlanError
from bridge.merge.answers import as_stored_row, came_back
from bridge.merge.calls import Carried, PairMerge
from bridge.merge.carriers import StoredRow
from bridge.merge.kept_rows import has_odd_flag, in_columns, kept_by
from bridge.merge.ordering_values import carried_by
from bridge.merge.outcome import DELETED, KEEP, UPDATE, Outcome, RowSource
from bridge.merge.point_props import mode_props, plan_props
from bridge.merge.points import Rule
from mergers import AvroRecordMerger, HoodieRecordType, RecordMergeMode, resolve_merger
from mergers.compat import pre_combining
from mergers.strategies import CustomMerger, buffered_merger
from payloads import NATURAL_ORDER
from payloads.api import Properties
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD
from payloads.rules import DeleteTests, Marker, Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.merge.calls import Listener
    from bridge.merge.carriers import RowShape
    from bridge.merge.kept_rows import LastOfGreatest
    from bridge.merge.points import MergePoint
    from bridge.plan import MergePlan
    from mergers import HoodieRecordMerger
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema, PayloadRef, Record

_CUSTOM = RecordMergeMode.CUSTOM


class Setup(NamedTuple):
    """What the calls of a writer or reader are bound to."""

    config: EffectiveMergeConfig
    plan: MergePlan
    schema: AvroSchema
    shape: RowShape
    listener: Listener | None


def merge_props(config: EffectiveMergeConfig, plan: MergePlan, *, is_writer: bool = True) -> Properties:
    """Return the properties for mergers: the writer's, the table's merge properties, the ordering fields.

    Compaction counts as a writer, a query does not.
    """
    fields = ",".join(config.ordering)
    is_list = capabilities(plan.release).several_ordering_fields
    names = (keys.ORDERING_FIELDS.key if is_list else TABLE_PRECOMBINE_FIELD, PAYLOAD_ORDERING_FIELD)
    ordering = dict.fromkeys(names, fields) if fields else {}
    merged = config.merge_properties
    prefixed = {f"{keys.MERGE_PROPERTY_PREFIX}{name}": value for name, value in merged.items()}
    found = plan_props(plan, is_writer=is_writer) | mode_props(config.table)
    return Properties({**found, **merged, **prefixed, **ordering})


def delete_tests(schema: AvroSchema, props: Mapping[str, str]) -> DeleteTests | None:
    """Return the column tests for deletes, by the flag and by the custom marker; None if columns can't tell."""
    field, text = (props.get(key.key) for key in (keys.DELETE_KEY, keys.DELETE_MARKER))
    marker = Marker(field, text) if field and text else None
    is_nested = marker is not None and "." in marker.column
    return None if is_nested or has_odd_flag(schema) else in_columns(DeleteTests(flag=True, marker=marker), schema)


class Buffered:
    """What writer and reader share: versions are rows with an ordering value, and a mark if they are deletes."""

    def __init__(self, setup: Setup) -> None:
        """Take what all its calls share."""
        self._config, self._plan, self.schema, self._shape, self._listener = setup
        self._release = self._config.release

    def _merger(
        self, rule: PointRule, schema: AvroSchema, props: Properties, engine: HoodieRecordType, mode: str
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

    def _custom_merger(self, rule: PointRule, engine: HoodieRecordType, mode: str) -> HoodieRecordMerger:
        if rule.payload is None:
            if self._plan.merger is None:
                msg = f"the table needs a merger of the strategy {rule.strategy}; name one"
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


def kept_by_mode(
    merger: BufferedMerger, schema: AvroSchema, ordering: tuple[str, ...], *, is_consistent: bool
) -> LastOfGreatest | None:
    """Return which rows of a log a merge mode keeps; None where columns don't tell.

    Args:
        merger: the merger of the mode.
        schema: that of the rows.
        ordering: the ordering fields.
        is_consistent: whether logical timestamps are converted, which whole columns don't do.
    """
    found = kept_by(merger.rule(Point.BATCH, schema), ordering[0] if ordering else None, of_log=True)
    if found is None or found.column is None:
        return found
    field = schema.by_name.get(found.column)
    is_date = field is not None and field.schema.non_null.logical == "date"  # of which entries have another class
    return found if _can_compare(merger, ordering, is_consistent=is_consistent) and not is_date else None


def mode_merge(
    merger: BufferedMerger, schema: AvroSchema, ordering: tuple[str, ...], *, is_consistent: bool
) -> PairMerge | None:
    """Return the rule of a merge mode, or of a user's merger, for a stored and a newer row, both no deletes.

    None for one without, and where such a merger reads an ordering value that no plain column has: a call tells what
    fails there. Arguments as above.
    """
    stated = merger.stated_rule if isinstance(merger, CustomMerger) else None
    rule = merger.rule(Point.STORED, schema) if stated is None else stated
    carried = None
    if not merger.context.ordering_fields:
        carried = Carried(None, NATURAL_ORDER)
    elif _can_compare(merger, ordering, is_consistent=is_consistent):
        carried = carried_by(ordering[0], schema, merger.context.row_ordering)
    if rule is None or (rule is stated and carried is None):
        return None
    return PairMerge(rule, schema, carried, marks=True)


def _can_compare(merger: BufferedMerger, ordering: tuple[str, ...], *, is_consistent: bool) -> bool:
    """Whether one column has the values that the versions carry; until 1.0 they have other Java classes."""
    return len(ordering) == 1 and not is_consistent and capabilities(merger.context.release).buffered_mergers


def source_of(row: StoredRow | None, made: list[Record]) -> RowSource:
    """Return the source of a row that is written; a record that is not the newer one is added to `made`."""
    if row is None:
        return RowSource.NONE
    if row.source is RowSource.INCOMING:
        return RowSource.INCOMING
    made.append(row.record)
    return RowSource.MADE
