"""Avro: schemas, coding, logical types, text and JSON of values, and rewriting records to another schema."""

from __future__ import annotations

from payloads.avro.branch import Branch, JavaString
from payloads.avro.builder import RecordBuilder
from payloads.avro.codec import (
    ContainerBlock,
    ContainerWriter,
    decode,
    encode,
    parse_schema,
    read_blocks,
    read_container,
)
from payloads.avro.decimals import decimal_scale, decimal_value, unscaled_bytes
from payloads.avro.defaults import (
    NULL_VALUE,
    default_of,
    default_test,
    default_value,
    first_branch,
    is_null,
    object_test,
    value_test,
)
from payloads.avro.from_json import parse_object, read_record
from payloads.avro.logical import to_logical, to_physical
from payloads.avro.rewrite import project_record, rewrite_record_with_new_schema
from payloads.avro.same import same_record
from payloads.avro.schema import AvroSchema, Field, Record, Value, branch_of
from payloads.avro.text import date_text, plain_text, timestamp_text, value_text

__all__ = [
    "NULL_VALUE",
    "AvroSchema",
    "Branch",
    "ContainerBlock",
    "ContainerWriter",
    "Field",
    "JavaString",
    "Record",
    "RecordBuilder",
    "Value",
    "branch_of",
    "date_text",
    "decimal_scale",
    "decimal_value",
    "decode",
    "default_of",
    "default_test",
    "default_value",
    "encode",
    "first_branch",
    "is_null",
    "object_test",
    "parse_object",
    "parse_schema",
    "plain_text",
    "project_record",
    "read_blocks",
    "read_container",
    "read_record",
    "rewrite_record_with_new_schema",
    "same_record",
    "timestamp_text",
    "to_logical",
    "to_physical",
    "unscaled_bytes",
    "value_test",
    "value_text",
]
