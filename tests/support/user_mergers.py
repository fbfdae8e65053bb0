"""Mergers as users write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mergers import HoodieAvroIndexedRecord, HoodieEmptyRecord, HoodieSparkRecord
from payloads import Ordering

if TYPE_CHECKING:
    from pyspark.sql import Column


class LaterEvent:
    """Event time: the greater ordering value wins; of equals the one that came later."""

    merging_strategy = "0a6d9c5e-3c0f-4d39-9d83-0d3f4a0c7c11"
    record_type = "AVRO"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        return older if older.ordering_value > newer.ordering_value else newer


class LastArrival(LaterEvent):
    """What came last wins."""

    merging_strategy = "5d2a4c0b-6b0e-4d6f-8e0c-6c6f1f0b7a22"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        return newer


class AddsToNewer(LaterEvent):
    """Adds up `n` in the newer version itself, and gives that back."""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        newer.record["n"] += older.record["n"]
        return newer


class AddsToOlder(LaterEvent):
    """Adds up `n` in the older version itself, and gives that back."""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        older.record["n"] += newer.record["n"]
        return older


class AddsUp(LaterEvent):
    """Adds up `v`, both row by row and by columns.

    A newer row whose `op` is d changes nothing; one that is flagged deletes, unless its `op` is I: then the row that is
    made has the flag.
    """

    merging_strategy = "b3a1c6de-1f5f-4c8c-8e0b-0f6f3a8f6d44"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        if newer.record is None or older.marked_delete:
            return newer
        if newer.record["op"] == "d":
            return older
        if newer.marked_delete and newer.record["op"] != "I":
            return newer
        added = {**newer.record, "v": older.record["v"] + newer.record["v"]}
        return HoodieAvroIndexedRecord(newer.key, added, newer.schema or schema)

    def merge_columns(self, older: HoodieSparkRecord, newer: HoodieSparkRecord, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (only where it runs)

        (one,), (other, op) = older.get_column_values(schema, ["v"]), newer.get_column_values(schema, ["v", "op"])
        return (
            sf.when(newer.column.isNull() | older.marked_delete, newer.column)
            .when(op == "d", older.column)
            .when(newer.marked_delete & ~op.eqNullSafe("I"), newer.column)
            .otherwise(newer.column.withField("v", one + other))
        )


class Revives(LaterEvent):
    """What came last wins, but a delete without data leaves the older row with `v` -1."""

    merging_strategy = "7c1e9f50-4d3b-4f8e-9a56-1f2e3d4c5b77"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        if newer.record is not None or older.record is None:
            return newer
        return HoodieAvroIndexedRecord(newer.key, {**older.record, "v": -1}, older.schema or schema)

    def merge_columns(self, older: HoodieSparkRecord, newer: HoodieSparkRecord, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (only where it runs)

        return sf.when(newer.column.isNull(), older.column.withField("v", sf.lit(-1))).otherwise(newer.column)


class AddsUpColumns:
    """The SPARK implementation of the strategy of `AddsUp`, in a class of its own."""

    merging_strategy = AddsUp.merging_strategy
    record_type = "SPARK"
    merge_columns = AddsUp.merge_columns


class AddsUpRows:
    """The AVRO implementation of it."""

    merging_strategy = AddsUp.merging_strategy
    record_type = "AVRO"
    merge = AddsUp.merge


class SparkRows:
    """A merger of Spark's rows: what the newer row's `op` says, else the newer row."""

    merging_strategy = "3f0f7d0c-52c8-4d0e-9d1b-7f6a2b1f9c33"
    record_type = "SPARK"

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        op = None if newer.record is None else newer.record["op"]
        if newer.record is None or op == "delete":
            return None
        if op == "keep":
            return older
        if op == "empty":
            return HoodieEmptyRecord(newer.key, "D", Ordering("long", 9))
        if op in {"made", "flag"}:
            joined = {"v": f"{older.record['v']}+{newer.record['v']}"} if op == "made" else {"_hoodie_is_deleted": True}
            return HoodieAvroIndexedRecord(newer.key, {**newer.record, **joined}, newer.schema)
        return newer


class FirstPayload:
    """A payload, not a merger: what came first stays."""

    def __init__(self, record: dict[str, Any] | None, ordering: Any) -> None:
        self.record = record

    def pre_combine(self, older: FirstPayload) -> FirstPayload:
        return older

    def combine_and_get_update_value(self, current: dict[str, Any], schema: Any) -> dict[str, Any] | None:
        return current

    def get_insert_value(self, schema: Any) -> dict[str, Any] | None:
        return self.record
