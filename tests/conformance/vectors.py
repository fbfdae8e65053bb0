"""Runs golden vectors: selects them, runs each by its operation, and gives a verdict."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from payloads.release import HudiRelease
from tests.conformance.buffered_ops import buffered_op
from tests.conformance.chain_ops import chain
from tests.conformance.extract_ops import extract_ordering, is_delete
from tests.conformance.infer_ops import infer_merge_config
from tests.conformance.merger_ops import merger
from tests.conformance.payload_ops import combine, construct, insert_value, pre_combine
from tests.conformance.support import gaps_of
from tests.conformance.vector import Vector, attempt, load
from tests.conformance.verdict import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conformance.payload_ops import Observed

_OPERATIONS: dict[str, Callable[[Vector], Observed]] = {
    "construct": construct,
    "insert_value": insert_value,
    "pre_combine": pre_combine,
    "combine": combine,
    "buffered": buffered_op,
    "chain": chain,
    "merger": merger,
    "is_delete": is_delete,
    "extract_ordering": extract_ordering,
    "infer_merge_config": infer_merge_config,
}


class Result(enum.Enum):
    """How a vector ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_SUPPORTED = "not yet supported"


class Verdict(NamedTuple):
    """The end of one vector.

    Attributes:
        vector: the vector.
        result: how it ended.
        reasons: what differs, for a failed one.
        missing: what the project lacks to run it.
    """

    vector: Vector
    result: Result
    reasons: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def select(
    directory: Path, release: str | None = None, payload_class: str | None = None, op: str | None = None
) -> Iterator[Vector]:
    """Read the vectors below `directory` that belong to a release, a class (short or full name) and an operation."""
    wanted = None if release is None else HudiRelease.parse(release)
    for vector in load(directory):
        if (
            wanted in {None, vector.release}
            and payload_class in {None, vector.payload_class, vector.short_class}
            and op in {None, vector.op}
        ):
            yield vector


def run(vector: Vector) -> Verdict:
    """Run one vector against the code of this project."""
    missing = tuple(gap.name for gap in gaps_of(vector))
    if missing:
        return Verdict(vector, Result.NOT_SUPPORTED, (), missing)
    operation = _OPERATIONS.get(vector.op)
    if operation is None:
        return Verdict(vector, Result.NOT_SUPPORTED, (), (f"operation {vector.op}",))
    try:
        observed = attempt(lambda: operation(vector))
        reasons = [*Comparison(vector).mismatches(observed)]
        reasons += [f"record {index}: the call changed it" for index in vector.changed()]
    except Exception as error:  # noqa: BLE001 (one vector that can't be read must not hide the others)
        reasons = [f"can't be run: {error!r}"]
    return Verdict(vector, Result.FAILED if reasons else Result.PASSED, tuple(reasons))
