"""Newer rows that need no merge call: those that are stored as they are, found by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bridge.engines.python.column_tests import is_delete

if TYPE_CHECKING:
    import pyarrow as pa

    from bridge.engines.python.column_types import Mask
    from bridge.merge import RecordMerge
    from payloads import AvroSchema
    from payloads.rules import DeleteTests


class InsertMask:
    """Finds the rows that are inserted as they are; a user's class is called for every row."""

    def __init__(self, tests: DeleteTests | None, ordering: str | None, merge: RecordMerge) -> None:
        """Take what decides, once.

        Args:
            tests: the tests that tell inserts from deletes; None if columns can't.
            ordering: the column in which a null is left to the merge; None for none.
            merge: knows the schema.
        """
        self._tests = tests
        self._ordering = ordering
        self._required = _required(merge)

    def rows(self, batch: pa.RecordBatch) -> tuple[Mask, Mask]:
        """Return the rows of which columns tell what a merge sees, and those that are inserted as they are.

        The latter if no other version of its key wins.
        """
        nobody = np.zeros(batch.num_rows, dtype=bool)
        if self._required is None or any(batch.column(name).null_count for name in self._required):
            return nobody, nobody  # a record is made of each, which says what is wrong
        if self._ordering is None:
            told = ~nobody
        elif self._ordering in batch.schema.names:
            told = batch.column(self._ordering).is_valid().to_numpy(zero_copy_only=False)
        else:
            return nobody, nobody  # a nested field: the payload handles nulls on the path
        return told, nobody if self._tests is None else told & ~is_marked(batch, self._tests)


def is_marked(batch: pa.RecordBatch, tests: DeleteTests) -> Mask:
    """Return for each row whether it is a delete by tests of its columns, or these can't tell."""
    names = batch.schema.names
    found = is_delete(tests, lambda name: batch.column(name) if name in names else None)
    return ~found[1] if isinstance(found, tuple) else np.full(batch.num_rows, found is not False)


def _required(merge: RecordMerge) -> tuple[str, ...] | None:
    """Return the columns that must not have null for rows to fit the schema; None if that is not enough.

    A schema that was made of the frame fits. One that a user gave may want more than the frame says.
    """
    given = merge.plan.schema
    if given is None:
        return ()
    if any(_wants_more(field.schema.non_null) for field in given.fields):
        return None
    return tuple(field.name for field in given.fields if not field.schema.nullable)


def _wants_more(value: AvroSchema) -> bool:
    """Whether a value that is not null may not fit: for its symbol or size, or for a null inside."""
    if value.kind in {"enum", "fixed", "union"} or value.logical == "decimal":
        return True
    return any(not schema.nullable or _wants_more(schema.non_null) for schema in value.parts)
