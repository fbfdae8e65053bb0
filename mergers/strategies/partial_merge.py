"""Rows of log blocks that carry only some columns (MERGE INTO with partial updates): the newer columns win."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers.strategies.buffered import BufferedMerger, DeleteEntry, Version
from payloads.errors import UnsupportedPayloadOperationError

if TYPE_CHECKING:
    from mergers.api import HoodieRecordMerger
    from payloads.api import Props
    from payloads.avro import AvroSchema


class PartialBlockMerger(BufferedMerger):
    """What a file slice is merged by once one of its blocks is partial (PartialUpdateBufferedRecordMerger).

    Delete entries go by the merge mode, rows by the merger's `partial_merge`, which takes (older, newer, schema,
    props) and sees from the schema of each version which columns it has.
    """

    def __init__(self, mode: BufferedMerger, merger: HoodieRecordMerger, schema: AvroSchema, props: Props) -> None:
        """Merge rows by `merger` and delete entries by `mode`; `schema` is the one that the reader wants."""
        super().__init__(mode.context)
        self._mode = mode
        self._merger = merger
        self._schema = schema
        self._props = props

    def delta_merge(self, new: Version, existing: Version | None) -> Version | None:
        """Return the partial merge, or None if its row is that of `existing`; errors as in `final_merge`."""
        if existing is None:
            return new
        merged = self.final_merge(existing, new)
        return None if merged.record is existing.record else merged

    def delta_merge_delete(self, entry: DeleteEntry, existing: Version | None) -> DeleteEntry | None:
        """Return what the merge mode says."""
        return self._mode.delta_merge_delete(entry, existing)

    def final_merge(self, older: Version, newer: Version) -> Version:
        """Return the partial merge.

        Raises:
            UnsupportedPayloadOperationError: the merger has no `partial_merge`, as the payload bridge of Avro rows.
        """
        partial_merge: Any = getattr(self._merger, "partial_merge", None)
        if partial_merge is None:
            msg = (
                f"partial merging is not implemented by {type(self._merger).__name__}; write complete rows, or give a "
                "merger with partial_merge(older, newer, schema, props)"
            )
            raise UnsupportedPayloadOperationError(msg)
        merged: Version = partial_merge(older, newer, self._schema, self._props)
        return merged
