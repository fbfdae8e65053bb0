"""What a check needs to know about its subject: the operations that the laws are about.

To check a class compiled for another engine, give the check an `Algebra` of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from payloads.avro import decode, encode

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mergers.laws.core import Version
    from mergers.laws.equality import Observed
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering


class Algebra(Protocol):
    """The subject of a check. Incoming versions are opaque; a stored row is a record, None if there is none.

    Attributes:
        name: what a report calls it.
        schema: the schema of all records.
    """

    name: str
    schema: AvroSchema

    def incoming(self, version: Version) -> Any:
        """Build an incoming version."""

    def merge(self, older: Any, newer: Any) -> Any:
        """Merge two incoming versions; it may change them."""

    def act(self, row: Record | None, newer: Any) -> Record | None:
        """Apply an incoming version to the stored row, or insert it; None deletes. It may change both."""

    def answer(self, version: Any) -> Observed:
        """Return what is observable of an incoming or merged version."""

    def copy(self, version: Any) -> Any:
        """Return a copy that shares no mutable state."""

    def key(self, version: Any) -> Hashable:
        """Return a value that is equal for versions in the same state, or None if the state is unknown."""

    def restored(self, version: Any) -> Any:
        """Return a version as read back from a log: its record and ordering value, nothing else."""

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare two ordering values: positive where `left` is the later version."""


def through_bytes(record: Record | None, schema: AvroSchema) -> Record | None:
    """Return a record after a round trip through its Avro bytes."""
    if record is None:
        return None
    read: Record = decode(schema, encode(schema, record))
    return read
