"""The operation buffered, and the chains by merge mode: rows and delete entries through the merger of a merge mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.avro import AvroRecordMerger
from mergers.record import HoodieKey
from mergers.strategies import DeleteEntry, buffered_merger
from tests.conformance.merger_ops import buffered, buffered_view
from tests.conformance.vector import Vector, ordering_of, stage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mergers.record import HoodieAvroIndexedRecord
    from mergers.strategies import BufferedMerger
    from tests.conformance.payload_ops import Observed

_MERGER = "HoodieAvroRecordMerger"


def buffered_op(vector: Vector) -> Observed:
    """Make one call on the merger of a merge mode."""
    merger = _merger(vector)
    records = vector.raw["records"]
    call = vector.raw["call"]
    if call == "delta_merge_delete":
        existing = None if records[0] is None else buffered(vector, 0)
        raw = records[1]
        entry = DeleteEntry(HoodieKey(raw.get("key", "key")), ordering_of(raw))
        with stage("op"):
            kept = merger.delta_merge_delete(entry, existing)
        if kept is None:
            return {"outcome": "empty", "winner": 0}
        return {
            "outcome": "delete_record",
            "winner": 1 if kept is entry else "merged",
            "ordering": kept.ordering_value,
        }
    versions = [None if raw is None else buffered(vector, index) for index, raw in enumerate(records)]
    with stage("op"):
        result = (
            merger.delta_merge(versions[1], versions[0])  # type: ignore[arg-type]
            if call == "delta_merge"
            else merger.final_merge(*versions)  # type: ignore[arg-type]
        )
    if result is None:
        return {"outcome": "empty", "winner": 0}
    return {"outcome": "record", **_view(vector, result, versions)}


def final_left(vector: Vector) -> Observed:
    """((r0 + r1) + r2) ..., each by final_merge."""
    merger, versions = _merger(vector), _versions(vector)
    result = versions[0]
    for index, version in enumerate(versions[1:], start=1):
        with stage(f"op[{index}]"):
            result = merger.final_merge(result, version)
    return _view(vector, result, versions)


def final_right(vector: Vector) -> Observed:
    """r0 + (r1 + (r2 ...)), each by final_merge."""
    merger, versions = _merger(vector), _versions(vector)
    result = versions[-1]
    for index in reversed(range(len(versions) - 1)):
        with stage(f"op[{index}]"):
            result = merger.final_merge(versions[index], result)
    return _view(vector, result, versions)


def delta_left(vector: Vector) -> Observed:
    """All versions by delta_merge, from nothing."""
    merger, versions = _merger(vector), _versions(vector)
    return _view(vector, _folded(merger, versions, start=0), versions)


def delta_then_final(vector: Vector) -> Observed:
    """All versions but the first by delta_merge, then final_merge with the first as the stored row."""
    merger, versions = _merger(vector), _versions(vector)
    gathered = _folded(merger, versions, start=1)
    with stage("final"):
        result = merger.final_merge(versions[0], gathered)
    return _view(vector, result, versions)


MODE_FOLDS: dict[str, Callable[[Vector], Observed]] = {
    "final_left": final_left,
    "final_right": final_right,
    "delta_left": delta_left,
    "delta_then_final": delta_then_final,
}

MODE_BRACKETINGS = {
    "final": ("final_left", "final_right"),
    "delta_equals_final_left": ("delta_left", "final_left"),
    "delta_then_final_equals_final_left": ("delta_then_final", "final_left"),
}


def _merger(vector: Vector) -> BufferedMerger:
    raw = vector.raw
    merger: Any = None
    if raw.get("merger") == _MERGER:
        # Partial blocks come with no payload class; the bridge refuses them whatever its class is.
        merger = AvroRecordMerger(vector.payload_class or "DefaultHoodieRecordPayload", vector.release, "combine")
    with stage("factory"):
        return buffered_merger(
            raw["merge_mode"],
            vector.schema,
            vector.props,
            release=vector.release,
            merger=merger,
            partial_update_mode=raw["partial_update_mode"],
            partial_blocks=raw.get("partial_merging", False),
        )


def _versions(vector: Vector) -> list[HoodieAvroIndexedRecord]:
    return [buffered(vector, index) for index in range(len(vector.raw["records"]))]


def _folded(merger: BufferedMerger, versions: list[HoodieAvroIndexedRecord], start: int) -> HoodieAvroIndexedRecord:
    """Fold versions as log entries: a delete without data is an entry of a delete block, and takes its place here."""
    gathered: Any = None
    for index in range(start, len(versions)):
        change: Any = versions[index]
        is_entry = change.marked_delete and change.record is None
        with stage(f"op[{index}]"):
            folded = merger.fold(gathered, DeleteEntry(change.key, change.ordering_value) if is_entry else change)
        if is_entry and folded is not gathered:
            versions[index] = folded
        gathered = folded
    result: HoodieAvroIndexedRecord = gathered
    return result


def _view(vector: Vector, result: Any, versions: Sequence[HoodieAvroIndexedRecord | None]) -> Observed:
    """Look at a version; a filled one has the schema of the version that came later."""
    view = buffered_view(vector, result, versions)  # type: ignore[arg-type]
    names = (vector.schema_name_of(index) for index, version in enumerate(versions) if version is not None)
    found = next((name for name in names if vector.named_schema(name) is result.schema), vector.raw["schema"])
    return {**view, "record_schema": found}
