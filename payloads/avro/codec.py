"""Avro coding: parse schemas, encode and decode values. The only module that imports fastavro.

fastavro never sees a logical type here, so physical values go in and come out as they are; and a value is validated
before it is encoded, because fastavro would write 1.5 as the long 1 and 2**40 as an int.
"""

from __future__ import annotations

import copy
import copyreg
import functools
import io
import json
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import fastavro
import fastavro.schema
import fastavro.write

from payloads.avro.branch import Branch
from payloads.avro.inflated import MARKER, at_block, bounded
from payloads.avro.refused import refusals
from payloads.avro.schema import AvroSchema, branch_of
from payloads.errors import SchemaError, parse_error_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from payloads.avro.schema import Record, Value

_TEXTS = {False: "strict", True: "replace"}
_ADDED = {"__fastavro_parsed", "__named_schemas"}
_UNREADABLE = (EOFError, ValueError, LookupError, TypeError, OverflowError, zlib.error, lzma.LZMAError)
_NO_SCHEMA = (fastavro.schema.SchemaParseException, fastavro.schema.UnknownType, RecursionError)


def parse_schema(source: str | Mapping[str, object] | Sequence[object] | AvroSchema) -> AvroSchema:
    """Parse JSON text or JSON-like data; equal texts give the same object.

    Raises:
        SchemaError: the text is not JSON, or the JSON is not an Avro schema.
    """
    if isinstance(source, AvroSchema):
        return source
    is_json = isinstance(source, str) and source.lstrip()[:1] in {"{", "[", '"'}
    try:
        text = str(source) if is_json else json.dumps(source)
    except RecursionError as error:
        msg = "not an Avro schema: it is nested too deeply"
        raise SchemaError(msg) from error
    except (TypeError, ValueError) as error:
        msg = f"an Avro schema is JSON text, or JSON as dictionaries and lists, not a value of {type(source).__name__}"
        raise SchemaError(msg) from error
    return _parse(text)


def _reduced(schema: AvroSchema) -> tuple[Any, ...]:
    """Pickle a schema as its text: it is parsed, or found, where it arrives."""
    return parse_schema, (json.dumps(schema.source),)


copyreg.pickle(AvroSchema, _reduced)


def encode(schema: AvroSchema, value: Value) -> bytes:
    """Return the binary Avro encoding of `value`, without a header.

    Raises:
        SchemaError: the value does not fit; the message names the field.
    """
    schema.validate(value)
    coding, wraps = schema.derived(_coding)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, coding, _wrapped(schema, value) if wraps else value)
    return out.getvalue()


def decode(schema: AvroSchema, data: bytes | io.BytesIO, *, replaces: bool = False) -> Value:
    """Return the value that `data` encodes, with `schema` as writer and reader schema.

    What follows the value is not looked at; a stream is left there. Bytes that are no text are an error; with
    `replaces` each is the character U+FFFD, as in a String of Java.

    Raises:
        SchemaError: the bytes are not an encoding of this schema.
    """
    coding, wraps = schema.derived(_coding)
    stream = data if isinstance(data, io.BytesIO) else io.BytesIO(data)
    try:
        texts = _TEXTS[replaces]
        value = fastavro.schemaless_reader(stream, coding, None, return_record_name=wraps, handle_unicode_errors=texts)
    except _UNREADABLE as error:
        size, why = len(stream.getvalue()), parse_error_text(error)
        msg = f"{size} bytes can't be decoded as {schema.name}: {why}; use the schema they were written with"
        raise SchemaError(msg) from error
    return _unwrapped(schema, value) if wraps else value


class ContainerWriter:
    """Writes an Avro container file, record after record."""

    def __init__(self, stream: BinaryIO, schema: AvroSchema) -> None:
        """Write the header of a file of `schema`, whose blocks are deflated.

        Raises:
            SchemaError: it has a union of several types besides null.
        """
        if schema.derived(_coding)[1]:
            msg = f"{schema.name} has a union of several types, and a file of rows has no branches; use a single type"
            raise SchemaError(msg)
        self._schema = schema
        # With its logical types, for the header: fastavro converts dates and decimals, and leaves numbers and bytes.
        self._writer = fastavro.write.Writer(stream, copy.deepcopy(schema.source), codec="deflate")

    def write(self, records: Iterable[Record]) -> None:
        """Write records of physical values.

        Raises:
            SchemaError: a value does not fit; the message names the field.
        """
        for record in records:
            self._schema.validate(record)
            self._writer.write(record)

    def close(self) -> None:
        """Write the last block; the stream stays open."""
        self._writer.flush()


