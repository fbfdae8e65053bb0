"""Merges of keys with one row in the log, record by record: a row that wins is taken from Arrow."""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt
    import pyarrow as pa

    from bridge.engines.python import RecordReader
    from bridge.hudi.log_columns import LogColumns
    from bridge.merge import RowSource, SingleRows
    from payloads.avro import Record

    Rows = npt.NDArray[np.intp]
    Fail = Callable[[str, Exception], None]
    Sources = npt.NDArray[np.int8]

_ROWS = 1 << 10
"""How many records are made at a time: those of a thousand rows stay in the processor's cache."""


class RowCalls:
    """The calls of a snapshot query for such keys."""

    def __init__(self, calls: SingleRows, reader: RecordReader) -> None:
        """Take the calls, and what makes records of the rows of base file and log."""
        self._calls = calls
        self._reader = reader

    def pairs(
        self, batch: pa.RecordBatch, rows: Rows, log: LogColumns, numbers: Rows, fail: Fail
    ) -> tuple[Sources, list[Record]]:
        """Merge rows of the base file, each with a row of the log; return where each comes from, and the records made.

        Raises:
            MergeFailedError: a merge failed.
        """
        sources = np.empty(len(rows), np.int8)
        made: list[Record] = []
        for part in _parts(len(rows)):
            stored, logged = self._reader.rows(batch, rows[part]), self._reader.rows(log.rows, numbers[part])
            sources[part] = _called(self._calls.pair, log, numbers[part], fail, made, stored, logged)
        return sources, made

    def singles(self, log: LogColumns, numbers: Rows, fail: Fail) -> Iterator[tuple[Rows, Sources, list[Record]]]:
        """Give for some rows at a time that the log alone has: which they are, and what `pairs` returns.

        Raises:
            MergeFailedError: a merge failed.
        """
        for part in _parts(len(numbers)):
            made: list[Record] = []
            logged = self._reader.rows(log.rows, numbers[part])
            yield numbers[part], _called(self._calls.single, log, numbers[part], fail, made, logged), made


def _parts(rows: int) -> Iterator[slice]:
    return (slice(first, first + _ROWS) for first in range(0, rows, _ROWS))


def _called(  # noqa: PLR0913, PLR0917 (the call, and whose it is)
    merge: Callable[..., RowSource],
    log: LogColumns,
    numbers: Rows,
    fail: Fail,
    made: list[Record],
    first: list[Record],
    *others: list[Record],
) -> Sources:
    """Call `merge` for each key in a loop of C: most keys need no more than that."""
    ahead = iter(first)
    try:
        return np.fromiter(map(merge, ahead, *others, itertools.repeat(made)), np.int8, len(first))
    except Exception as error:
        at = len(first) - operator.length_hint(ahead) - 1
        fail(log.keys_at(numbers[at : at + 1])[0], error)
        raise
