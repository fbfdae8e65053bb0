"""The operations on one or two payloads: construct, insert_value, pre_combine, combine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from payloads.api import SENTINEL
from payloads.release import HudiRelease
from tests.conformance.same import same_value
from tests.conformance.vector import Vector, attempt, stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from payloads.api import HoodieRecordPayload
    from payloads.avro.schema import Record

Observed = dict[str, Any]
"""What the code under test answered, in the fields of `expect` but with Python values and `Failure`s inside."""


def construct(vector: Vector) -> Observed:
    """Build a payload and look at it."""
    payload = vector.payload(0)
    observed = view(payload, vector)
    return {
        **observed,
        "metadata": payload.get_metadata(),
        "can_produce_sentinel": payload.can_produce_sentinel(),
    }


def insert_value(vector: Vector) -> Observed:
    """Ask a payload for the row to insert."""
    payload = vector.payload(0)
    props = () if vector.raw.get("api") == "no_props" else (vector.props,)
    with stage("op"):
        record = payload.get_insert_value(vector.schema, *props)
        metadata = payload.get_metadata()
    return {"outcome": outcome(record), "record": record, "metadata": metadata}


def pre_combine(vector: Vector) -> Observed:
    """Combine two incoming payloads."""
    payloads = payloads_of(vector)
    older, newer = payloads
    with stage("op"):
        match vector.raw.get("api"):
            case "plain":
                result = newer.pre_combine(older)
            case "props":
                result = newer.pre_combine(older, props=vector.props)
            case _:
                result = newer.pre_combine(older, vector.schema, vector.props)
    return {"winner": payload_winner(result, payloads), **view(result, vector)}


def combine(vector: Vector) -> Observed:
    """Apply an incoming payload to a stored row."""
    current = vector.give(0)
    payload = vector.payload(1)
    props = () if vector.raw.get("api") == "no_props" else (vector.props,)
    with stage("op"):
        result: Any = payload.combine_and_get_update_value(current, vector.schema, *props)  # type: ignore[arg-type]
        metadata = payload.get_metadata()
    kept_schema = vector.schema_name_of(0) if result is current else vector.raw["schema"]
    return {
        "outcome": outcome(result),
        "winner": record_winner(vector, result, current),
        "record": result,
        "record_schema": kept_schema,
        "metadata": metadata,
    }


def payloads_of(vector: Vector) -> list[HoodieRecordPayload]:
    """Build the payloads of all records, oldest first."""
    return [vector.payload(index) for index in range(len(vector.raw["records"]))]


def view(payload: HoodieRecordPayload, vector: Vector) -> Observed:
    """Look at a payload: the insert value is asked before the delete flag, which may depend on it."""
    seen = {
        "record": payload.record,
        "ordering": payload.get_ordering_value(),
        "insert_outcome": attempt(lambda: _insert_outcome(payload, vector)),
        "payload_class": java_name(payload),
    }
    # HoodieRecordPayload of 0.12 has no isDeleted.
    has_test = vector.release > HudiRelease.V0_12
    return {**seen, "is_deleted": attempt(lambda: _is_deleted(payload, vector))} if has_test else seen


def _insert_outcome(payload: HoodieRecordPayload, vector: Vector) -> str:
    with stage("getInsertValue"):
        return outcome(payload.get_insert_value(vector.schema, vector.props))


def _is_deleted(payload: HoodieRecordPayload, vector: Vector) -> bool:
    with stage("isDeleted"):
        return payload.is_deleted(vector.schema, vector.props)


def outcome(record: Any) -> str:
    """Name what a payload answered: a record, nothing, or "leave the stored row alone"."""
    if record is SENTINEL:
        return "sentinel"
    return "empty" if record is None else "record"


def payload_winner(result: HoodieRecordPayload, payloads: Sequence[HoodieRecordPayload]) -> int | str:
    """Return the index of the payload object that came back, or `merged` for a new one."""
    return next((index for index, payload in enumerate(payloads) if payload is result), "merged")


def record_winner(vector: Vector, result: Any, stored: Record | None) -> int | str | None:
    """Return whose record came back: 0 the stored one, 1 the incoming one, `merged`, None for a delete.

    The stored row counts by identity, because Hudi hands that very object back. Any other result is the incoming
    version if it equals it, else the stored one if it equals that: a payload decodes its bytes afresh. Both are
    compared as they were before the call.
    """
    if result is None:
        return None
    if result is SENTINEL or result is stored:
        return 0
    for index in (1, 0):
        record = vector.record(index)
        if record is not None and same_value(vector.schema, result, record):
            return index
    return "merged"


def java_name(payload: Any) -> str:
    """Return the full Java name of a payload's class."""
    name: str = type(payload).java_name
    return name
