"""Newer rows that need no merge call: those that are stored as they are, found by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from bridge.engines.python.column_types import Mask
    from bridge.merge import RecordMerge
    from payloads import AvroSchema
    from payloads.builtin import DeleteTest


class InsertMask:
    """Finds the rows that are inserted as they are; a user's class is called for every row."""

    def __init__(self, tests: tuple[DeleteTest, ...] | None, ordering: str | None, merge: RecordMerge) -> None:
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


def is_marked(batch: pa.RecordBatch, tests: Iterable[DeleteTest]) -> Mask:
    """Return for each row whether it is a delete by one of some tests."""
    marked: Mask = np.zeros(batch.num_rows, bool)
    for test in tests:
        column = batch.column(test.field)
        if test.marker is not True:
            column = pc.equal(pc.utf8_upper(column) if test.ignore_case else column, _marker(test))
        marked |= pc.fill_null(column, False).to_numpy(zero_copy_only=False)
    return marked


def _marker(test: DeleteTest) -> str:
    text = str(test.marker)
    return text.upper() if test.ignore_case else text


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
    match value.kind:
        case "record":
            inner = [field.schema for field in value.fields]
        case "array":
            inner = [value.items]
        case "map":
            inner = [value.values]
        case kind:
            return kind in {"enum", "fixed", "union"} or value.logical == "decimal"
    return any(not schema.nullable or _wants_more(schema.non_null) for schema in inner)
