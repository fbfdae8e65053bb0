"""Mergers and payloads with one defect each, the one that their docstring names."""

from __future__ import annotations

import random
import time

from mergers import HoodieAvroIndexedRecord, HoodieRecordType

STRATEGY = "7b0c6b5e-2f1c-4f43-9c5a-8a6f9c1f2d10"


class Merger:
    record_type = HoodieRecordType.AVRO
    merging_strategy = STRATEGY

    def later(self, older, newer):
        return newer if newer.ordering_value >= older.ordering_value else older

    def made(self, newer, record):
        return HoodieAvroIndexedRecord(newer.key, record, newer.schema, newer.operation, newer.ordering_value)


def is_data(*versions):
    return all(version.record is not None and not version.marked_delete for version in versions)


class TiesByHash(Merger):
    """A tie is broken by a hash, which differs from process to process."""

    def merge(self, older, newer, schema, props):
        if older.ordering_value == newer.ordering_value:
            return max((older, newer), key=lambda version: hash((version.record or {}).get("v")))
        return self.later(older, newer)


class TiesByIdentity(Merger):
    """A tie is broken by where the objects lie in memory."""

    def merge(self, older, newer, schema, props):
        if older.ordering_value == newer.ordering_value:
            return max((older, newer), key=id)
        return self.later(older, newer)


class FloatSum(Merger):
    """Floating-point numbers are added up, so the order of the additions shows."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        total = (older.record["x"] or 0.0) + (newer.record["x"] or 0.0)
        return self.made(winner, {**winner.record, "x": total})


class Mean(Merger):
    """The mean of means is not the mean."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        mean = ((older.record["x"] or 0.0) + (newer.record["x"] or 0.0)) / 2
        return self.made(winner, {**winner.record, "x": mean})


class Clock(Merger):
    """The time of the merge is written into the row."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        return winner if not is_data(winner) else self.made(winner, {**winner.record, "n": int(time.time())})


class Dice(Merger):
    """A tie is broken at random."""

    def merge(self, older, newer, schema, props):
        if older.ordering_value == newer.ordering_value:
            return random.choice((older, newer))  # noqa: S311
        return self.later(older, newer)


class ChangesItsInput(Merger):
    """The older record is filled in place."""

    def merge(self, older, newer, schema, props):
        winner, loser = (newer, older) if self.later(older, newer) is newer else (older, newer)
        if is_data(older, newer) and loser.record["v"] is None:
            loser.record["v"] = winner.record["v"]
        return winner


class DropsTombstones(Merger):
    """Data beats a delete whatever the ordering values say."""

    def merge(self, older, newer, schema, props):
        if is_data(older) != is_data(newer):
            return older if is_data(older) else newer
        return self.later(older, newer)


class ForgetsTheOrderingOfDeletes(Merger):
    """A delete is None, so nobody knows later when it was."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        return winner if is_data(winner) else None


class SwappedArguments(Merger):
    """The stored version wins where the incoming one should."""

    def merge(self, newer, older, schema, props):
        return newer if is_data(newer) else older


class FirstMapEntry(Merger):
    """The first entry of a map decides, but maps have no order."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(winner) or not winner.record["tags"]:
            return winner
        return self.made(winner, {**winner.record, "v": next(iter(winner.record["tags"].values()))})


class LosesAField(Merger):
    """A field is missing from the result."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(winner):
            return winner
        return self.made(winner, {name: value for name, value in winner.record.items() if name != "v"})


class WrongType(Merger):
    """A number becomes text."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        return winner if not is_data(winner) else self.made(winner, {**winner.record, "n": str(winner.record["n"])})


class FillsByRowOrdering(Merger):
    """Columns are filled from the earlier version, with one ordering value for the whole row."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        loser = older if winner is newer else newer
        filled = {name: loser.record[name] if value is None else value for name, value in winner.record.items()}
        return self.made(winner, filled)


class OrdersByText(Merger):
    """Ordering values are compared as text: 10 is before 9."""

    def merge(self, older, newer, schema, props):
        return newer if str(newer.ordering_value.value) >= str(older.ordering_value.value) else older


class Concatenates(Merger):
    """Texts are joined: a version that is delivered twice counts twice."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        return self.made(winner, {**winner.record, "v": (older.record["v"] or "") + (newer.record["v"] or "")})


class CountsInMemory:
    """A payload that counts its versions in an attribute, which no log keeps."""

    def __init__(self, record, ordering_value):
        self.record = record
        self.ordering_value = ordering_value
        self.count = 1

    def pre_combine(self, older):
        merged = CountsInMemory(self.record, self.ordering_value)
        merged.count = self.count + older.count
        return merged

    def combine_and_get_update_value(self, current, schema):
        return {**self.record, "n": self.count}

    def get_insert_value(self, schema):
        return None if self.record is None else {**self.record, "n": self.count}


class ChangesTheStoredRow:
    """A payload that writes into the stored row."""

    def __init__(self, record, ordering_value):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        current["v"] = self.record["v"]
        return current

    def get_insert_value(self, schema):
        return self.record


FAULTY = (
    (TiesByHash, "determinism"),
    (TiesByIdentity, "determinism"),
    (FloatSum, "idempotence"),
    (Mean, "associativity"),
    (Clock, "determinism"),
    (Dice, "determinism"),
    (ChangesItsInput, "purity"),
    (DropsTombstones, "tombstone"),
    (ForgetsTheOrderingOfDeletes, "associativity"),
    (SwappedArguments, "commutativity"),
    (FirstMapEntry, "determinism"),
    (LosesAField, "schema"),
    (WrongType, "schema"),
    (FillsByRowOrdering, "associativity"),
    (OrdersByText, "tombstone"),
    (Concatenates, "idempotence"),
    (CountsInMemory, "round-trip"),
    (ChangesTheStoredRow, "purity"),
)
"""Each with the law that names its defect best."""
