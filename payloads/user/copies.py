"""Records passed to code that may change them: copies, and whether a returned copy was changed."""

from __future__ import annotations

import copy
import datetime
import decimal
import uuid
from typing import TYPE_CHECKING, Any

from payloads import codegen
from payloads.avro import Branch, same_record, to_physical

if TYPE_CHECKING:
    from collections.abc import Callable

    from payloads.avro import AvroSchema, Record

# A record of these alone is copied in one go.
_ATOMS: frozenset[type] = frozenset(
    {type(None), bool, int, float, str, bytes, decimal.Decimal, uuid.UUID}
    | {datetime.date, datetime.time, datetime.datetime},
)
_CHANGEABLE = {"record", "array", "map"}


class EditedRecord(dict[str, Any]):
    """A record that a user's class was given, changed, and returned or left alone; the engine's own is unchanged.

    From 1.1 on a reader on Spark takes such a result for the row that it converted the record from, without the change.

    Attributes:
        is_current: whether it is the stored record, else the payload's own.
    """

    is_current = False


def kept(record: Record, schema: AvroSchema | None) -> Record:
    """Return a copy in physical values: user code may go on to change its own record.

    Raises:
        SchemaError: a logical value can't be written as the schema wants it.
    """
    return copied(record) if schema is None else copied(to_physical(record, schema))


def copier(schema: AvroSchema) -> Callable[[Record], Record]:
    """Return what copies records of `schema`, in physical or logical values; decided once a schema.

    Looking at the values of each record takes longer than the copy, so the types of the fields are looked at instead.
    """
    return schema.derived(_copier)


def _copier(schema: AvroSchema) -> Callable[[Record], Record]:
    kinds = {branch.kind for field in schema.fields for branch in field.schema.branches or (field.schema,)}
    return dict.copy if kinds.isdisjoint(_CHANGEABLE) else copied


def comparer(schema: AvroSchema) -> Callable[[Record, Record], bool]:
    """Return `same_record` for a record of `schema`, in physical values, and a copy of it; decided once a schema.

    Equality of whole records is far faster than a look at each value. Equal texts are the same; equal numbers and bytes
    are, too, where they are one object, and a copy shares its values.
    """
    return schema.derived(_comparer)


def _comparer(schema: AvroSchema) -> Callable[[Record, Record], bool]:
    kinds = {name: field.schema.non_null.kind for name, field in schema.by_name.items()}
    if not {*_CHANGEABLE, "union"}.isdisjoint(kinds.values()):
        return same_record
    shared = [name for name, kind in kinds.items() if kind not in {"string", "enum"}]
    return codegen.copy_comparer(shared, same_record)


def is_flat(record: Record) -> bool:
    """Whether all values of a record are of types that can't be changed."""
    return _ATOMS.issuperset(map(type, record.values()))


def copied(record: Record) -> Record:
    """Return a copy of `record` that shares nothing that can be changed."""
    if is_flat(record):
        return dict(record)
    return {name: _copied_value(value) for name, value in record.items()}


def deep_copied(value: Any, memo: dict[int, Any]) -> Any:
    """Return what `copy.deepcopy` returns of a value in a record, with its memo; it need not look at atoms."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is not dict and kind is not list:
        return copy.deepcopy(value, memo)
    if (known := memo.get(id(value))) is not None:
        return known
    twin: Any = memo.setdefault(id(value), kind())
    if kind is dict:
        for key, item in value.items():  # a loop: a value may contain itself
            twin[key] = deep_copied(item, memo)
    else:
        twin.extend(deep_copied(item, memo) for item in value)
    return twin


def _copied_value(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copied_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied_value(item) for item in value]
    return Branch(value.name, _copied_value(value.value)) if isinstance(value, Branch) else value
