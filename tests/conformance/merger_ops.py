"""The operation merger: two versions through the record merger API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.avro import AvroRecordMerger
from mergers.record import HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from tests.conformance.payload_ops import payload_winner, payloads_of, record_winner, view
from tests.conformance.vector import Vector, stage

if TYPE_CHECKING:
    from tests.conformance.payload_ops import Observed

_MODES = {"HoodieAvroRecordMerger": "combine", "HoodiePreCombineAvroRecordMerger": "pre_combine"}
_KEY = HoodieKey("key", "partition")


def merger(vector: Vector) -> Observed:
    """Merge two payloads as releases until 1.0 do; the older one is unwrapped for a combining merger."""
    payloads = payloads_of(vector)
    older, newer = (HoodieAvroRecord(_KEY, payload) for payload in payloads)
    with stage("op"):
        result: Any = AvroRecordMerger(
            vector.payload_class or "",
            release=vector.release,
            operation_mode=_MODES[vector.raw["merger"]],
        ).merge(older, newer, vector.schema, vector.props)
    if result is None:
        return {"outcome": "empty", "winner": None}
    if isinstance(result, HoodieAvroIndexedRecord):
        winner = record_winner(vector, result.record, payloads[0].record)
        return {"outcome": "record", "winner": winner, "record": result.record}
    winner_of_payloads = payload_winner(result.payload, payloads)
    return {"outcome": "hoodie_record", "winner": winner_of_payloads, **view(result.payload, vector)}
