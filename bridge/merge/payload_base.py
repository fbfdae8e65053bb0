"""What writers and readers that merge with payload objects share: the calls of one payload class in one release.

Source: HoodieRecordUtils, HoodieAvroRecordMerger and the merge handles of 0.15.0 and 1.0.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.merge.answers import action_of, came_back
from bridge.merge.calls import Carried, MergePointError, PairMerge, SingleRows
from bridge.merge.carriers import PayloadVersion, StoredRow
from bridge.merge.kept_rows import deletes_of
from bridge.merge.ordering_values import carried_by
from bridge.merge.outcome import DELETED, INSERT, KEEP, SKIPPED, UPDATE, Outcome
from bridge.merge.point_props import props_of
from bridge.merge.points import MergePoint, Rule, SchemaView, calls_of
from bridge.merge.refused_inserts import refused_inserts, refused_reads
from bridge.merge.single_rows import pair_merge, single_insert
from bridge.spark import with_meta
from mergers import AvroRecordMerger
from payloads import NATURAL_ORDER, PayloadConstructorError
from payloads.api import Properties, Sentinel
from payloads.builtin import BuiltinPayload
from payloads.rules import Point
from payloads.user import PairCalls, PayloadAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.merge.calls import Listener
    from bridge.merge.carriers import RowShape
    from bridge.merge.points import Call
    from bridge.plan import MergePlan
    from payloads import AvroSchema, HoodieRecordPayload, PayloadRef, Record
    from payloads.ordering_fields import Reader
    from payloads.rules import MergeRule


def check_constructor(payload: type[HoodieRecordPayload]) -> None:
    """Reject a class of Hudi that no writer can build (HoodieRecordUtils.loadPayload).

    Raises:
        PayloadConstructorError: saying so.
    """
    if issubclass(payload, BuiltinPayload) and not payload.takes_ordering:
        msg = (
            f"{payload.__name__} has no constructor (record, ordering value), so no writer of Hudi can build it for a "
            "table; name another payload"
        )
        raise PayloadConstructorError(msg)


class CallContext(NamedTuple):
    """What a merge point passes to the payload: `passed` is the schema, None where it passes none."""

    point: MergePoint
    schema: AvroSchema
    props: Properties
    passed: AvroSchema | None


class Payloads:
    """The calls of one payload class in one release."""

    def __init__(  # noqa: PLR0913, PLR0917 (what every side of a release is made from, and its calls)
        self,
        payload: PayloadRef,
        plan: MergePlan,
        schema: AvroSchema,
        shape: RowShape,
        listener: Listener | None,
        calls: Mapping[MergePoint, Call] | None = None,
    ) -> None:
        """Resolve the class and decide all that depends on plan and schema alone; `calls` replace the release's."""
        self.schema = schema
        self.release = plan.release
        self.ordering = plan.ordering[0] if plan.ordering else None
        self._shape = shape
        self._listener = listener
        payload = payload if listener is None else listener.payload_ref(payload)
        self._pre_combine = AvroRecordMerger(payload, plan.release, "pre_combine")
        self._combine = AvroRecordMerger(payload, plan.release, "combine")
        self.payload_class = self._combine.payload_class
        self._refused = refused_inserts(plan.release)
        self._refusals = {MergePoint.INSERT: self._refused, MergePoint.COMPACT: refused_reads(plan.release)}
        schemas = {SchemaView.WRITE: schema, SchemaView.WITH_META: with_meta(schema)}
        calls = calls or calls_of(plan.release)
        views = {call.props for call in calls.values()}
        props = {view: Properties(props_of(view, plan, self.ordering)) for view in views}
        self._at = {
            point: CallContext(
                point,
                schemas[call.schema],
                props[call.props],
                schemas[call.schema] if call.passes_schema else None,
            )
            for point, call in calls.items()
        }

    def _single_rows(
        self, built_class: type[HoodieRecordPayload], read_ordering: Reader, built_at: MergePoint, at: CallContext
    ) -> SingleRows:
        """Return what `_apply` and `_insert` come to for keys with one newer row, whose payloads are `built_class`."""
        inserted_at = MergePoint.INSERT if at.point is MergePoint.UPSERT else at.point
        schema, props = self._at[inserted_at].schema, self._at[inserted_at].props
        stored = self._rule(Point.STORED, at)
        return SingleRows(
            pair_merge(_pair_calls(built_class, at), read_ordering, self._shape, built_at, at.point),
            single_insert(
                built_class, read_ordering, schema, props, self._shape, built_at, inserted_at, self._refusals
            ),
            at.point,
            inserted_at,
            None if stored is None else PairMerge(stored, at.schema, self._carried(read_ordering), marks=False),
            deletes_of(self._rule(Point.ALONE, self._at[inserted_at]), schema),
            needs_ordering=True,
        )

    def rule_at(self, point: Point, merge_point: MergePoint) -> MergeRule | None:
        """Return the rule of a built-in class at a merge point; None where the class is called."""
        return self._rule(point, self._at[merge_point])

    def _rule(self, point: Point, at: CallContext) -> MergeRule | None:
        """Return the rule of a built-in class; a user's class is called."""
        found = self.payload_class
        return found.rule(point, at.schema, at.props) if issubclass(found, BuiltinPayload) else None

    def _carried(self, read_ordering: Reader) -> Carried | None:
        """Return what payloads are built with as ordering values; None where that is in no plain column."""
        name = self.ordering
        return Carried(None, NATURAL_ORDER) if name is None else carried_by(name, self.schema, read_ordering)

    def _fold(self, at: CallContext, older: PayloadVersion, newer: PayloadVersion) -> PayloadVersion:
        try:
            merged = self._pre_combine.merge(older, newer, at.passed, at.props)  # type: ignore[arg-type]  # see passes_schema
        except Exception as error:
            raise MergePointError(at.point, error) from error
        if came_back(merged, older):
            folded = older
        elif came_back(merged, newer):
            folded = newer
        else:
            folded = PayloadVersion(newer.key, merged.payload)  # type: ignore[arg-type, union-attr]
        if self._listener is not None:
            outcome = Outcome(action_of(merged, older), folded)
            self._listener.merged(at.point, Rule.PRE_COMBINE, older, newer, outcome)
        return folded

    def _apply(self, at: CallContext, base: StoredRow, version: PayloadVersion) -> Outcome[StoredRow]:
        own = version.payload.record  # before the call: some payloads keep their result
        outcome: Outcome[StoredRow] = DELETED
        try:
            merged = self._combine.merge(base, version, at.schema, at.props)
            if came_back(merged, base):
                outcome = Outcome(KEEP, base)
            elif merged is not None:  # plain data
                outcome = Outcome(UPDATE, self._row(at, version, own, merged.record))
        except Exception as error:
            raise MergePointError(at.point, error) from error
        if self._listener is not None:
            self._listener.merged(at.point, Rule.COMBINE, base, version, outcome)
        return outcome

    def _insert(self, at: CallContext, version: PayloadVersion, *, is_tested: bool = False) -> Outcome[StoredRow]:
        payload = version.payload
        outcome: Outcome[StoredRow] = SKIPPED
        try:
            # A snapshot query runs no delete test on a key that only the log has (RecordMergingFileIterator).
            asks = not is_tested and at.point is not MergePoint.SNAPSHOT
            is_delete = asks and payload.is_deleted(at.schema, at.props)
            own = payload.record
            value = None if is_delete else payload.get_insert_value(at.schema, at.props)
            if value is not None and not isinstance(value, Sentinel):
                outcome = Outcome(INSERT, self._row(at, version, own, value))
            elif at.point in self._refusals and not is_delete:
                self._refusals[at.point].check(value, is_declared=payload.can_produce_sentinel())
        except Exception as error:
            raise MergePointError(at.point, error) from error
        if self._listener is not None:
            self._listener.merged(at.point, Rule.INSERT_VALUE, None, version, outcome)
        return outcome

    def _row(self, at: CallContext, version: PayloadVersion, own: Record | None, record: Record) -> StoredRow:
        """Make the row of a merge result: it keeps the version's source where it is the version's `own` record."""
        if version.source is not None and came_back(record, own):
            return StoredRow(version.key, record, at.schema, version.source)
        return StoredRow(version.key, self._shape.stored(record), at.schema, None, None, NATURAL_ORDER, at.point)


def _pair_calls(built_class: type[HoodieRecordPayload], at: CallContext) -> PairCalls:
    """Return the calls of a class for many pairs; those of a built-in make its payload."""
    _, schema, props, _ = at
    calls = built_class.user_calls(schema, props) if issubclass(built_class, PayloadAdapter) else None

    def merge(payload: HoodieRecordPayload, _newer: Record, stored: Record) -> Record | Sentinel | None:
        merged: Record | Sentinel | None = payload.combine_and_get_update_value(stored, schema, props)
        return merged

    return PairCalls(built_class, merge) if calls is None else calls.pair
