"""Partition values that a query takes from paths, and record keys that a table without meta columns computes.

Source: HoodieSparkUtils.parsePartitionColumnValues, KeyGenUtils, Spark's PartitioningUtils.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from bridge.config import keys
from bridge.hudi.errors import UnreadableTableError
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bridge.config import Capabilities
    from bridge.hudi.files import Listing
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.slice_query import SliceQuery
    from bridge.spark import ArrowColumn

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
_DATE = re.compile(r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?")
_CYCLE, _CYCLE_DAYS = 400, 146097
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")


def columns_in_paths(properties: TableProperties, able: Capabilities, *, merges: bool) -> tuple[str, ...]:
    """Return the partition columns of an answer whose values come from the paths; `merges`: whether it reads logs."""
    from_paths = not properties.paths_are_formatted if able.partition_from_path else not merges
    return properties.partition_fields if properties.drops_partition_columns or from_paths else ()


def text_columns(properties: TableProperties, able: Capabilities, from_paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return the partition columns that a timestamp-based key generator makes text: from 1.0 on, and in paths."""
    is_text = properties.is_timestamp_keyed and (able.partition_from_path or from_paths)
    return properties.partition_fields if is_text else ()


def values_of_path(path: str, fields: Sequence[str], *, decode: bool = True) -> dict[str, str | None]:
    """Return the texts that a partition path holds for its fields; nothing where its parts can't be told.

    Incremental queries don't `decode` what is URL-encoded.

    >>> values_of_path("day=2024-01-02/p%2F1", ["day", "part"])
    {'day': '2024-01-02', 'part': 'p/1'}
    """
    parts = path.split("/")
    if len(fields) == 1 and len(parts) > 1:  # one field whose value has slashes
        return {fields[0]: _value(path, fields[0], decode=False)}
    if len(parts) != len(fields):
        return {}
    return {name: _value(part, name, decode=decode) for name, part in zip(fields, parts, strict=True)}


def check_paths(query: SliceQuery, listings: Iterable[Listing]) -> None:
    """Check that the partition paths of a table tell the values of its partition fields.

    Source: BaseHoodieTableFileIndex.getPartitionColumnValues, of all releases, and
    HoodieSparkUtils.doParsePartitionColumnValues, which gives an only field the path as text if it has slashes.

    Raises:
        UnreadableTableError: one does not; Hudi refuses the table, or fails to read it.
    """
    fields = query.properties.partition_fields
    told = [query.schema.by_name.get(name) for name in query.paths_tell if name not in query.text_columns]
    typed = [field for field in told if field is not None and field.schema.non_null.kind not in {"string", "enum"}]
    for partition, _ in listings:
        parts = len(partition.split("/"))
        if parts == len(fields):
            continue
        if len(fields) > 1:
            problem = (
                f"the partition path {partition!r} does not determine the values of {', '.join(fields)}, so Hudi "
                "refuses the table; rewrite it with URL-encoded partition values "
                "(hoodie.datasource.write.partitionpath.urlencode=true)"
            )
        elif typed:
            kind = typed[0].schema.non_null
            problem = (
                f"the partition path {partition!r} has slashes, but {fields[0]} is a {kind.logical or kind.kind}, so "
                f"Hudi {query.rules.release} fails to read the table (ClassCastException, apache/hudi#19651); rewrite "
                f"it with {fields[0]} as string, or with paths without slashes"
            )
        else:
            continue
        msg = f"{query.files.path}: {problem}"
        raise UnreadableTableError(msg)


def _value(part: str, name: str, *, decode: bool) -> str | None:
    text = part.removeprefix(f"{name}=")
    if text in {NO_VALUE, ""}:
        return None
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text) if decode else text


def partition_column(text: str | None, kind: pa.DataType, rows: int, path: str) -> ArrowColumn:
    """Return a column of one partition value, parsed from the path as Spark does; null if the text is not a date.

    Source: Spark's PartitioningUtils.castPartValueToDesiredType, DateTimeUtils.stringToDate.

    Raises:
        UnreadableTableError: the text of the partition at `path` is not a value of any other type.
    """
    if text is None:
        return pa.nulls(rows, kind)
    if pa.types.is_date32(kind):
        return pa.repeat(pa.scalar(_days(text), pa.int32()), rows).cast(kind)
    try:
        if pa.types.is_timestamp(kind):
            plain = pc.cast(pa.array([text]), pa.timestamp(kind.unit))
            value = plain.cast(kind)[0]
        else:
            value = pc.cast(pa.array([text]), kind)[0]
    except pa.ArrowException as error:
        msg = f"the partition path {path!r} has no value of the type {kind} in {text!r}; rename the partition"
        raise UnreadableTableError(msg) from error
    return pa.repeat(value, rows)


def _days(text: str) -> int | None:
    """Return the day of a text, in days from 1970; None where it is none. Years may have seven digits."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day = (1 if part is None else int(part) for part in match.groups())
    # Every 400 years the calendar is the same, and Python knows the years from 1 to 9999.
    known = year % _CYCLE + _CYCLE
    try:
        found = datetime.date(known, month, day).toordinal() - _EPOCH
    except ValueError:
        return None
    days = found + (year - known) // _CYCLE * _CYCLE_DAYS
    return days if abs(days) < 1 << 31 else None


class ComputedKeys:
    """Record keys of rows that do not carry them.

    Attributes:
        is_complex: whether a complex key generator makes them.
    """

    def __init__(self, properties: TableProperties) -> None:
        """Take the key fields and how they make a key."""
        self._fields = properties.key_fields
        kind = properties.stored.get(keys.KEYGEN_TYPE, "").upper()
        name = properties.stored.get(keys.KEYGEN_CLASS, "").rpartition(".")[2]
        self.is_complex = kind.startswith("COMPLEX") or name.startswith("Complex")
        bare = properties.stored.get(keys.COMPLEX_KEY_ENCODING, "false").lower() == "true"
        named_alone = self.is_complex and properties.has_completion_times and not bare
        self._names_fields = len(self._fields) > 1 or named_alone
        self._times_as_text = is_true(properties.stored.get(CONSISTENT_TIMESTAMP))

    def _text(self, column: ArrowColumn) -> ArrowColumn:
        """Return the text of a key field: a timestamp is its microseconds, if logical types are not converted."""
        if pa.types.is_timestamp(column.type) and not self._times_as_text:
            column = column.view(pa.int64())
        return pc.cast(column, pa.string())

    def as_stored(self, found: Iterable[str]) -> frozenset[str]:
        """Return record keys in every form that a release stores: they differ in whether an only field is named."""
        every = frozenset(found)
        if len(self._fields) > 1 or not self.is_complex:
            return every
        prefix = f"{self._fields[0]}:"
        bare = {key.removeprefix(prefix) for key in every}
        return every | bare | {f"{prefix}{key}" for key in bare}

    def of(self, batch: pa.RecordBatch) -> ArrowColumn:
        """Return the record key of each row."""
        if not self._names_fields:
            return self._text(batch.column(self._fields[0]))
        texts = []
        for name in self._fields:
            text = self._text(batch.column(name))
            text = pc.if_else(pc.equal(text, ""), "__empty__", text)
            texts.append(pc.binary_join_element_wise(f"{name}:", pc.fill_null(text, "__null__"), ""))
        return pc.binary_join_element_wise(*texts, ",") if len(texts) > 1 else texts[0]
