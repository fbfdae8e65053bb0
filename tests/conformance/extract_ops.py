"""The operations on a plain record: extract_ordering and is_delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from payloads.extract import context_reader, java_split, list_reader
from payloads.release import HudiRelease
from tests.conformance.vector import Vector, stage

if TYPE_CHECKING:
    from tests.conformance.payload_ops import Observed

_DELETE_CONTEXT_PROPS = ("hoodie.payload.delete.field", "hoodie.payload.delete.marker")


def extract_ordering(vector: Vector) -> Observed:
    """Read the field or, from 1.1 on, the comma-separated fields: the writer's way, or the file-group reader's."""
    fields: str = vector.raw["fields"]
    names = (fields,) if vector.release < HudiRelease.V1_1 else tuple(java_split(fields, ","))
    record = vector.give(0)
    with stage("op"):
        if vector.raw["via"] == "record_context":
            return {"ordering": context_reader(vector.schema, names)(record or {})}
        read = list_reader(
            vector.schema,
            names,
            consistent=vector.raw["consistent_logical_timestamp"],
            strict=not vector.raw["return_null_if_not_found"],
        )
        return {"ordering": read(record or {})}
