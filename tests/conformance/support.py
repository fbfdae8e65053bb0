"""What the project does not implement yet: one table, counted and printed by name, neither passed nor failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from payloads.errors import PayloadNotFoundError
from payloads.release import HudiRelease
from tests.conformance.vector import Vector, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator


class Gap(NamedTuple):
    """An operation that is not implemented yet, in general or in one form.

    Attributes:
        name: what the report prints.
        op: the operation.
        since: the first release it concerns.
        having: a field and the value (None: any) that a vector needs to be concerned.
    """

    name: str
    op: str
    since: HudiRelease = HudiRelease.V0_15
    having: tuple[str, str | None] | None = None

    def concerns(self, vector: Vector) -> bool:
        """Whether `vector` asks for what is missing."""
        if vector.op != self.op or vector.release < self.since:
            return False
        if self.having is None:
            return True
        field, value = self.having
        return vector.raw.get(field) is not None and value in {None, vector.raw[field]}


GAPS: tuple[Gap, ...] = ()


def gaps_of(vector: Vector) -> Iterator[Gap]:
    """Name everything that `vector` asks for and that is not implemented yet."""
    yield from (gap for gap in GAPS if gap.concerns(vector))
    classes = {record.get("payload_class") for record in vector.raw.get("records") or () if record}
    for name in sorted({vector.payload_class, *classes} - {None}):
        try:
            resolve(name, vector.release)
        except PayloadNotFoundError:
            yield Gap(f"payload class {name.rpartition('.')[2]}", vector.op)
