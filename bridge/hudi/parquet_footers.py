"""What Parquet's reader in Java requires of a footer, with which Hudi reads: Arrow's goes on where that one fails.

Source: parquet.thrift 2.9.0, and ParquetMetadataConverter, Types and ParquetFileReader of parquet-mr 1.13.1, which
Spark 3.5 has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from bridge.hudi.parquet_format import CONVERTED, FOOTER
from bridge.hudi.thrift import ThriftError, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.hudi.thrift import Values

_TAIL = 1 << 16
_END = 8
"""The bytes after a footer: its length and `PAR1`."""
_BOOLEAN, _INT32, _INT64, _INT96, _FLOAT, _DOUBLE, _BYTES, _FIXED = range(8)
_REPEATED = 2
_SIGNED = {_BOOLEAN: 1, _INT32: 4, _INT64: 8, _FLOAT: 4, _DOUBLE: 8}
"""The bytes of a value, of the types that have an order by themselves."""
_ANNOTATED = {
    **dict.fromkeys(("UTF8", "ENUM", "JSON", "BSON"), (_BYTES,)),
    **dict.fromkeys(("DATE", "TIME_MILLIS", "INT_8", "INT_16", "INT_32", "UINT_8", "UINT_16", "UINT_32"), (_INT32,)),
    **dict.fromkeys(("TIME_MICROS", "TIME_NANOS", "INT_64", "UINT_64"), (_INT64,)),
    **dict.fromkeys(("TIMESTAMP_MILLIS", "TIMESTAMP_MICROS", "TIMESTAMP_NANOS"), (_INT64,)),
    **dict.fromkeys(("INTERVAL", "UUID"), (_FIXED,)),
    "DECIMAL": (_INT32, _INT64, _BYTES, _FIXED),
}
"""The physical types that an annotation may have; groups alone have the others."""
_LENGTHS = {"INTERVAL": 12, "UUID": 16}
_DIGITS = {_INT32: 9, _INT64: 18}


class FooterError(ValueError):
    """Parquet's reader in Java can't read a file with this footer, or not all its rows."""


def open_parquet(stream: pa.NativeFile, *, is_file: bool = True) -> pq.ParquetFile:
    """Open a Parquet file whose rows Java's reader gives.

    Args:
        stream: the file.
        is_file: whether it is read by splits, as files are, and blocks of a log are not.

    Raises:
        pyarrow.ArrowInvalid: it is none, or Java's reader fails, or does not give all rows.
    """
    size = stream.size()
    tail = stream.read_at(min(size, _TAIL), max(0, size - _TAIL))
    length = int.from_bytes(tail[-_END:-4], "little")
    if len(tail) < length + _END <= size:
        tail = stream.read_at(length + _END, size - length - _END)
    metadata = pq.read_metadata(pa.BufferReader(tail))
    try:
        check_footer(tail[-length - _END : -_END], size if is_file else None)
    except FooterError as error:
        raise pa.ArrowInvalid(str(error)) from error
    return pq.ParquetFile(stream, metadata=metadata)


def check_footer(footer: bytes, size: int | None = None) -> None:
    """Check that Java's reader reads all rows of a file with this footer.

    Args:
        footer: without its length and the magic bytes.
        size: of the file; of what is not a file, whose row groups are not chosen by where they lie, None.

    Raises:
        FooterError: it does not.
    """
    try:
        _check(value_of(footer, FOOTER), size)
    except ThriftError as error:
        msg = f"its footer {error}"
        raise FooterError(msg) from error


def _check(footer: Values, size: int | None) -> None:
    leaves = _leaves(footer)
    for number, group in enumerate(footer["row_groups"]):
        chunks = group["columns"]
        if any("crypto_metadata" in chunk or "meta_data" not in chunk for chunk in chunks):
            msg = f"row group {number} has encrypted columns, or columns that are not described"
            raise FooterError(msg)
        columns = [chunk["meta_data"] for chunk in chunks]
        if not columns or [tuple(column["path_in_schema"]) for column in columns] != [*leaves]:
            msg = f"row group {number} has other columns than the schema"
            raise FooterError(msg)
        if len({chunk.get("file_path") for chunk in chunks}) > 1:
            msg = f"row group {number} has columns in other files"
            raise FooterError(msg)
        for leaf, column in zip(leaves.values(), columns, strict=True):
            _check_column(leaf, column, group["num_rows"])
        if size is not None and not 0 <= _middle(group, columns[0], columns) < size:
            msg = f"row group {number} does not lie in the file"
            raise FooterError(msg)


def _middle(group: Values, first: Values, columns: Iterable[Values]) -> int:
    """Return the place by which a split of a file has a row group or has not (filterFileMetaDataByMidpoint)."""
    start = first["data_page_offset"]
    dictionary = first.get("dictionary_page_offset", start)
    length = group.get("total_compressed_size", sum(column["total_compressed_size"] for column in columns))
    return int(min(start, dictionary) + math.trunc(length / 2))


class _Leaf(NamedTuple):
    """A column of a schema.

    Attributes:
        name: for messages.
        type: its physical type.
        annotation: what its values are; None if that is not said.
        repeats: whether a row may have several values.
    """

    name: str
    type: int
    annotation: str | None
    repeats: bool


def _leaves(footer: Values) -> dict[tuple[bytes, ...], _Leaf]:
    """Return the columns of a schema, by path."""
    elements = iter(footer["schema"])
    orders = footer.get("column_orders")
    found: dict[tuple[bytes, ...], _Leaf] = {}

    def read(path: tuple[bytes, ...], count: int, number: int, *, repeats: bool) -> None:
        for place in range(number, number + count):
            element = _next(elements)
            name = element["name"].decode(errors="replace")
            if "repetition_type" not in element:
                msg = f"its footer does not say whether {name} may be null"
                raise FooterError(msg)
            below, several = (*path, element["name"]), repeats or element["repetition_type"] == _REPEATED
            if "type" in element:
                if orders is not None and place >= len(orders):
                    msg = f"its footer has no order of {name}"
                    raise FooterError(msg)
                found[below] = _Leaf(name, element["type"], _checked(element, name), several)
            else:
                read(below, element.get("num_children", 0), place, repeats=several)
                _annotation(element, name)

    read((), _next(elements).get("num_children", 0), 0, repeats=False)
    return found


def _next(elements: Iterator[Values]) -> Values:
    element = next(elements, None)
    if element is None:
        msg = "its footer has fewer columns than it says"
        raise FooterError(msg)
    return element


def _annotation(element: Values, name: str) -> tuple[str | None, bool]:
    """Return what a column's values are, and if by its logical type; the converted type counts where they differ."""
    logical = _logical(element["logicalType"], name) if "logicalType" in element else None
    if "converted_type" not in element:
        return logical, True
    converted = CONVERTED[element["converted_type"]]
    return converted, converted == logical


