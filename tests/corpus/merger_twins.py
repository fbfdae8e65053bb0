"""The corpus' mergers for Spark's rows, in Python: the jvm engine has Avro records, and refuses the compiled ones."""

from __future__ import annotations

from typing import Any

from mergers import HoodieAvroIndexedRecord, HoodieRecordType


class OfSpark:
    """What both have."""

    record_type = HoodieRecordType.SPARK
    merging_strategy = ""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        """Return the newer version where either is a delete."""
        return newer if older.record is None or newer.record is None else self.merged(older, newer, schema)

    def merged(self, older: Any, newer: Any, schema: Any) -> Any:
        raise NotImplementedError


class LargerPoints(OfSpark):
    """Keeps the version with more points; of two equal ones the newer."""

    merging_strategy = "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d02"

    def merged(self, older: Any, newer: Any, schema: Any) -> Any:
        before, after = older.record["points"], newer.record["points"]
        return older if before is not None and (after is None or before > after) else newer


class AddsPoints(OfSpark):
    """Makes a version with the points of both."""

    merging_strategy = "0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d03"

    def merged(self, older: Any, newer: Any, schema: Any) -> Any:
        before, after = older.record["points"], newer.record["points"]
        points = after if before is None else before + (after or 0)
        return HoodieAvroIndexedRecord(newer.key, {**newer.record, "points": points}, schema)
