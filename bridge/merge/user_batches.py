"""What a writer makes of the rows of a batch where a user's class decides: the calls of `UserBatch`, without carriers.

They come to what the programs and carriers of `PayloadWriter` and `ModeWriter` do with a key of one or two rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import capabilities
from bridge.merge.calls import DELETES, MadeVersion, MergePointError
from bridge.merge.delete_block import read_back
from bridge.merge.outcome import RowSource
from bridge.merge.points import MergePoint
from mergers.record import greater_ordering_value, row_ordering_value
from payloads import NATURAL_ORDER
from payloads.api import Sentinel

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.merge.carriers import RowShape
    from bridge.merge.payload_base import CallContext
    from bridge.merge.refused_inserts import RefusedInserts
    from payloads import AvroSchema, HudiRelease, Ordering, Record
    from payloads.api import Properties
    from payloads.ordering_fields import Reader
    from payloads.user import UserCalls

_STORED, _INCOMING, _MADE, _NONE = RowSource


class _Logged:
    """What becomes of a row in a log."""

    def __init__(self, calls: UserCalls, refused: RefusedInserts, shape: RowShape) -> None:
        self._calls = calls
        self._refused = refused
        self._shaped = shape.stored

    def _logged(self, built: object, incoming: Record, made: list[object]) -> RowSource:
        """Return what an insert value becomes in a log."""
        value = self._calls.insert_value(built, incoming)
        if value is incoming:
            return _INCOMING
        if value is None or isinstance(value, Sentinel):
            self._refused.check(value, is_declared=self._calls.declares_sentinel(built))
            return _STORED
        made.append(self._shaped(value))
        return _MADE


class PayloadBatch(_Logged):
    """The calls until 1.0."""

    def __init__(  # noqa: PLR0913, PLR0917 (the parts of one call)
        self,
        calls: UserCalls,
        read_ordering: Reader,
        at_insert: CallContext,
        shape: RowShape,
        release: HudiRelease,
        refused: RefusedInserts,
    ) -> None:
        """Take the class, what reads ordering values, what an insert passes, and what it refuses."""
        super().__init__(calls, refused, shape)
        self._read_ordering = read_ordering
        self._at = at_insert
        self._asks_twice = capabilities(release).file_group_reader  # as PayloadWriter
        self._release = release

    def survivor(self, incoming: Record, _made: list[object]) -> RowSource:
        """Return what a row alone is."""
        try:
            built = self._calls.build(incoming, self._read_ordering(incoming))
            is_delete = self._calls.is_deleted(built, incoming)
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        return _NONE if is_delete else _INCOMING

    def combine(self, older: Record, newer: Record, made: list[object]) -> int:
        """Return which of two rows survives."""
        calls, read_ordering = self._calls, self._read_ordering
        try:
            first = calls.build(older, read_ordering(older))
            last = calls.build(newer, read_ordering(newer))
            kept = calls.pre_combine(last, first, newer)
            if kept is last:
                return _INCOMING + DELETES * calls.is_deleted(last, newer)
            if kept is first:
                return _STORED + DELETES * calls.is_deleted(first, older)
            is_delete = kept.is_deleted(self._at.schema, self._at.props)
            record = None if kept.record is None else self._shaped(kept.record)
            made.append(MadeVersion(record, is_delete, kept.get_ordering_value()))
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        return _MADE

    def entry(self, incoming: Record, made: list[object]) -> RowSource:
        """Return what a row becomes in a log."""
        calls = self._calls
        try:
            built = calls.build(incoming, self._read_ordering(incoming))
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        try:
            if calls.is_deleted(built, incoming):
                made.append(read_back(NATURAL_ORDER, self._release))
                return _NONE
            is_ignored = self._asks_twice and calls.is_deleted(built, incoming)
            return _STORED if is_ignored else self._logged(built, incoming, made)
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error


class ModeBatch(_Logged):
    """The calls from 1.1 on: a class is built once to test a row for a delete, and again to merge it."""

    def __init__(  # noqa: PLR0913, PLR0917 (the parts of one call)
        self,
        calls: UserCalls,
        read_ordering: Reader,
        schema: AvroSchema,
        props: Properties,
        shape: RowShape,
        release: HudiRelease,
        refused: RefusedInserts,
        row_test: Callable[[Record], bool] | None,
    ) -> None:
        """Take the class, what reads ordering values, what its methods get, and what an insert refuses.

        `row_test` finds the deletes of a batch by their columns; None where the class is asked.
        """
        super().__init__(calls, refused, shape)
        self._read_ordering = read_ordering
        self._schema = schema
        self._props = props
        self._release = release
        self._row_test = row_test

    def _version(self, record: Record) -> tuple[Ordering | None, Any, bool]:
        """Return the ordering value of a row, what is built of it, and whether its batch takes it for a delete."""
        ordering = self._read_ordering(record)
        built = self._calls.build(record, NATURAL_ORDER if ordering is None else ordering)
        test = self._row_test
        return ordering, built, self._calls.is_deleted(built, record) if test is None else test(record)

    def survivor(self, incoming: Record, _made: list[object]) -> RowSource:
        """Return what a row alone is."""
        try:
            _, _, is_delete = self._version(incoming)
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        return _NONE if is_delete else _INCOMING

    def combine(self, older: Record, newer: Record, made: list[object]) -> int:
        """Return which of two rows survives."""
        build = self._calls.build
        try:
            (before, _, was_delete), (after, _, is_delete) = self._version(older), self._version(newer)
            stays, comes = _STORED + DELETES * was_delete, _INCOMING + DELETES * is_delete
            if _is_final(before, was_delete) or _is_final(after, is_delete):
                return comes
            last = build(newer, NATURAL_ORDER if after is None else after)
            first = build(older, NATURAL_ORDER if before is None else before)
            kept = self._calls.pre_combine(last, first, newer)
            if kept is last or kept is first:
                return comes if kept is last else stays
            record = kept.get_indexed_record(self._schema, self._props)
            if record is None or isinstance(record, Sentinel):
                if is_delete or was_delete:
                    return comes if is_delete else stays
                made.append(MadeVersion(None, True, greater_ordering_value(before, after)))
            else:
                ordering = row_ordering_value(record, self._schema, self._props, self._release)
                made.append(MadeVersion(self._shaped(record), False, ordering))
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        return _MADE

    def entry(self, incoming: Record, made: list[object]) -> RowSource:
        """Return what a row becomes in a log."""
        try:
            ordering, built, _ = self._version(incoming)
        except Exception as error:
            raise MergePointError(MergePoint.COMBINE_INPUT, error) from error
        try:
            if self._calls.is_deleted(built, incoming):
                made.append(None if ordering is None else read_back(ordering, self._release))
                return _NONE
            return self._logged(built, incoming, made)
        except Exception as error:
            raise MergePointError(MergePoint.INSERT, error) from error


def _is_final(ordering: Ordering | None, is_delete: bool) -> bool:  # noqa: FBT001 (private)
    """Whether a version deletes whatever is older: see `is_commit_time_delete`."""
    return is_delete and ordering is not None and ordering.is_default
