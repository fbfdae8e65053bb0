"""Carriers of the states of a key: incoming version, stored row, log entry; each knows the row its record is.

A record that came unchanged from an Arrow row is taken from there again; one that a merge made has no such row.
What `source` holds is the engine's own: merge and programs only pass it on.
"""

from __future__ import annotations

import datetime
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.merge.points import MergePoint
from bridge.spark import META_COLUMNS
from mergers import HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from payloads import NATURAL_ORDER, HoodieRecordPayload
from payloads.avro import JavaString

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from bridge.plan import MergePlan
    from payloads import AvroSchema, Ordering, Record

NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"
"""The path of null and of the empty text, in all releases."""
_NO_META = dict.fromkeys(META_COLUMNS)
_FIRST_DAY = datetime.date(1970, 1, 1)


class ShuffledPayload(HoodieRecordPayload):
    """A payload whose object a shuffle changes: one of a compiled class, which Kryo writes and reads."""

    @abstractmethod
    def shuffled(self) -> Self:
        """Return the object as it comes out of a shuffle; itself where its class has nothing to lose."""

    @classmethod
    @abstractmethod
    def as_shuffled(cls) -> type[Self]:
        """Return the class of objects that come out of a shuffle as soon as they are built."""

    @classmethod
    @abstractmethod
    def gives_own_record(cls) -> bool:
        """Whether getIndexedRecord is BaseAvroPayload's, and gives the very record that an object was built of."""


class PayloadVersion(HoodieAvroRecord):
    """A version carried by a payload: an incoming one, or the folded log.

    Attributes:
        source: the row its record is; None where a merge made it.
        made_at: as in `StoredRow`; only a combined batch is returned in this form.
    """

    __slots__ = ("source",)
    made_at = MergePoint.COMBINE_INPUT

    def __init__(self, key: HoodieKey, payload: HoodieRecordPayload, source: object = None) -> None:
        self.key = key
        self.operation = None
        self.payload = payload
        self.source = source


class StoredRow(HoodieAvroIndexedRecord):
    """A version as plain data: a stored or visible row, or a buffered record.

    Attributes:
        source: as in `PayloadVersion`.
        made_at: the merge point that made its record, where one did.
    """

    __slots__ = ("made_at", "source")

    def __init__(  # noqa: PLR0913, PLR0917 (one per row: flat)
        self,
        key: HoodieKey | None,
        record: Record | None,
        schema: AvroSchema | None,
        source: object = None,
        operation: str | None = None,
        ordering_value: Ordering | None = NATURAL_ORDER,
        made_at: MergePoint = MergePoint.COMBINE_INPUT,
    ) -> None:
        self.key = key
        self.record = record
        self.schema = schema
        self.operation = operation
        self.ordering_value = ordering_value
        self.source = source
        self.made_at = made_at


Carrier = PayloadVersion | StoredRow


def key_of_version(version: Carrier) -> HoodieKey:
    """Return the key of an incoming version, which always has one."""
    return version.key  # type: ignore[return-value]


class LogRow(NamedTuple):
    """A row of a data block."""

    record: Record
    source: object


class LogDelete(NamedTuple):
    """An entry of a delete block; None is Java's null."""

    ordering: Ordering | None


def logged_row(key: HoodieKey, entry: LogRow, schema: AvroSchema | None = None) -> StoredRow:
    """Return a row of a data block as a version of its key."""
    return StoredRow(key, entry.record, schema, entry.source, None, NATURAL_ORDER, MergePoint.INSERT)


class RowShape:
    """The columns that stored rows have.

    Attributes:
        has_meta: whether the meta columns are among them.
    """

    def __init__(self, *, has_meta: bool) -> None:
        self.has_meta = has_meta

    def stored(self, record: Record) -> Record:
        """Return a record that a merge made as it is stored."""
        if self.has_meta:
            record = with_meta_columns(record)
        elif META_COLUMNS[0] in record:
            record = {name: value for name, value in record.items() if name not in _NO_META}
        if any(type(value) is JavaString for value in record.values()):
            record = {name: str(value) if type(value) is JavaString else value for name, value in record.items()}
        return record


def with_meta_columns(record: Record) -> Record:
    """Return the record with the meta columns: null if it has none."""
    return record if META_COLUMNS[0] in record else {**_NO_META, **record}


def key_reader(plan: MergePlan, schema: AvroSchema) -> Callable[[Record], HoodieKey]:
    """Return what reads the identity of a record: several key columns as `name:value` pairs (ComplexKeyGenerator)."""
    key, partition = plan.key, plan.partition
    texts = {name: _date if _is_date(schema, name) else str for name in (*key, *partition)}

    def path(record: Record, name: str) -> str:
        value = record[name]
        return NO_PARTITION if value is None or value == "" else texts[name](value)

    if len(key) == len(partition) == 1:
        key_column, path_column, text_of = key[0], partition[0], texts[key[0]]
        return lambda record: HoodieKey(text_of(record[key_column]), path(record, path_column))

    def read(record: Record) -> HoodieKey:
        values = [texts[name](record[name]) for name in key]
        text = (
            values[0] if len(key) == 1 else ",".join(f"{name}:{value}" for name, value in zip(key, values, strict=True))
        )
        return HoodieKey(text, "/".join(path(record, name) for name in partition))

    return read


def _is_date(schema: AvroSchema, name: str) -> bool:
    field = schema.by_name.get(name)
    return field is not None and field.schema.non_null.logical == "date"


def _date(days: Any) -> str:
    """Return the text of a date, as keys and paths have it; the number of a day that Python has no date for."""
    try:
        day: datetime.date = _FIRST_DAY + datetime.timedelta(days=days)
        return day.isoformat()
    except (TypeError, OverflowError):
        return str(days)
