"""What merges two versions as structs, and what such a merge needs to know of its job."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from pyspark.sql import Column

    from bridge.engines.native.failures import Failures
    from bridge.engines.native.ordering import Kind
    from bridge.merge import MergePoint
    from payloads import HudiRelease


class Merges(Protocol):
    """A merge of structs: versions of the newer side as it makes them, and what is left of a stored row and one."""

    def version(self, row: Column, dead: Column, entry: Column, ordering: Column) -> Column:
        """Return a version: `row` and `dead`, with what else a merge needs.

        Args:
            row: its row; null for a delete without data.
            dead: whether it is a delete.
            entry: whether it is an entry of a delete block.
            ordering: the ordering value of an entry, as `_pb_ordering` has it.
        """

    def fold(self, older: Column, newer: Column) -> Column:
        """Merge two versions of the newer side."""

    def outcome(self, old: Column, new: Column) -> Column:
        """Return what a stored row and a version become: a struct of `action`, `row` and `made`."""

    def insert(self, new: Column) -> Column:
        """Return what a version without a stored row becomes."""


class MergeInputs(NamedTuple):
    """What a merge of structs needs to know of its job.

    Attributes:
        release: the release.
        ordering: the ordering field; None without one.
        reads_log: whether the newer side is a log.
        fold_point: where versions of the newer side meet, for messages.
        merge_point: where the combined version merges with the stored row.
        failures: failures of a key of the newer side.
        stored_failures: failures of a key that has a stored row.
    """

    release: HudiRelease
    ordering: Kind | None
    reads_log: bool
    fold_point: MergePoint
    merge_point: MergePoint
    failures: Failures
    stored_failures: Failures
