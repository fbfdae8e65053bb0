"""Incoming rows with the payloads of a class that writers from 1.1 on build, and the records that are merged of them.

Source: BufferedRecords.fromHoodieRecord, HoodieAvroRecord, AvroRecordContext, HoodieCreateRecordUtils and
HoodieIndexUtils of 1.1.1 and 1.2.0. A merge sees neither the incoming row nor its payload: it gets what
getIndexedRecord of that payload gives, and builds a payload of this. BaseAvroPayload gives its record; the interface,
and so a class that extends none of Hudi's, gives the insert value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.config import keys
from bridge.merge.answers import came_back
from bridge.merge.carriers import ShuffledPayload, StoredRow
from bridge.merge.payload_base import check_constructor
from bridge.merge.refused_inserts import indexed_sentinel, insert_of_file, refused_inserts
from payloads import PayloadFailedError
from payloads.api import Sentinel
from payloads.builtin import BaseAvroPayload, BuiltinPayload, PartialUpdateAvroPayload
from payloads.user import PayloadAdapter, same_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import AvroSchema, HoodieRecordPayload, PayloadRef, Record
    from payloads.api import Properties

_DELETE = "D"


class PayloadRow(StoredRow):
    """A row with the payload that was built of it.

    Attributes:
        payload: the payload.
        is_noted: whether it is noted if the row is a delete; else a writer asks the class.
    """

    __slots__ = ("is_noted", "payload")
    payload: HoodieRecordPayload
    is_noted: bool


class _IndexedRow(StoredRow):
    """A row with the record that its payload gave: what a merge gets, and does not ask for again."""

    __slots__ = ()


def indexed_row(row: StoredRow) -> StoredRow:
    """Return a row that rows of a batch merged to as a merge gets it, without asking for its record again."""
    if isinstance(row, _IndexedRow):
        return row
    return _IndexedRow(row.key, row.record, row.schema, row.source, row.operation, row.ordering_value, row.made_at)


def written_class(plan: MergePlan, observed: Callable[[PayloadRef], PayloadRef]) -> type[HoodieRecordPayload] | None:
    """Return the class that a writer builds for each row; None if it builds none."""
    if plan.payload is None:
        return None
    payload_class = observed(plan.payload).resolve(plan.release)
    check_constructor(payload_class)
    is_built = not issubclass(payload_class, BuiltinPayload) or issubclass(payload_class, PartialUpdateAvroPayload)
    return payload_class if is_built else None


def gives_own_record(payload_class: type[HoodieRecordPayload]) -> bool:
    """Whether a merge gets the very record that a payload was built of, so that the payload is not asked for one.

    A class in Python that has a method of BaseAvroPayload counts as one that extends it.
    """
    if issubclass(payload_class, ShuffledPayload):
        return payload_class.gives_own_record()
    if not issubclass(payload_class, PayloadAdapter):
        return True
    call = payload_class.calls.get("get_indexed_record")
    if call is None:
        return not payload_class.calls.keys().isdisjoint({"is_deleted", "can_produce_sentinel"})
    return bool(getattr(payload_class.user_class, call.attribute) == BaseAvroPayload.get_indexed_record)


class PayloadRows:
    """The rows of one class in a writer.

    Attributes:
        joins_files: whether a row of a new key may go to a file that exists, and is asked for twice then.
    """

    def __init__(
        self,
        built_class: type[HoodieRecordPayload],
        plan: MergePlan,
        schema: AvroSchema,
        props: Properties,
        *,
        tests_rows: bool,
    ) -> None:
        """Take what payloads are built of, and what they are asked with.

        `tests_rows` says that the columns of an incoming row have told whether it is a delete, and not the class.
        """
        built: Any = built_class.for_schema(schema)
        is_compiled = issubclass(built_class, ShuffledPayload)
        self._built_class: type[HoodieRecordPayload] = built.for_writer() if is_compiled else built
        self._merged_class: type[HoodieRecordPayload] = built.for_merged() if is_compiled else built
        self._schema = schema
        self._props = props
        self._gives_own = gives_own_record(built_class)
        # What a global index makes of a row that it finds keeps what is noted; what any other index makes does not.
        self._asks_again = tests_rows and not plan.global_index
        self.joins_files = not self._gives_own and int(plan.props.get(keys.SMALL_FILE_LIMIT, "0")) > 0
        self._refused = refused_inserts(plan.release)
        self._sentinel, self._of_file = indexed_sentinel(plan.release), insert_of_file(plan.release)

    def incoming(self, row: StoredRow) -> PayloadRow:
        """Return an incoming row with its payload."""
        return _carried(row, payload_around(self._built_class, row), is_noted=True)

    def payload_of(self, row: StoredRow) -> HoodieRecordPayload:
        """Return the payload of a row."""
        return row.payload if isinstance(row, PayloadRow) else payload_around(self._built_class, row)

    def is_deleted(self, payload: HoodieRecordPayload) -> bool:
        """Whether the class says of a payload that it deletes its record."""
        return payload.is_deleted(self._schema, self._props)

    def found(self, version: StoredRow) -> StoredRow:
        """Return a version whose key has a row: if it is a delete, the class says, unless that stays as noted."""
        if isinstance(version, PayloadRow):
            stays = version.is_noted and not self._asks_again
        else:
            stays = version.record is None or isinstance(version, _IndexedRow) or not self._asks_again
        return version if stays else self._asked(version)

    def new(self, version: StoredRow) -> StoredRow:
        """Return a version whose key has no row: the class says if it is a delete where that is not noted."""
        return self._asked(version) if isinstance(version, PayloadRow) and not version.is_noted else version

    def _asked(self, version: StoredRow) -> StoredRow:
        asked = _carried(version, self.payload_of(version), is_noted=True)
        asked.operation = _DELETE if self.is_deleted(asked.payload) else None
        return asked

    def indexed(self, version: StoredRow) -> StoredRow:
        """Return a version as a merge gets it: with the record that its payload gives.

        Raises:
            PayloadFailedError: that is SENTINEL.
        """
        has_payload = isinstance(version, PayloadRow) or version.record is not None
        if self._gives_own or not has_payload or isinstance(version, _IndexedRow):
            return version
        payload = self.payload_of(version)
        own = payload.record
        record = payload.get_indexed_record(self._schema, self._props)
        if isinstance(record, Sentinel):
            raise PayloadFailedError(self._sentinel)
        given, source = (version.record, version.source) if came_back(record, own) else (record, None)
        rest = (version.schema, source, version.operation, version.ordering_value, version.made_at)
        return _IndexedRow(version.key, given, *rest)

    def combined(self, row: StoredRow, key: HoodieKey) -> StoredRow:
        """Return a row that two of a batch merged to as the table gets it: with a payload of its own."""
        if self._gives_own or (row.record is None and not isinstance(row, _IndexedRow)):
            return row
        combined = _carried(row, payload_around(self._merged_class, row), is_noted=True)
        combined.key = key
        return combined

    def inserted(self, payload: HoodieRecordPayload) -> Record | Sentinel | None:
        """Return the insert value of a payload.

        Raises:
            PayloadFailedError: it depends on the file that the row goes to. Where one exists, Hudi builds a payload of
                what a merge gets, and stores the insert value of this (UpdateProcessor).
        """
        value = payload.get_insert_value(self._schema, self._props)
        if self.joins_files and isinstance(value, dict):
            again = self._built_class(value, payload.get_ordering_value()).get_insert_value(self._schema, self._props)
            if not isinstance(again, dict) or not same_record(again, value):
                raise PayloadFailedError(self._of_file)
        return value

    def moved(self, row: StoredRow) -> PayloadRow:
        """Return a row that a global index merged as the writer gets it: with a payload of its insert value.

        Raises:
            PayloadFailedError: it has no insert value, or SENTINEL.
        """
        payload = payload_around(self._built_class, row)
        own = payload.record
        value = payload.get_insert_value(self._schema, self._props)
        if value is None or isinstance(value, Sentinel):
            self._refused.check(value, is_declared=False)
        if not came_back(value, own):
            row = StoredRow(row.key, value, row.schema, None, None, row.ordering_value)  # type: ignore[arg-type]  # a row
        return _carried(row, payload_around(self._built_class, row), is_noted=False)


def payload_around(payload_class: type[HoodieRecordPayload], row: StoredRow) -> HoodieRecordPayload:
    """Return the payload of a row; an ordering value that is null is left out, as Hudi does."""
    ordering = row.ordering_value
    return payload_class(row.record) if ordering is None else payload_class(row.record, ordering)


def _carried(row: StoredRow, payload: HoodieRecordPayload, *, is_noted: bool) -> PayloadRow:
    rest = (row.record, row.schema, row.source, row.operation, row.ordering_value, row.made_at)
    carried = PayloadRow(row.key, *rest)
    carried.payload, carried.is_noted = payload, is_noted
    return carried
