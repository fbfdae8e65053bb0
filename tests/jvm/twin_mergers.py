"""Mergers that are written twice, here in tests/jvm/java/Mergers.java and NewMergers.java."""

from __future__ import annotations

from typing import Any

from mergers import HoodieAvroIndexedRecord, HoodieEmptyRecord, HoodieRecordType

STRATEGY = "5d1a2f6e-6f0b-4f0e-9d57-0a8f6b7c1e21"


class OfAvro:
    """What all have."""

    merging_strategy = STRATEGY
    record_type = HoodieRecordType.AVRO


class Larger(OfAvro):
    """Keeps the larger amount."""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        before, after = older.record["n"], newer.record["n"]
        return older if before is not None and (after is None or before > after) else newer


class Marked(OfAvro):
    """Joins texts, names key and a property; deletes, or leaves alone, what its column `op` says."""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        op = newer.record["op"]
        if op in {"delete", "keep"}:
            return older if op == "keep" else None
        texts = ("null" if side.record["v"] is None else side.record["v"] for side in (older, newer))
        key = newer.key
        joined = f"{'+'.join(texts)} of {key.record_key} in {key.partition_path} by {props.get('acme.step', 'none')}"
        return HoodieAvroIndexedRecord(key, {**newer.record, "v": joined}, schema)


class OfSpark(Larger):
    """The same for Spark rows, as a table on Spark needs it."""

    record_type = HoodieRecordType.SPARK


class NewLarger(Larger):
    """Keeps the larger amount, as a merger of 1.1 and later, to which deletes come as well."""

    def merge(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        if older.record is None or newer.record is None:
            return newer
        return self.merged(older, newer, schema, props)

    def merged(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        return super().merge(older, newer, schema, props)


class NewJoined(NewLarger):
    """Joins texts, names key and a property; deletes, edits or leaves alone, what its column `op` says."""

    def merged(self, older: Any, newer: Any, schema: Any, props: Any) -> Any:
        op = newer.record["op"]
        if op == "delete":
            return HoodieEmptyRecord(newer.key, None, newer.ordering_value)
        if op == "keep":
            return older
        texts = ("null" if side.record["v"] is None else side.record["v"] for side in (older, newer))
        joined = f"{'+'.join(texts)} of {newer.key.record_key} by {props.get('acme.step', 'none')}"
        if op == "ignore":
            older.record["v"] = joined
            return older
        return HoodieAvroIndexedRecord(newer.key, {**newer.record, "v": joined}, schema)