def _logical(union: Values, name: str) -> str | None:
    kind = next(iter(union), None)
    match kind:
        case "UNKNOWN":
            return None
        case "TIME" | "TIMESTAMP" if union[kind]["unit"]:
            return f"{kind}_{next(iter(union[kind]['unit']))}"
        case "INTEGER" if union[kind]["bitWidth"] in {8, 16, 32, 64}:
            return f"{'' if union[kind]['isSigned'] else 'U'}INT_{union[kind]['bitWidth']}"
        case None | "TIME" | "TIMESTAMP" | "INTEGER":
            msg = f"its footer gives {name} an unknown logical type"
            raise FooterError(msg)
    return kind


def _checked(element: Values, name: str) -> str | None:
    """Return the annotation of a column.

    Raises:
        FooterError: its physical type can't have it.
    """
    kind, length = element["type"], element.get("type_length", 0)
    annotation, by_logical = _annotation(element, name)
    wrong = kind == _FIXED and length <= 0
    if annotation is not None:
        wrong |= kind not in _ANNOTATED.get(annotation, ())
        wrong |= length != _LENGTHS.get(annotation, length)
    if annotation == "DECIMAL":
        wrong |= not _is_decimal(element, by_logical=by_logical)
    if wrong:
        msg = f"its footer gives {name} an impossible type ({annotation})"
        raise FooterError(msg)
    return annotation


def _is_decimal(element: Values, *, by_logical: bool) -> bool:
    if "logicalType" in element:
        if not by_logical:
            return False
        scale, precision = (element["logicalType"]["DECIMAL"][name] for name in ("scale", "precision"))
        if element.get("scale", scale) != scale or element.get("precision", precision) != precision:
            return False
    else:
        scale, precision = element.get("scale", 0), element.get("precision", 0)
    most = _DIGITS.get(element["type"])
    if element["type"] == _FIXED and element.get("type_length", 0) > 0:
        most = math.floor(math.log10(2 ** (8 * element["type_length"] - 1) - 1))
    return precision > 0 and 0 <= scale <= precision and (most is None or precision <= most)


def _check_column(leaf: _Leaf, column: Values, rows: int) -> None:
    """Check what is said of a column in one row group."""
    if not leaf.repeats and column["num_values"] != rows:
        msg = f"its footer has {column['num_values']} values of {leaf.name} in {rows} rows"
        raise FooterError(msg)
    least, greatest = _edges(leaf, column.get("statistics", {}))
    if min(len(least), len(greatest)) < _SIGNED.get(leaf.type, 0):
        msg = f"its footer has an invalid minimum or maximum of {leaf.name}"
        raise FooterError(msg)


def _edges(leaf: _Leaf, said: Values) -> tuple[bytes, bytes]:
    """Return the least and greatest value of a column that Java's reader decodes."""
    whole = bytes(_SIGNED[_INT64])
    if "min_value" in said and "max_value" in said:
        return said["min_value"], said["max_value"]
    if "min" in said and "max" in said:
        is_signed = leaf.annotation is None or not leaf.annotation.startswith(("UINT", "DECIMAL"))
        if is_signed or said["min"] == said["max"]:
            return said["min"], said["max"]
    return whole, whole
