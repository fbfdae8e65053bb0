"""What writers and readers that merge with payload objects share: the calls of one payload class in one release.

Source: HoodieRecordUtils, HoodieAvroRecordMerger and the merge handles of 0.15.0 and 1.0.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.merge.carriers import StoredRow, Version
from bridge.merge.points import MergePoint, SchemaView, calls_of, props_of
from bridge.spark import with_meta
from mergers import AvroRecordMerger
from payloads import SENTINEL, PayloadConstructorError
from payloads.api import Properties
from payloads.builtin import BuiltinPayload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.merge.carriers import Progress, RowShape
    from bridge.merge.points import Call
    from bridge.plan import MergePlan
    from payloads import AvroSchema, HoodieRecordPayload, PayloadRef, Record


def check_constructor(payload: type[HoodieRecordPayload]) -> None:
    """Reject a class of Hudi that no writer can build (HoodieRecordUtils.loadPayload).

    Raises:
        PayloadConstructorError: saying so.
    """
    if issubclass(payload, BuiltinPayload) and not payload.takes_ordering:
        msg = (
            f"{payload.__name__} has no constructor (record, ordering value), so no writer of Hudi can build it for a "
            "table; name another payload with --payload"
        )
        raise PayloadConstructorError(msg)


class _At(NamedTuple):
    """What a merge point passes to the payload."""

    point: MergePoint
    schema: AvroSchema
    props: Properties


class Payloads:
    """The calls of one payload class in one release."""

    def __init__(  # noqa: PLR0913, PLR0917 (what every side of a release is made from, and its calls)
        self,
        payload: PayloadRef,
        plan: MergePlan,
        schema: AvroSchema,
        shape: RowShape,
        progress: Progress,
        calls: Mapping[MergePoint, Call] | None = None,
    ) -> None:
        """Resolve the class and decide all that depends on plan and schema alone; `calls` replace the release's."""
        self.schema = schema
        self.release = plan.release
        self.ordering = plan.ordering[0] if plan.ordering else None
        self._shape = shape
        self._progress = progress
        self._pre_combine = AvroRecordMerger(payload, plan.release, "pre_combine")
        self._combine = AvroRecordMerger(payload, plan.release, "combine")
        self.payload_class = self._combine.payload_class
        schemas = {SchemaView.WRITE: schema, SchemaView.WITH_META: with_meta(schema)}
        self._at = {
            point: _At(point, schemas[call.schema], Properties(props_of(call.props, plan.props, self.ordering)))
            for point, call in (calls or calls_of(plan.release)).items()
        }

    def _fold(self, at: _At, older: Version, newer: Version) -> Version:
        self._progress.point = at.point
        merged: Any = self._pre_combine.merge(older, newer, at.schema, at.props)
        if merged is not older and merged is not newer:
            merged = Version(newer.key, merged.payload)  # type: ignore[arg-type]
        if self._progress.trace:
            self._progress.trace(at.point, older, newer, merged)
        return merged  # type: ignore[no-any-return]

    def _apply(self, at: _At, base: StoredRow, version: Version) -> StoredRow | None:
        self._progress.point = at.point
        own = version.payload.record  # before the call: some payloads keep their result
        row: Any = self._combine.merge(base, version, at.schema, at.props)
        if row is not None and row is not base:
            row = self._row(version, own, row.record, at.schema)
        if self._progress.trace:
            self._progress.trace(at.point, base, version, row)
        return row  # type: ignore[no-any-return]

    def _insert(self, at: _At, version: Version) -> StoredRow | None:
        self._progress.point, schema, props = at
        payload = version.payload
        # A snapshot query runs no delete test on a key that only the log has (RecordMergingFileIterator).
        is_delete = at.point is not MergePoint.SNAPSHOT and payload.is_deleted(schema, props)
        own = payload.record
        value: Any = None if is_delete else payload.get_insert_value(schema, props)
        row = None if value is None or value is SENTINEL else self._row(version, own, value, schema)
        if self._progress.trace:
            self._progress.trace(at.point, None, version, row)
        return row

    def _row(self, version: Version, own: Record | None, record: Record, schema: AvroSchema) -> StoredRow:
        """Make the row of a merge result: it keeps the version's source where it is the version's `own` record."""
        if record is own and version.source is not None:
            return StoredRow(version.key, record, schema, version.source)
        return StoredRow(version.key, self._shape.stored(record), schema)
