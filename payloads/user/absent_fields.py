"""Records that a user's class made without some fields of the schema: null there, or refused, as Hudi does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from payloads.errors import SchemaError
from payloads.user.pair_calls import COMBINE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from payloads.avro import AvroSchema
    from payloads.release import HudiRelease
    from payloads.user.overloads import MethodCall

_META: Final = frozenset(
    f"_hoodie_{name}" for name in ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
)


class _UserClass(Protocol):
    release: ClassVar[HudiRelease]
    reads_by_position: ClassVar[bool]
    user_class: ClassVar[type]
    calls: ClassVar[Mapping[str, MethodCall]]


def completed(user: type[_UserClass], name: str, result: object, schema: AvroSchema) -> Any:
    """Return what the method `name` returned with null in the columns that it lacks.

    Source: the Parquet and Avro writers of 0.15.0 to 1.2.0 look fields up by name. From 1.1 on what a merge with a
    stored row returns is read by position before that, and a record of other fields fails the commit, or the query.

    Raises:
        SchemaError: a merge that is read by position lacks a field, or a column that is lacking has no default null.
    """
    if not isinstance(result, dict) or len(result) >= len(schema.fields):
        return result
    lacked = [field for field in schema.fields if field.name not in result and field.name not in _META]
    label = f"{user.user_class.__qualname__}.{user.calls[name].attribute}"
    shown = ", ".join(repr(field.name) for field in lacked)
    if lacked and user.reads_by_position and name == COMBINE:
        msg = (
            f"{label} returned a record without the field {shown}; Hudi {user.release} reads fields by position and "
            "fails: return every field of the schema"
        )
        raise SchemaError(msg)
    if not all(field.schema.nullable and field.has_default and field.default is None for field in lacked):
        msg = (
            f"{label} returned a record without the field {shown}, which has no default null; return every field of "
            "the schema"
        )
        raise SchemaError(msg)
    return {**dict.fromkeys(schema.by_name), **result}
