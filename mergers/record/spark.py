"""HoodieSparkRecord: the carrier of the SPARK record type, a struct column of a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from mergers.errors import UnsupportedRecordOperationError
from mergers.record.base import HoodieKey, HoodieRecord

if TYPE_CHECKING:
    from pyspark.sql import Column


class HoodieSparkRecord(HoodieRecord):
    """A version of *every* record of a data frame: what a SPARK merger merges.

    The struct column represents all rows at once, so nothing can be read from it here: a merger builds expressions
    from it. Keys are columns of the same frame, `key` is for a caller that merges a single row.

    Attributes:
        column: a struct with the columns of the table.

    Added in 0.1.0.
    """

    __slots__ = ("column",)

    def __init__(self, key: HoodieKey | None, column: Column, operation: str | None = None) -> None:
        super().__init__(key, operation)
        self.column = column

    def should_ignore(self, schema: object, props: object) -> bool:  # noqa: ARG002
        """Never: a SPARK merger returns a row or a delete."""
        return False

    def new_instance(self, key: HoodieKey | None = None, operation: str | None = None) -> HoodieSparkRecord:
        """Return the same column under another key or operation."""
        return HoodieSparkRecord(
            self.key if key is None else key, self.column, self.operation if operation is None else operation
        )

    def _refuse(self, call: str, *_: object) -> NoReturn:
        raise UnsupportedRecordOperationError.from_call(
            type(self), call, "write it as an expression on its column, or merge on the Avro engine"
        )
