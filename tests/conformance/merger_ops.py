"""The operation merger: two versions through the record merger API; and the folds of chain that go through it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from mergers.avro import AvroRecordMerger
from mergers.record import HoodieAvroIndexedRecord, HoodieAvroRecord, HoodieKey
from mergers.strategies.commit_time import OverwriteWithLatestMerger
from payloads.release import HudiRelease
from tests.conformance.payload_ops import payload_winner, payloads_of, record_winner, view
from tests.conformance.vector import Vector, ordering_of, stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from payloads.avro.schema import AvroSchema
    from tests.conformance.payload_ops import Observed

_MODES = {"HoodieAvroRecordMerger": "combine", "HoodiePreCombineAvroRecordMerger": "pre_combine"}
_OPERATIONS = {"INSERT": "I", "UPDATE_BEFORE": "-U", "UPDATE_AFTER": "U", "DELETE": "D"}
_KEY = HoodieKey("key", "partition")


class _Merger(Protocol):
    def merge(self, older: Any, newer: Any, schema: AvroSchema, props: Any) -> Any: ...


def merger(vector: Vector) -> Observed:
    """Merge two versions in the form that the release hands to its mergers."""
    merges = _merger_named(vector, vector.raw["merger"])
    if vector.release < HudiRelease.V1_1:
        return _merge_payloads(vector, merges)
    older, newer = versions = [buffered(vector, index) for index in range(2)]
    with stage("op"):
        result = merges.merge(older, newer, vector.schema, vector.props)
    return buffered_view(vector, result, versions)


def merger_fold(vector: Vector, name: str, *, from_right: bool) -> Observed:
    """Fold all versions as buffered records; the stage is the index of the version that is merged in."""
    merges = _merger_named(vector, name)
    versions = [buffered(vector, index) for index in range(len(vector.raw["records"]))]
    order: Iterable[int] = range(1, len(versions))
    result = versions[0]
    if from_right:
        order, result = reversed(range(len(versions) - 1)), versions[-1]
    for index in order:
        older, newer = (versions[index], result) if from_right else (result, versions[index])
        with stage(f"op[{index}]"):
            result = merges.merge(older, newer, vector.schema, vector.props)
    return buffered_view(vector, result, versions)


def _merger_named(vector: Vector, name: str) -> _Merger:
    if name == "OverwriteWithLatestMerger":
        return OverwriteWithLatestMerger()
    return AvroRecordMerger(vector.payload_class or "", release=vector.release, operation_mode=_MODES[name])


def _merge_payloads(vector: Vector, merges: _Merger) -> Observed:
    """Merge two payloads, as releases until 1.0 do."""
    payloads = payloads_of(vector)
    older, newer = (HoodieAvroRecord(_KEY, payload) for payload in payloads)
    with stage("op"):
        result = merges.merge(older, newer, vector.schema, vector.props)
    if result is None:
        return {"outcome": "empty", "winner": None}
    if isinstance(result, HoodieAvroIndexedRecord):
        # Real payloads of these releases decode the stored row anew, so that only its value can tell whose it is.
        winner = record_winner(vector, result.record, None)
        return {"outcome": "record", "winner": winner, "record": result.record}
    return {
        "outcome": "hoodie_record",
        "winner": payload_winner(result.payload, payloads),
        **view(result.payload, vector),
    }


def buffered(vector: Vector, index: int) -> HoodieAvroIndexedRecord:
    """Build the carrier of the record `index`; a delete without data has lost its schema unless the vector keeps it."""
    raw, record = vector.raw["records"][index], vector.give(index)
    keeps_schema = record is not None or raw.get("keep_schema_id", False)
    return HoodieAvroIndexedRecord(
        HoodieKey(raw.get("key", "key")),
        record,
        vector.named_schema(vector.schema_name_of(index)) if keeps_schema else None,
        _OPERATIONS.get(raw.get("operation")),
        ordering_of(raw),
    )


def buffered_view(vector: Vector, result: Any, versions: Sequence[HoodieAvroIndexedRecord]) -> Observed:
    """Look at a version as a BufferedRecord."""
    winner = next((index for index, version in enumerate(versions) if version is result), "merged")
    names = {letter: name for name, letter in _OPERATIONS.items()}
    return {
        "winner": winner,
        "operation": names.get(result.operation),
        "is_delete": result.marked_delete,
        "ordering": result.ordering_value,
        "record": result.record,
        "record_schema": vector.raw["schema"] if isinstance(winner, str) else vector.schema_name_of(winner),
    }
