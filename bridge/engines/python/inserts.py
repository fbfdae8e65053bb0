"""Newer rows that need no merge call: those that are stored as they are, found by whole columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from bridge.engines.python.column_types import Mask
    from bridge.merge import SingleRows
    from bridge.plan import MergePlan
    from payloads import AvroSchema
    from payloads.builtin import DeleteTest


class InsertMask:
    """Finds the rows that are inserted as they are; a user's class is called for every row."""

    def __init__(self, calls: SingleRows, plan: MergePlan, schema: AvroSchema) -> None:
        """Take the tests that tell inserts from deletes, once."""
        self._tests: tuple[DeleteTest, ...] | None = calls.tests
        ordering = plan.ordering if calls.needs_ordering else ()
        self._ordering = ordering[0] if ordering else None
        if self._ordering is not None and self._ordering not in schema.by_name:
            self._tests = None  # a nested field: the payload handles nulls on the path

    @property
    def can_tell(self) -> bool:
        """Whether columns can decide any row."""
        return self._tests is not None

    def rows(self, batch: pa.RecordBatch) -> Mask:
        """Return for each row of `batch` whether it is inserted as it is."""
        undecided = is_marked(batch, self._tests or ())
        if self._ordering is not None:
            undecided |= batch.column(self._ordering).is_null().to_numpy(zero_copy_only=False)
        return ~undecided


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
