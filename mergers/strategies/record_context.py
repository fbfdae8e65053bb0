"""RecordContext: the Java classes that ordering values have where an engine merges, of rows and of delete entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mergers.api import HoodieRecordType
from payloads.avro import decimal_scale, decimal_value
from payloads.ordering import NATURAL_ORDER, Ordering
from payloads.ordering_fields import context_reader, path_parts
from payloads.release import ByRelease

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro import AvroSchema, Record
    from payloads.release import HudiRelease

_CONVERTS_ENTRIES: Final = ByRelease(False, {"1.1": True})
LARGEST_MILLIS: Final = 9_999_999_999_999
"""Hudi reads numbers up to this one as milliseconds, greater ones as microseconds."""


class RecordContext:
    """How an engine reads ordering values in one release (RecordContext, until 1.0 HoodieReaderContext).

    Values of different Java classes don't compare, so the merge point where they were made matters: `AVRO` is for
    batch dedup, the copy-on-write merge, small files and log compaction from 1.1 on, `SPARK` for snapshot queries and
    compaction. Spark's strings are labelled `utf8` like Avro's: both compare by bytes, and never with each other.

    Attributes:
        engine: the form of the rows.
        release: the release.
        ordering_fields: names; none in COMMIT_TIME_ORDERING, whatever the table declares.
    """

    def __init__(
        self,
        engine: HoodieRecordType,
        release: HudiRelease,
        schema: AvroSchema,
        ordering_fields: tuple[str, ...] = (),
    ) -> None:
        """Decide all that depends on the schema alone."""
        self.engine = engine
        self.release = release
        self.ordering_fields = ordering_fields
        self._read = _row_reader(engine, release, schema, ordering_fields)
        self._convert = _entry_conversion(engine, release, schema, ordering_fields)

    @property
    def rows_are_avro(self) -> bool:
        """Whether a merger sees the row itself and not a copy in Avro."""
        return self.engine is HoodieRecordType.AVRO

    def row_ordering(self, record: Record) -> Ordering:
        """Return the ordering value of a row of the context's schema; null and missing fields read as Integer 0.

        Raises:
            SchemaError: a path leads through something other than a record.
        """
        return self._read(record)

    def entry_ordering(self, ordering: Ordering) -> Ordering:
        """Return the ordering value that was read from a delete block as the engine's rows have it."""
        return self._convert(ordering)


def _row_reader(
    engine: HoodieRecordType, release: HudiRelease, schema: AvroSchema, fields: tuple[str, ...]
) -> Callable[[Record], Ordering]:
    if engine is HoodieRecordType.AVRO or not fields:
        return context_reader(schema, fields, release)
    readers = [_spark_reader(schema, name, release) for name in fields]
    if len(readers) == 1:
        return readers[0]
    return lambda record: Ordering("array", tuple(read(record) for read in readers))


def _spark_reader(schema: AvroSchema, name: str, release: HudiRelease) -> Callable[[Record], Ordering]:
    """Return the reader of a column of Spark's rows: decimals in Spark's own class, timestamps in microseconds."""
    read = context_reader(schema, (name,), release)
    leaf = _leaf(schema, name)
    if leaf is not None and leaf.logical == "decimal":
        scale = decimal_scale(leaf)
        return lambda record: _unless_default(
            read(record), lambda raw: Ordering("spark_decimal", decimal_value(raw.value, scale))
        )
    if _is_millis(leaf):
        return lambda record: _unless_default(read(record), lambda raw: Ordering("long", raw.value * 1000))
    return read


def _unless_default(ordering: Ordering, convert: Callable[[Ordering], Ordering]) -> Ordering:
    return ordering if ordering is NATURAL_ORDER else convert(ordering)


def _entry_conversion(
    engine: HoodieRecordType, release: HudiRelease, schema: AvroSchema, fields: tuple[str, ...]
) -> Callable[[Ordering], Ordering]:
    """Return the conversion of delete entries: strings everywhere, decimals and milliseconds in Spark from 1.1 on."""
    in_spark = engine is HoodieRecordType.SPARK and _CONVERTS_ENTRIES.at(release)
    millis = [in_spark and _is_millis(_leaf(schema, name)) for name in fields] or [False]

    def converted(ordering: Ordering | None, is_millis: bool) -> Ordering | None:  # noqa: FBT001 (private)
        if ordering is None:
            return None
        match ordering.java_type:
            case "string":
                return Ordering("utf8", ordering.value)
            case "decimal" if in_spark:
                return Ordering("spark_decimal", ordering.value)
            case "long" | "int" if is_millis and ordering.value <= LARGEST_MILLIS:
                return Ordering("long", ordering.value * 1000)
            case "array":
                flags = millis if len(millis) == len(ordering.value) else [False] * len(ordering.value)
                return Ordering("array", tuple(map(converted, ordering.value, flags)))
            case _:
                return ordering

    return lambda ordering: converted(ordering, millis[0]) or ordering


def _leaf(schema: AvroSchema, path: str) -> AvroSchema | None:
    """Return the type at a dotted path without its null branch; None if there is no such column."""
    for part in path_parts(path):
        field = schema.by_name.get(part)
        if field is None:
            return None
        schema = field.schema.non_null
    return schema


def _is_millis(leaf: AvroSchema | None) -> bool:
    return leaf is not None and leaf.kind == "long" and leaf.logical == "timestamp-millis"