class ContainerBlock(NamedTuple):
    """A block of a container file.

    Attributes:
        records: how many values it has.
        size: the bytes of all of them, decompressed.
        values: the values, which are decoded as they are taken.
    """

    records: int
    size: int
    values: Iterator[Value]


def read_container(stream: BinaryIO, *, replaces: bool = False) -> tuple[AvroSchema, Iterator[Value]]:
    """Open an Avro container file: its schema, and its values, which are read as they are taken.

    `replaces` as in `decode`.

    Raises:
        SchemaError: the stream is not a container file, its codec is not installed, or (by the iterator) a block is
            damaged.
    """
    schema, blocks = read_blocks(stream, replaces=replaces)
    return schema, (value for block in blocks for value in block.values)


def read_blocks(
    stream: BinaryIO, start: int = 0, end: int | None = None, *, replaces: bool = False
) -> tuple[AvroSchema, Iterator[ContainerBlock]]:
    """Open a part of an Avro container file: its schema, and the blocks that follow a marker in these bytes.

    Parts that share no bytes and leave none out give every block once, in order. The stream must have `seek`.

    Raises:
        SchemaError: as in `read_container`.
    """
    try:
        blocks = fastavro.block_reader(stream)
        schema = parse_schema(json.loads(blocks.metadata["avro.schema"]))
    except (*_UNREADABLE, *_NO_SCHEMA) as error:
        why = "its header has no valid schema" if isinstance(error, _NO_SCHEMA) else parse_error_text(error)
        msg = f"not a readable Avro container file: {why}; check how it was written"
        raise SchemaError(msg) from error
    return schema, _blocks(schema, blocks, stream, (start, end), _TEXTS[replaces])


def _blocks(
    schema: AvroSchema, blocks: Any, stream: BinaryIO, part: tuple[int, int | None], texts: str
) -> Iterator[ContainerBlock]:
    start, end = part
    if start > 0 and not at_block(stream, start):
        return
    coding, wraps = schema.derived(_coding)

    def values(block: Any) -> Iterator[Value]:
        if block.num_records < 0:
            msg = f"it says that it has {block.num_records} records"
            raise ValueError(msg)
        for _ in range(block.num_records):
            value = fastavro.schemaless_reader(
                block.bytes_, coding, None, return_record_name=wraps, handle_unicode_errors=texts
            )
            yield _unwrapped(schema, value) if wraps else value
        if rest := len(block.bytes_.read()):  # a count that is too low loses records
            msg = f"{rest} bytes follow its last record"
            raise ValueError(msg)

    for block in bounded(_undamaged(blocks), stream, blocks.codec):
        if end is not None and block.offset - MARKER >= end:
            return
        size = block.bytes_.seek(0, io.SEEK_END)
        block.bytes_.seek(0)
        yield ContainerBlock(block.num_records, size, _undamaged(values(block)))


def _undamaged(values: Iterable[object]) -> Iterator[Value]:
    try:
        yield from values
    except _UNREADABLE as error:
        msg = f"a block of the Avro container file is damaged: {parse_error_text(error)}; write the file again"
        raise SchemaError(msg) from error


@functools.lru_cache(maxsize=512)
def _parse(text: str) -> AvroSchema:
    try:
        loaded = json.loads(text)
        if not all(isinstance(one, str | dict | list) for one in (loaded if isinstance(loaded, list) else [loaded])):
            raise ValueError("null or a number is no type")  # noqa: EM101, TRY003, TRY301 (the reason in a sentence)
        found = AvroSchema(_plain(fastavro.parse_schema(loaded)), {})
        if (refused := next(refusals(found), None)) is not None:
            raise ValueError(refused)  # noqa: TRY301 (as above)
    except fastavro.schema.UnknownType as error:
        msg = f"the Avro schema names the type {error}, which it does not define"
        raise SchemaError(msg) from error
    except (ValueError, KeyError, TypeError, RecursionError, fastavro.schema.SchemaParseException) as error:
        msg = f"not an Avro schema: {parse_error_text(error)}; check the JSON of {text[:120]}"
        raise SchemaError(msg) from error
    return found


def _plain(schema: object) -> Any:
    """Return `schema` without the keys that fastavro adds at the top, of a union to each branch."""
    if isinstance(schema, list):
        return [_plain(branch) for branch in schema]
    if isinstance(schema, dict):
        return {key: value for key, value in schema.items() if key not in _ADDED}
    return schema


