"""The operations on a plain record: extract_ordering and is_delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mergers.record.context import DeleteContext
from payloads.ordering_fields import context_reader, java_split, list_reader
from payloads.release import HudiRelease
from tests.conformance.vector import Vector, stage

if TYPE_CHECKING:
    from tests.conformance.payload_ops import Observed


def extract_ordering(vector: Vector) -> Observed:
    """Read the field or, from 1.1 on, the comma-separated fields: the writer's way, or the file-group reader's."""
    fields: str = vector.raw["fields"]
    is_list = vector.release >= HudiRelease.V1_1 and fields
    names = tuple(java_split(fields, ",")) if is_list else (fields,)
    record = vector.give(0)
    with stage("op"):
        if vector.raw["via"] == "record_context":
            return {"ordering": context_reader(vector.schema, names, vector.release)(record or {})}
        read = list_reader(
            vector.schema,
            names,
            consistent=vector.raw["consistent_logical_timestamp"],
            strict=not vector.raw["return_null_if_not_found"],
            comparable=len(names) > 1,
        )
        return {"ordering": read(record or {})}


def is_delete(vector: Vector) -> Observed:
    """Ask whether the record marks itself as a delete; Hudi checks the properties in a step of its own before that."""
    record = vector.give(0) or {}
    with stage("delete_context"):
        context = DeleteContext(vector.props, vector.schema, release=vector.release)
    with stage("op"):
        return {"is_delete": context.is_delete(record)}
