"""Mergers of columns: a user's SPARK merger that merges all rows at once, as one expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from pyspark.sql import Column

    from mergers.record import HoodieSparkRecord
    from payloads.api import Props
    from payloads.avro import AvroSchema


@runtime_checkable
class MergesColumns(Protocol):
    """A merger for Spark's rows, written as an expression (RFC-46: the SPARK implementation of a strategy).

    It accompanies `merge` under the same `merging_strategy`, in the same class or in one of record type SPARK; both
    must give the same results.
    """

    def merge_columns(
        self, older: HoodieSparkRecord, newer: HoodieSparkRecord, schema: AvroSchema, props: Props
    ) -> Column:
        """Return the merged row as a struct with the columns of `schema`, in their order and types; null for a delete.

        A version that is returned unchanged keeps its meaning: the newer one is a delete if its flag or marker says so,
        the older one is the stored row. A new row is data, whatever its flag says (recorded from Hudi 1.1.1 and 1.2.0).
        Whether a row is new is decided by its values. Either version may be null: a delete without data.
        """


def columns_merger(merger: object) -> MergesColumns | None:
    """Return the object behind a merger that merges columns; None if there is none."""
    target = getattr(merger, "target", merger)
    return target if isinstance(target, MergesColumns) else None


def has_columns_alone(merger: object) -> bool:
    """Whether a merger, or what was adapted, has `merge_columns` and no `merge` of its own."""
    target = getattr(merger, "target", merger)
    return isinstance(target, MergesColumns) and not callable(getattr(target, "merge", None))
