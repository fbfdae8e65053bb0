"""Spool: batches that are needed again, in memory while they are few, else in a temporary file of the task."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator

_IN_MEMORY = 1 << 23  # bytes


class Spool:
    """Takes batches of one schema, and gives them back once."""

    def __init__(self) -> None:
        self._file: tempfile.SpooledTemporaryFile[bytes] | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Take a batch."""
        if self._file is None or self._writer is None:
            self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed where it is emptied)
            self._writer = pa.ipc.new_stream(self._file, batch.schema)
        self._writer.write_batch(batch)

    def drain(self) -> Iterator[pa.RecordBatch]:
        """Give all batches, and forget them."""
        if self._file is None or self._writer is None:
            return
        file, self._file = self._file, None
        self._writer.close()
        with file:
            file.seek(0)
            yield from pa.ipc.open_stream(file)

    def clear(self) -> None:
        """Forget all batches."""
        if self._file is not None:
            self._file.close()
        self._file = self._writer = None
