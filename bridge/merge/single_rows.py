"""Merges record by record: most keys have one newer row, and none or one stored.

Their carriers are not needed, and making them would take longer than the payload does. What the payload hands back is
read by identity here, as `answers` reads it, without a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge.calls import MergePointError
from bridge.merge.outcome import RowSource
from bridge.merge.points import MergePoint
from payloads.api import Sentinel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bridge.merge.calls import Pair, Single
    from bridge.merge.carriers import RowShape
    from bridge.merge.refused_inserts import RefusedInserts
    from payloads import AvroSchema, HoodieRecordPayload, Ordering, Record
    from payloads.api import Properties
    from payloads.user import PairCalls

    Build = Callable[[Record, Ordering | None], HoodieRecordPayload]
    ReadOrdering = Callable[[Record], Ordering | None]

_STORED, _INCOMING, _MADE, _NONE = RowSource


def pair_merge(
    calls: PairCalls, read_ordering: ReadOrdering, shape: RowShape, built_at: MergePoint, merged_at: MergePoint
) -> Pair:
    """Return what merges the stored row of a key with the newer one, and adds a record that it makes to a list."""
    (build, combine), shaped = calls, shape.stored

    def merge(stored: Record, incoming: Record, made: list[Record]) -> RowSource:
        try:
            built = build(incoming, read_ordering(incoming))
        except Exception as error:
            raise MergePointError(built_at, error) from error
        try:
            merged = combine(built, incoming, stored)
            if merged is None:
                return _NONE
            if merged is incoming:
                return _INCOMING
            if merged is stored or isinstance(merged, Sentinel):
                return _STORED
            made.append(shaped(merged))
        except Exception as error:
            raise MergePointError(merged_at, error) from error
        return _MADE

    return merge


def single_insert(  # noqa: PLR0913, PLR0917 (the parts of one call)
    build: Build,
    read_ordering: ReadOrdering,
    schema: AvroSchema,
    props: Properties,
    shape: RowShape,
    built_at: MergePoint,
    inserted_at: MergePoint,
    refusals: Mapping[MergePoint, RefusedInserts],
) -> Single:
    """Return what inserts a row without other versions of its key, and adds a record that it makes to a list."""
    refused = refusals.get(inserted_at)
    shaped = shape.stored
    # A snapshot query runs no delete test on a key that only the log has (RecordMergingFileIterator).
    tests_deletes = inserted_at is not MergePoint.SNAPSHOT

    def insert(incoming: Record, made: list[Record]) -> RowSource:
        try:
            payload = build(incoming, read_ordering(incoming))
        except Exception as error:
            raise MergePointError(built_at, error) from error
        try:
            is_delete = tests_deletes and payload.is_deleted(schema, props)
            value = None if is_delete else payload.get_insert_value(schema, props)
            if value is None or isinstance(value, Sentinel):
                if refused is not None and not is_delete:
                    refused.check(value, is_declared=payload.can_produce_sentinel())
                return _NONE
            if value is incoming:
                return _INCOMING
            made.append(shaped(value))
        except Exception as error:
            raise MergePointError(inserted_at, error) from error
        return _MADE

    return insert
