"""Merges record by record where a user's class decides in mode CUSTOM: without carriers and adapters.

What the carriers of `ModeWriter` and `FileGroupReader` and the rules of `AvroRecordMerger` come to for a pair of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.merge.calls import MergePointError
from bridge.merge.carriers import with_meta_columns
from bridge.merge.outcome import RowSource
from bridge.merge.points import MergePoint
from mergers.record import greater_ordering_value, row_ordering_value
from mergers.strategies import CustomMerger, CustomMergerV1_0
from payloads import NATURAL_ORDER, PayloadFailedError
from payloads.api import Sentinel
from payloads.user import PayloadAdapter

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.merge.calls import Pair, Single
    from bridge.merge.carriers import RowShape
    from bridge.merge.refused_inserts import RefusedInserts
    from mergers.record import DeleteContext
    from mergers.strategies import BufferedMerger
    from payloads import AvroSchema, Ordering, Record
    from payloads.api import Properties
    from payloads.ordering_fields import Reader
    from payloads.user import UserCalls

_STORED, _INCOMING, _MADE, _NONE = RowSource
_OF_PAYLOADS = (CustomMerger, CustomMergerV1_0)
_ORDERED = frozenset({"boolean", "int", "long", "float", "double", "string"})


def calls_of_user(merger: BufferedMerger, schema: AvroSchema, props: Properties) -> UserCalls | None:
    """Return the calls of the class that decides; None where another rule does, or reading an ordering may fail."""
    if not isinstance(merger, CustomMerger | CustomMergerV1_0) or type(merger) not in _OF_PAYLOADS:
        return None
    payload_class = merger.payload_class
    if payload_class is None or not issubclass(payload_class, PayloadAdapter):
        return None
    if isinstance(merger, CustomMergerV1_0) and payload_class.gives_ordering():
        return None
    fields = (schema.by_name.get(name) for name in merger.context.ordering_fields)
    if any(field is None or field.schema.non_null.kind not in _ORDERED for field in fields):
        return None
    return payload_class.for_schema(schema).user_calls(schema, props)


class UserRows:
    """The calls of a user's class at one merge point.

    A record that the class makes is read for its ordering value as the merge does: that can fail.
    """

    def __init__(
        self, calls: UserCalls, merger: BufferedMerger, schema: AvroSchema, props: Properties, shape: RowShape
    ) -> None:
        """Bind the calls; arguments as those of the merger."""
        self._calls = calls
        self._context = merger.context
        self._schema = schema
        self._props = props
        self._shape = shape
        self._is_1_0 = isinstance(merger, CustomMergerV1_0)

    def written_pair(self, read_ordering: Reader, indexed_sentinel: str | None) -> Pair:
        """Return what a writer does with a stored row and an incoming one; `read_ordering` reads the latter's value.

        The class is built twice, as in Hudi: to test the row for a delete, and to merge it. `indexed_sentinel` says why
        SENTINEL can't be merged, where the row to merge is the insert value; None where it is the incoming row.
        """
        build, merge, is_deleted = self._calls.build, self._calls.merge, self._calls.is_deleted
        row_ordering = self._context.row_ordering
        indexed = None if indexed_sentinel is None else self._indexed(indexed_sentinel)

        def pair(stored: Record, incoming: Record, made: list[Record]) -> RowSource:
            try:
                ordering = read_ordering(incoming)
                given = NATURAL_ORDER if ordering is None else ordering
                tested = build(incoming, given)
                is_delete = is_deleted(tested, incoming)
            except Exception as error:
                raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
            try:
                newer = incoming if indexed is None else indexed(tested, incoming)
                if is_delete and given.is_default and ordering is not None:
                    return _NONE
                merged = merge(build(newer, given), newer, stored)
                if merged is None:
                    if not is_delete:
                        greater_ordering_value(row_ordering(stored), ordering)
                    return _NONE
                if merged is stored:
                    return _STORED
                if merged is incoming or (is_delete and merged is newer):
                    return _NONE if is_delete else _INCOMING
                made.append(self._shape.stored(newer) if merged is newer else self._made(merged))
            except Exception as error:
                raise MergePointError(MergePoint.UPSERT, error) from error
            return _MADE

        return pair

    def _indexed(self, sentinel: str) -> Callable[[Any, Record], Record | None]:
        """Return what gives the record of a payload that a merge gets; `sentinel` says why it can't be SENTINEL."""
        insert_value = self._calls.insert_value

        def indexed(built: object, incoming: Record) -> Record | None:
            value = insert_value(built, incoming)
            if isinstance(value, Sentinel):
                raise PayloadFailedError(sentinel)
            return value

        return indexed

    def written_single(
        self, read_ordering: Reader, refused: RefusedInserts, row_test: Callable[[Record], bool] | None
    ) -> Single:
        """Return what a writer does with an incoming row of a new key.

        `row_test` finds deletes by the columns of the row; None where the class is asked.
        """
        build, is_deleted, insert_value = self._calls.build, self._calls.is_deleted, self._calls.insert_value
        shaped, declares_sentinel = self._shape.stored, self._calls.declares_sentinel

        def single(incoming: Record, made: list[Record]) -> RowSource:
            try:
                ordering = read_ordering(incoming)
                built = build(incoming, NATURAL_ORDER if ordering is None else ordering)
                if is_deleted(built, incoming) if row_test is None else row_test(incoming):
                    return _NONE
            except Exception as error:
                raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
            try:
                value = insert_value(built, incoming)
                if value is incoming:
                    return _INCOMING
                if value is None or isinstance(value, Sentinel):
                    refused.check(value, is_declared=declares_sentinel(built))
                    return _NONE
                made.append(shaped(value))
            except Exception as error:
                raise MergePointError(MergePoint.INSERT, error) from error
            return _MADE

        return single

    def read_pair(self, point: MergePoint, deletes: DeleteContext, of_delete: Pair) -> Pair:
        """Return what a reader does with a stored row and one of the log; `of_delete` merges one that is a delete."""
        merge = self._merged_1_0 if self._is_1_0 else self._merged
        row_ordering: Callable[[Record], Ordering] = self._context.row_ordering
        is_delete = deletes.is_delete

        def pair(stored: Record, logged: Record, made: list[Record]) -> RowSource:
            try:
                newer = with_meta_columns(logged)
                deletes_row, ordering = is_delete(newer), row_ordering(newer)
            except Exception as error:
                raise MergePointError(MergePoint.LOG_FOLD, error) from error
            if deletes_row:
                return of_delete(stored, logged, made)
            try:
                older = with_meta_columns(stored)
                merged = merge(older, newer, ordering)
                if merged is newer:
                    return _INCOMING
                if merged is older:
                    return _STORED
                if merged is None:
                    greater_ordering_value(row_ordering(older), ordering)
                    return _NONE
                made.append(self._made(merged))
            except Exception as error:
                raise MergePointError(point, error) from error
            return _MADE

        return pair

    def _merged(self, older: Record, newer: Record, ordering: Ordering) -> Record | Sentinel | None:
        calls = self._calls
        return calls.merge_lent(calls.build(newer, ordering), newer, older)

    def _merged_1_0(self, older: Record, newer: Record, ordering: Ordering) -> Record | Sentinel | None:
        """Merge as 1.0 does: the stored row is what a payload that is built of it inserts."""
        calls = self._calls
        first, last = calls.build(older, self._context.row_ordering(older)), calls.build(newer, ordering)
        stored = calls.insert_value(first, older)
        return None if stored is None or isinstance(stored, Sentinel) else calls.merge(last, newer, stored)

    def _made(self, record: Record | Sentinel) -> Record:
        """Return a record that the class made as it is stored."""
        found: Record = record  # type: ignore[assignment]  # calls give the stored row in place of SENTINEL
        if not self._is_1_0:
            row_ordering_value(found, self._schema, self._props, self._context.release)
        if not self._context.rows_are_avro:
            self._context.row_ordering(found)
        return self._shape.stored(found)
