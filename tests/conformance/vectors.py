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
from tests.conformance.selection import Unreadable, check
from tests.conformance.vector import Vector, attempt, load
from tests.conformance.verdict import Comparison

if TYPE_CHECKING:
    from collections.abc import Callable
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


class Verdict(NamedTuple):
    """The end of one vector.

    Attributes:
        vector: the vector, or a line that is none.
        result: how it ended.
        reasons: what differs, for a failed one.
    """

    vector: Vector | Unreadable
    result: Result
    reasons: tuple[str, ...] = ()


class Selection(NamedTuple):
    """The vectors of a release, a payload class (short or full name) and an operation; None stands for all."""

    release: HudiRelease | None = None
    payload_class: str | None = None
    op: str | None = None

    def takes(self, vector: Vector) -> bool:
        """Whether `vector` belongs to it."""
        return (
            self.release in {None, vector.release}
            and self.payload_class in {None, vector.payload_class, vector.short_class}
            and self.op in {None, vector.op}
        )

    def takes_label(self, label: str) -> bool:
        """Whether the vectors that `label_of` names so belong to it."""
        release, op, short_class, *_ = label.split("/")
        return (
            self.release in {None, HudiRelease.parse(release)}
            and (self.payload_class is None or self.payload_class.rpartition(".")[2] == short_class)
            and self.op in {None, op}
        )


def label_of(vector: Vector) -> str:
    """Name the vectors that are counted together: by release, operation, class, and whether they are optional."""
    label = f"{vector.raw['hudi_version']}/{vector.op}/{vector.short_class}"
    return f"{label}/optional" if vector.optional else label


def select(
    directory: Path, release: str | None = None, payload_class: str | None = None, op: str | None = None
) -> list[Vector | Unreadable]:
    """Read the vectors below `directory` that belong to a selection, and every line that is no vector.

    Raises:
        EmptySelectionError: there are none.
    """
    selection = Selection(None if release is None else HudiRelease.parse(release), payload_class, op)
    everything = list(load(directory))
    readable = [vector for vector in everything if isinstance(vector, Vector)]
    chosen = [vector for vector in everything if isinstance(vector, Unreadable) or selection.takes(vector)]
    is_short = payload_class is None or "." not in payload_class
    known = {
        "release": {str(vector.release) for vector in readable},
        "class": {vector.short_class if is_short else str(vector.payload_class) for vector in readable},
        "op": {vector.op for vector in readable},
    }
    wanted = None if selection.release is None else str(selection.release)
    has_vectors = any(isinstance(vector, Vector) for vector in chosen)
    is_whole = selection == Selection()
    asked = {"release": wanted, "class": payload_class, "op": op}
    check(directory, "vectors", asked, known, found=has_vectors or (is_whole and bool(chosen)))
    return chosen


def run(vector: Vector | Unreadable) -> Verdict:
    """Run one vector against the code of this project; what can't be run has failed."""
    if isinstance(vector, Unreadable):
        return Verdict(vector, Result.FAILED, (vector.reason,))
    operation = _OPERATIONS.get(vector.op)
    if operation is None:
        return Verdict(vector, Result.FAILED, (f"the runner has no operation {vector.op!r}",))
    try:
        observed = attempt(lambda: operation(vector))
        reasons = [*Comparison(vector).mismatches(observed)]
        reasons += [f"record {index}: the call changed it" for index in vector.changed()]
    except Exception as error:  # noqa: BLE001 (one vector that can't be read must not hide the others)
        reasons = [f"can't be run: {error!r}"]
    return Verdict(vector, Result.FAILED if reasons else Result.PASSED, tuple(reasons))
