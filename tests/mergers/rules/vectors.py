"""The golden vectors that a rule can be held against: versions of one schema, met as engines let them meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from payloads.builtin import BuiltinPayload
from payloads.records import RuleVersion
from payloads.rules import Point
from tests.conformance.vector import Vector, load, ordering_of, resolve
from tests.mergers.rules.subjects import NOTHING, of_mode, of_payload
from tests.support import GOLDEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.mergers.rules.subjects import Subject

_POINTS = {"pre_combine": Point.BATCH, "combine": Point.STORED, "insert_value": Point.ALONE, "chain": Point.BATCH}
_CALLS = {"delta_merge": Point.BATCH, "final_merge": Point.STORED, "delta_merge_delete": Point.ENTRY}
_DELETES = {"DELETE", "UPDATE_BEFORE"}


class Case(NamedTuple):
    """A vector, as what merges in it, with its versions, oldest first."""

    id: str
    subject: Subject
    schema: Any
    versions: list[RuleVersion]


def cases(release: str) -> Iterator[Case]:
    """Give the vectors of a release whose class or mode may state a rule."""
    for vector in load(GOLDEN / release):
        if not isinstance(vector, Vector) or vector.optional or "schema" not in vector.raw:
            continue
        found = _of_payload(vector) if vector.op in _POINTS and "merge_mode" not in vector.raw else _of_mode(vector)
        if found is not None:
            yield found


def _of_payload(vector: Vector) -> Case | None:
    records = vector.raw["records"]
    name = vector.payload_class
    plain = all(
        raw.get("payload_class", name) == name and raw.get("ctor", "record_ordering") in {"record_ordering", "record"}
        for raw in records
    )
    if not plain or name is None or "api" in vector.raw or not _is_of_one_schema(vector):
        return None
    payload = resolve(name, vector.release)
    if not issubclass(payload, BuiltinPayload):
        return None
    point = _POINTS[vector.op]
    versions = [RuleVersion(vector.record(index), ordering_of(raw)) for index, raw in enumerate(records)]
    subject = of_payload(payload, point, vector.schema, vector.props)
    return Case(vector.id, subject, vector.schema, [NOTHING, *versions] if point is Point.ALONE else versions)


def _of_mode(vector: Vector) -> Case | None:
    mode = vector.raw.get("merge_mode")
    if mode in {None, "CUSTOM"} or vector.raw.get("partial_merging") or not _is_of_one_schema(vector):
        return None
    if vector.op == "buffered" and None not in vector.raw["records"]:
        point = _CALLS[vector.raw["call"]]
    elif vector.op == "chain":
        point = Point.BATCH
    else:
        return None
    partial = vector.raw.get("partial_update_mode")
    named = f"{mode}/{partial}" if partial else mode
    try:
        subject = of_mode((named, str(vector.release), "AVRO"), point, vector.schema, vector.props)
    except ValueError:
        return None  # a mode that the release refuses
    versions = [
        RuleVersion(
            vector.record(index), ordering_of(raw), raw.get("value") is None or raw.get("operation") in _DELETES
        )
        for index, raw in enumerate(vector.raw["records"])
    ]
    return Case(vector.id, subject, vector.schema, versions)


def _is_of_one_schema(vector: Vector) -> bool:
    return all(
        raw is None or (vector.schema_name_of(index) == vector.raw["schema"] and "schema_instance" not in raw)
        for index, raw in enumerate(vector.raw["records"])
    )
