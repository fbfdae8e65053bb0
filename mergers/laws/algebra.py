"""What a check needs to know about its subject: the operations that the laws are about.

To check a class compiled for another engine, give the check an `Algebra` of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from payloads.avro import decode, encode

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mergers.laws.core import Version
    from mergers.laws.equality import Observed
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering

OpaqueVersion: TypeAlias = Any
"""An incoming or a merged version: a payload, a carrier, an object of Java. Its algebra alone looks into it."""


class Algebra(Protocol):
    """The subject of a check. Incoming versions are opaque; a stored row is a record, None if there is none.

    Attributes:
        name: what a report calls it.
        schema: the schema of all records.
    """

    name: str
    schema: AvroSchema

    def incoming(self, version: Version) -> OpaqueVersion:
        """Build an incoming version."""

    def merge(self, older: OpaqueVersion, newer: OpaqueVersion) -> OpaqueVersion:
        """Merge two incoming versions; it may change them."""

    def act(self, row: Record | None, newer: OpaqueVersion) -> Record | None:
        """Apply an incoming version to the stored row, or insert it; None deletes. It may change both."""

    def answer(self, version: OpaqueVersion) -> Observed:
        """Return what is observable of an incoming or merged version."""

    def copy(self, version: OpaqueVersion) -> OpaqueVersion:
        """Return a copy that shares no mutable state."""

    def key(self, version: OpaqueVersion) -> Hashable:
        """Return a value that is equal for versions in the same state, or None if the state is unknown."""

    def restored(self, version: OpaqueVersion) -> object:
        """Return a version as read back from a log: its record and ordering value, nothing else."""

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare two ordering values: positive where `left` is the later version."""


@runtime_checkable
class Gathers(Protocol):
    """An algebra that merges many pairs at once, if it is told of them before they are asked for."""

    def gather(self, merges: list[tuple[Any, Any]], acts: list[tuple[Record | None, Any]]) -> None:
        """Merge pairs of versions, and stored rows with versions, and keep the results; an error is one of them."""

    def again(self) -> Algebra:
        """Return the same operations without results that were kept."""


def through_bytes(record: Record | None, schema: AvroSchema) -> Record | None:
    """Return a record after a round trip through its Avro bytes."""
    if record is None:
        return None
    read: Record = decode(schema, encode(schema, record))
    return read
