"""Payloads of the shapes that public classes have, translated line by line from tests/jvm/java/Ported.java."""

# ruff: noqa: N802, N803 (names of Java)

from __future__ import annotations

import payloads
from payloads import SENTINEL


def text(value):
    """Java's String.valueOf."""
    return "null" if value is None else str(value)


class InPlace(payloads.OverwriteWithLatestAvroPayload):
    """Writes what is not null into the stored row."""

    def combineAndGetUpdateValue(self, current, schema):
        incoming = self.getInsertValue(schema)
        if incoming is None:
            return None
        for field in schema.fields:
            value = incoming.get(field.name)
            if value is not None and not field.name.startswith("_hoodie_"):
                current[field.name] = value
        return current


class Hooks(payloads.DefaultHoodieRecordPayload):
    """Deletes by an operation column, and keeps the stored row on a tie."""

    def isDeleteRecord(self, record):
        return text(record.get("op")) == "delete" or super().isDeleteRecord(record)

    def needUpdatingPersistedRecord(self, current, incoming: dict | None, props):
        if not super().needUpdatingPersistedRecord(current, incoming, props):
            return False
        stored = current["ts"]
        return incoming is None or stored is None or stored != incoming["ts"]


class Fields(payloads.OverwriteNonDefaultsWithLatestAvroPayload):
    """Takes null and "y" for gaps, and adds up n."""

    def overwriteField(self, value, defaultValue):
        return super().overwriteField(value, defaultValue) or text(value) == "y"

    def setField(self, baseRecord, mergedRecord, builder, field):
        base = baseRecord.get(field.name)
        merged = mergedRecord.get(field.name)
        if field.name == "n" and base is not None and merged is not None:
            builder.set(field, base + merged)
        else:
            super().setField(baseRecord, mergedRecord, builder, field)


class Partial(payloads.PartialUpdateAvroPayload):
    """Keeps the greater n, whichever version is the later one."""

    def mergeDisorderRecordsWithMetadata(self, schema, oldRecord, updatingRecord, isPreCombining):
        merged = super().mergeDisorderRecordsWithMetadata(schema, oldRecord, updatingRecord, isPreCombining)
        if merged is not None:
            merged["v"] = "disorder"
        return merged

    def setField(self, baseRecord, mergedRecord, builder, field):
        base = baseRecord.get(field.name)
        merged = mergedRecord.get(field.name)
        if field.name == "n" and base is not None and merged is not None:
            builder.set(field, max(base, merged))
        else:
            super().setField(baseRecord, mergedRecord, builder, field)


class Counts(payloads.OverwriteWithLatestAvroPayload):
    """Counts what was merged in n."""

    @staticmethod
    def count(record):
        counted = record["n"]
        return 1 if counted is None else counted

    @staticmethod
    def bytes_of(payload):
        """What Java's source has for 0.15, and for 1.2."""
        return payload.recordBytes if payload.release.value < "1.1" else payload.getRecordBytes()

    def preCombine(self, older, schema, props):
        if len(self.bytes_of(older)) == 0 or len(self.bytes_of(self)) == 0 or self.isDeletedRecord:
            return self
        merged = self.getInsertValue(schema)
        earlier = older.getInsertValue(schema)
        merged["n"] = self.count(merged) + (0 if earlier is None else self.count(earlier))
        return Counts(merged, self.orderingVal)

    def combineAndGetUpdateValue(self, current, schema, props):
        merged = super().combineAndGetUpdateValue(current, schema, props)
        if merged is None:
            return None
        merged["n"] = self.count(current) + self.count(merged)
        return merged


class Changes(payloads.DefaultHoodieRecordPayload):
    """Writes the names of the columns that an update changes to v."""

    WATCHED = ("name", "n", "op")

    def combineAndGetUpdateValue(self, current, schema, props):
        result = super().combineAndGetUpdateValue(current, schema, props)
        if result is None or result is current or result is SENTINEL:
            return result
        changed = []
        for name in self.WATCHED:
            before = current.get(name)
            if text(before) != text(result.get(name)):
                changed.append(name)
        result["v"] = ",".join(changed)
        return result
