"""What writers and readers that merge by mode share: their setup, their mergers, and results as carriers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.config import capabilities, keys
from bridge.errors import PlanError
from bridge.merge.answers import as_stored_row, came_back
from bridge.merge.batch_rules import carried_by
from bridge.merge.calls import Carried, PairMerge
from bridge.merge.carriers import StoredRow
from bridge.merge.outcome import DELETED, KEEP, UPDATE, Outcome, RowSource
from bridge.merge.point_props import mode_props, plan_props
from bridge.merge.points import Rule
from bridge.merge.whole_columns import pair_of
from mergers import AvroRecordMerger, HoodieRecordType, RecordMergeMode, resolve_merger
from mergers.compat import pre_combining
from mergers.strategies import buffered_merger
from payloads import NATURAL_ORDER, parse_schema
from payloads.api import Properties
from payloads.builtin import IS_DELETED, flag_tests, text_tests
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.config import EffectiveMergeConfig, PointRule
    from bridge.merge.calls import Listener
    from bridge.merge.carriers import RowShape
    from bridge.merge.points import MergePoint
    from bridge.plan import MergePlan
    from mergers import HoodieRecordMerger
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema, PayloadRef, Record
    from payloads.builtin import DeleteTest, PairRule

_CUSTOM = RecordMergeMode.CUSTOM
_NO_COLUMNS = parse_schema({"type": "record", "name": "row", "fields": []})
"""No column decides which of two rows a mode keeps."""


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


def delete_tests(schema: AvroSchema, props: Mapping[str, str]) -> tuple[DeleteTest, ...] | None:
    """Return the column tests for deletes, by the flag and by the custom marker; None if columns can't tell."""
    flag = schema.by_name.get(IS_DELETED)
    if flag is not None and flag.schema.non_null.kind != "boolean":
        return None
    field, marker = (props.get(key.key) for key in (keys.DELETE_KEY, keys.DELETE_MARKER))
    if not field or not marker:
        return flag_tests(schema)
    custom = None if "." in field else text_tests(schema, field, marker, ignore_case=False)
    return None if custom is None else (*flag_tests(schema), *custom)


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


def mode_rule(merger: BufferedMerger, ordering: tuple[str, ...], *, is_consistent: bool) -> PairRule | None:
    """Return the comparison of a merge mode; None for a mode without a rule, and for more than one comparison.

    Args:
        merger: the merger of the mode.
        ordering: the ordering fields.
        is_consistent: whether logical timestamps are converted, which whole columns don't do.
    """
    found = pair_of(merger.rule(Point.STORED, _NO_COLUMNS), ordering[0] if ordering else None, of_log=True)
    compares = found is not None and found.field is not None
    return None if compares and not _can_compare(merger, ordering, is_consistent=is_consistent) else found


def mode_merge(
    merger: BufferedMerger, schema: AvroSchema, ordering: tuple[str, ...], *, is_consistent: bool
) -> PairMerge | None:
    """Return the rule of a merge mode for a stored and a newer row; None for a mode without; arguments as above."""
    rule = merger.rule(Point.STORED, schema)
    carried = None
    if not merger.context.ordering_fields:
        carried = Carried(None, NATURAL_ORDER)
    elif _can_compare(merger, ordering, is_consistent=is_consistent):
        carried = carried_by(ordering[0], schema, merger.context.row_ordering)
    return None if rule is None else PairMerge(rule, schema, carried, marks=True)


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
