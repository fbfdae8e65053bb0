"""What the file of an instant says: an object in JSON, or in an Avro container, of which readers know some parts."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

from payloads.avro import read_container
from payloads.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bridge.report import JsonObject

CONTAINER: Final = b"Obj\x01"
_OPERATIONS: Final = frozenset(
    {
        *("INSERT", "INSERT_PREPPED", "UPSERT", "UPSERT_PREPPED", "BULK_INSERT", "BULK_INSERT_PREPPED", "BOOTSTRAP"),
        *("DELETE", "DELETE_PREPPED", "DELETE_PARTITION", "INSERT_OVERWRITE", "INSERT_OVERWRITE_TABLE", "CLUSTER"),
        *("COMPACT", "LOG_COMPACT", "INDEX", "ALTER_SCHEMA", "BUCKET_RESCALE", "UNKNOWN"),
    }
)
"""WriteOperationType of all releases; JSON may have its number."""
_OPERATION: Final = ("partitionPath", "fileId")


def parsed(data: bytes) -> JsonObject:
    """Return what the file of an instant says.

    Raises:
        ValueError, StopIteration: it is neither JSON nor an Avro container, or a part that readers know
            has another shape.
    """
    is_avro = data.startswith(CONTAINER)
    found = _first_in(data) if is_avro else json.loads(data)
    if not isinstance(found, dict):
        msg = "it holds no object"
        raise ValueError(msg)  # noqa: TRY004 (of the file)
    for name, fits in _PARTS.items():
        part = found.get(name, fits)
        # In JSON the extra metadata alone may not be null, which Hudi asks for the schema.
        is_null = part is None and (is_avro or name != "extraMetadata")
        is_number = is_avro and isinstance(part, int)  # of the operation, in JSON alone
        if part is not fits and not is_null and (is_number or not fits(part)):
            msg = f"its {name} has an unexpected structure"
            raise ValueError(msg)
    return found


def _first_in(container: bytes) -> object:
    try:
        return next(iter(read_container(io.BytesIO(container), replaces=True)[1]))
    except SchemaError as error:
        msg = "it is not a readable Avro container"
        raise ValueError(msg) from error


def _is_map_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda part: isinstance(part, dict) and all(map(fits, part.values()))


def _is_list_of(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda part: not part or (isinstance(part, list) and all(map(fits, part)))


def _is_operation(part: object) -> bool:
    return isinstance(part, dict) and all(name in part for name in _OPERATION)


_PARTS: Mapping[str, Callable[[Any], bool]] = {
    "partitionToWriteStats": _is_map_of(_is_list_of(lambda stat: isinstance(stat, dict))),
    "partitionToReplaceFileIds": _is_map_of(_is_list_of(lambda name: isinstance(name, str))),
    "operationType": lambda part: isinstance(part, int) or (isinstance(part, str) and part.upper() in _OPERATIONS),
    "extraMetadata": lambda part: isinstance(part, dict),
    "operations": _is_list_of(_is_operation),
    "clusteringPlan": lambda part: isinstance(part, dict),
}
