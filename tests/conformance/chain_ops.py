"""The operation chain: a list of versions folded from the left, from the right, and against a stored row."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from payloads.api import SENTINEL
from payloads.release import HudiRelease
from tests.conformance.buffered_ops import MODE_BRACKETINGS, MODE_FOLDS
from tests.conformance.merger_ops import merger_fold
from tests.conformance.payload_ops import Observed, payload_winner, payloads_of, view
from tests.conformance.same import same_ordering, same_plain, same_value
from tests.conformance.vector import Failure, Vector, attempt, stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from payloads.api import HoodieRecordPayload
    from payloads.avro.schema import Record


def chain(vector: Vector) -> Observed:
    """Run every fold on fresh payloads and compare the bracketings."""
    if "merge_mode" in vector.raw:
        chosen, bracketings = MODE_FOLDS, MODE_BRACKETINGS
    else:
        chosen = _FOLDS if vector.release < HudiRelease.V1_1 else {**_FOLDS, **_MERGER_FOLDS}
        bracketings = _BRACKETINGS
    folds = {name: attempt(functools.partial(fold, vector)) for name, fold in chosen.items()}
    return {
        **folds,
        "associative": {
            name: _equal(vector, folds[left], folds[right])
            for name, (left, right) in bracketings.items()
            if left in folds
        },
    }


def _equal(vector: Vector, left: Any, right: Any) -> bool | None:
    """Whether two folds agree in record, ordering value and delete flag; None where both failed."""
    if isinstance(left, Failure) or isinstance(right, Failure):
        return None if isinstance(left, Failure) and isinstance(right, Failure) else False
    return (
        _same_row(vector, left["record"], right["record"])
        and same_ordering(left.get("ordering"), right.get("ordering"))
        and all(same_plain(left.get(flag), right.get(flag)) for flag in ("is_deleted", "is_delete"))
    )


def _same_row(vector: Vector, left: Record | None, right: Record | None) -> bool:
    """Whether two results are equal, where None stands for no row."""
    return left is right if left is None or right is None else same_value(vector.schema, left, right)


def _pre_combine(
    vector: Vector, name: str, older: HoodieRecordPayload, newer: HoodieRecordPayload
) -> HoodieRecordPayload:
    with stage(name):
        if vector.raw.get("api") == "props":
            return newer.pre_combine(older, props=vector.props)
        return newer.pre_combine(older, vector.schema, vector.props)


def precombine_left(vector: Vector) -> Observed:
    """((r0 + r1) + r2) ..., where x + y is y.pre_combine(x)."""
    payloads = payloads_of(vector)
    result = payloads[0]
    for index, payload in enumerate(payloads[1:], start=1):
        result = _pre_combine(vector, f"op[{index}]", result, payload)
    return {"winner": payload_winner(result, payloads), **view(result, vector)}


def precombine_right(vector: Vector) -> Observed:
    """r0 + (r1 + (r2 ...))."""
    payloads = payloads_of(vector)
    result = payloads[-1]
    for index in reversed(range(len(payloads) - 1)):
        result = _pre_combine(vector, f"op[{index}]", payloads[index], result)
    return {"winner": payload_winner(result, payloads), **view(result, vector)}


def storage_sequential(vector: Vector) -> Observed:
    """Every version meets the stored row on its own."""
    return {"record": _store(vector, enumerate(payloads_of(vector)))}


def storage_batched(vector: Vector) -> Observed:
    """The others are combined with each other; then the first version is stored and the combined one meets it."""
    first, *others = payloads_of(vector)
    batch: list[tuple[int, HoodieRecordPayload]] = []
    for index, payload in enumerate(others, start=1):
        combined = _pre_combine(vector, f"precombine[{index}]", batch[0][1], payload) if batch else payload
        batch = [(1, combined)]
    return {"record": _store(vector, [(0, first), *batch])}


def _store(vector: Vector, versions: Iterable[tuple[int, HoodieRecordPayload]]) -> Record | None:
    """Write versions one after the other to a row that does not exist yet; `index` names the stage."""
    row: Record | None = None
    for index, payload in versions:
        if row is None:
            with stage(f"insert[{index}]"):
                result = payload.get_insert_value(vector.schema, vector.props)
        else:
            with stage(f"combine[{index}]"):
                result = payload.combine_and_get_update_value(row, vector.schema, vector.props)
        row = row if result is SENTINEL else result  # type: ignore[assignment]
    return row


_FOLDS: dict[str, Callable[[Vector], Observed]] = {
    "precombine_left": precombine_left,
    "precombine_right": precombine_right,
    "storage_sequential": storage_sequential,
    "storage_batched": storage_batched,
}

_MERGER_FOLDS: dict[str, Callable[[Vector], Observed]] = {
    "merger_left": functools.partial(merger_fold, name="HoodieAvroRecordMerger", from_right=False),
    "merger_right": functools.partial(merger_fold, name="HoodieAvroRecordMerger", from_right=True),
    "merger_precombine_left": functools.partial(merger_fold, name="HoodiePreCombineAvroRecordMerger", from_right=False),
    "merger_precombine_right": functools.partial(merger_fold, name="HoodiePreCombineAvroRecordMerger", from_right=True),
}

_BRACKETINGS = {
    "precombine": ("precombine_left", "precombine_right"),
    "batched_equals_sequential": ("storage_batched", "storage_sequential"),
    "merger": ("merger_left", "merger_right"),
    "merger_precombine": ("merger_precombine_left", "merger_precombine_right"),
}