def _coding(schema: AvroSchema) -> tuple[Any, bool]:
    """Return what fastavro works with, and whether it wraps the branches of a union."""
    wrapped: list[str] = []
    coding = _coding_schema(schema, set(), wrapped)
    return fastavro.parse_schema(coding), bool(wrapped)


def _coding_schema(schema: AvroSchema, seen: set[str], wrapped: list[str]) -> Any:  # noqa: C901, PLR0911 (one case a kind)
    """Drop logical types; make each branch of a union that needs it a record of one field (the same bytes)."""
    if schema.kind in {"record", "enum", "fixed"}:
        if schema.name in seen:
            return schema.name
        seen.add(schema.name)
    match schema.kind:
        case "record":
            fields = [{"name": f.name, "type": _coding_schema(f.schema, seen, wrapped)} for f in schema.fields]
            return {"type": "record", "name": schema.name, "fields": fields}
        case "enum":
            return {"type": "enum", "name": schema.name, "symbols": list(schema.symbols)}
        case "fixed":
            return {"type": "fixed", "name": schema.name, "size": schema.size}
        case "array":
            return {"type": "array", "items": _coding_schema(schema.items, seen, wrapped)}
        case "map":
            return {"type": "map", "values": _coding_schema(schema.values, seen, wrapped)}
        case "union" if _needs_wrapping(schema):
            branches: list[object] = []
            for branch in schema.branches:
                if branch.kind == "null":
                    branches.append("null")
                    continue
                name = schema.derived(_wrapper_names)[branch.name]
                wrapped.append(name)
                field = {"name": "value", "type": _coding_schema(branch, seen, wrapped)}
                branches.append({"type": "record", "name": name, "fields": [field]})
            return branches
        case "union":
            return [_coding_schema(branch, seen, wrapped) for branch in schema.branches]
        case kind:
            return kind


def _needs_wrapping(schema: AvroSchema) -> bool:
    """Whether fastavro would choose the branch of a union otherwise than `branch_of` does."""
    kinds = {branch.kind for branch in schema.branches}
    takes_bytes_for_array = "array" in kinds and not kinds.isdisjoint({"bytes", "fixed"})
    return schema.ambiguous or schema.mixes_numbers or takes_bytes_for_array


def _wrapper_names(union: AvroSchema) -> dict[str, str]:
    """Return the name of the record around each branch but null; no two unions of a process share one."""
    names = [branch.name for branch in union.branches if branch.kind != "null"]
    return {name: f"payload_bridge.union{id(union)}.branch{index}" for index, name in enumerate(names)}


def _wrapped(schema: AvroSchema, value: Value) -> object:
    """Return `value` with every `Branch` in the form that the coding schema expects."""
    if value is None:
        return None
    match schema.kind:
        case "record":
            return {field.name: _wrapped(field.schema, value[field.name]) for field in schema.fields}
        case "array":
            return [_wrapped(schema.items, item) for item in value]
        case "map":
            return {key: _wrapped(schema.values, item) for key, item in value.items()}
        case "union":
            branch, plain = branch_of(schema, value)
            inner = _wrapped(branch, plain)
            return (schema.derived(_wrapper_names)[branch.name], {"value": inner}) if _needs_wrapping(schema) else inner
        case _:
            return value


def _unwrapped(schema: AvroSchema, value: Value) -> Value:  # noqa: PLR0911 (one case a kind)
    """Invert `_wrapped` on what fastavro read."""
    if value is None:
        return None
    match schema.kind:
        case "record":
            fields = value[1] if isinstance(value, tuple) else value
            return {field.name: _unwrapped(field.schema, fields[field.name]) for field in schema.fields}
        case "array":
            return [_unwrapped(schema.items, item) for item in value]
        case "map":
            return {key: _unwrapped(schema.values, item) for key, item in value.items()}
        case "union" if _needs_wrapping(schema):
            name, fields = value
            names = schema.derived(_wrapper_names)
            branch = next(b for b in schema.branches if names.get(b.name) == name)
            plain = _unwrapped(branch, fields["value"])
            return Branch(branch.name, plain) if schema.ambiguous else plain
        case "union":
            plain = value[1] if isinstance(value, tuple) else value
            branch, plain = branch_of(schema, plain)
            return _unwrapped(branch, plain)
        case _:
            return value
