"""New rows that need no merge call: incoming rows that are inserted as they are, found by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from bridge.engines.python.column_types import ArrowColumn, Mask
    from bridge.merge import RecordMerge
    from payloads.builtin import DeleteTest


class InsertMask:
    """Finds the rows that are inserted as they are; a user's class is called for every row."""

    def __init__(self, merge: RecordMerge) -> None:
        """Get the tests that tell inserts from deletes from the merge, once."""
        self._tests: tuple[DeleteTest, ...] | None = merge.insert_tests()
        ordering = merge.plan.ordering if merge.needs_ordering else ()
        self._ordering = ordering[0] if ordering else None
        if self._ordering is not None and self._ordering not in merge.schema.by_name:
            self._tests = None  # a nested field: the payload handles nulls on the path

    @property
    def can_tell(self) -> bool:
        """Whether columns can decide any row."""
        return self._tests is not None

    def rows(self, batch: pa.RecordBatch) -> Mask:
        """Return for each row of `batch` whether it is inserted as it is."""
        undecided: ArrowColumn = pa.repeat(pa.scalar(value=False), batch.num_rows)
        if self._ordering is not None:
            undecided = batch.column(self._ordering).is_null()
        for test in self._tests or ():
            column = batch.column(test.field)
            if test.marker is not True:
                column = pc.equal(pc.utf8_upper(column) if test.ignore_case else column, _marker(test))
            undecided = pc.or_(undecided, pc.fill_null(column, False))
        result: Mask = pc.invert(undecided).to_numpy(zero_copy_only=False)
        return result


def _marker(test: DeleteTest) -> str:
    text = str(test.marker)
    return text.upper() if test.ignore_case else text
