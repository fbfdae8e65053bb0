"""Mergers and payloads that keep the laws, most of them near to a faulty one."""

from __future__ import annotations

import json
import math

from mergers.strategies.event_time import EventTimeRecordMerger
from payloads import DefaultHoodieRecordPayload
from tests.mergers.laws.faulty import Merger, is_data


class LaterWins(Merger):
    """The greater ordering value wins, ties go to the later arrival."""

    def merge(self, older, newer, schema, props):
        return self.later(older, newer)


class EarlierStaysOnTies(Merger):
    """The greater ordering value wins, ties stay with the earlier arrival."""

    def merge(self, older, newer, schema, props):
        return newer if newer.ordering_value > older.ordering_value else older


class TiesByContent(Merger):
    """A tie is broken by the text of the records, the same in every process and in any order of a map's entries."""

    def merge(self, older, newer, schema, props):
        return max(newer, older, key=self.rank)

    @staticmethod
    def rank(version):
        return version.ordering_value.value, json.dumps(version.record, sort_keys=True)


class FieldwiseMaximum(Merger):
    """Each number is the greatest seen."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        merged = {**winner.record}
        for name in ("n", "x"):
            merged[name] = max((older.record[name], newer.record[name]), key=self.rank)
        return self.made(winner, merged)

    @staticmethod
    def rank(value):
        if value is None:
            return (0, 0.0, 0.0)
        number = float(value) if isinstance(value, float) else value
        if isinstance(number, float) and math.isnan(number):
            return (2, 0.0, 0.0)
        return (1, number, math.copysign(1.0, number))


class UnionOfTags(Merger):
    """Tags are united; where both have one, the greater text counts."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        tags = dict(older.record["tags"])
        for name, value in newer.record["tags"].items():
            tags[name] = max(value, tags.get(name, ""))
        return self.made(winner, {**winner.record, "tags": tags})


class SmallestMapEntry(Merger):
    """The entry with the first name decides, in whatever order the map has them."""

    def merge(self, older, newer, schema, props):
        return max(newer, older, key=lambda version: (version.ordering_value.value, self.first(version.record or {})))

    @staticmethod
    def first(record):
        return min((record.get("tags") or {"": ""}).items())


class CopiesAlways(Merger):
    """The later version wins, as a new record."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        return self.made(winner, dict(winner.record)) if is_data(winner) else winner


class CamelCase:
    """A merger in Java's names."""

    def getRecordType(self):  # noqa: N802
        return "AVRO"

    def getMergingStrategy(self):  # noqa: N802
        return Merger.merging_strategy

    def merge(self, older, newer, props):
        return newer if newer.ordering_value >= older.ordering_value else older


class OrFlag(Merger):
    """A flag that was once set stays set."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        return self.made(winner, {**winner.record, "flag": older.record["flag"] or newer.record["flag"]})


class AndFlag(Merger):
    """A flag that was once clear stays clear."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        return self.made(winner, {**winner.record, "flag": older.record["flag"] and newer.record["flag"]})


class LongestText(Merger):
    """The longer text stays; of texts of one length the greater one."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        longest = max(
            (older.record["v"], newer.record["v"]), key=lambda text: (len(text or ""), text or "", text is None)
        )
        return self.made(winner, {**winner.record, "v": longest})


class EarliestOrdering(Merger):
    """The smaller ordering value wins, ties go to the earlier arrival."""

    def merge(self, older, newer, schema, props):
        return newer if newer.ordering_value < older.ordering_value else older


class SmallestNumber(Merger):
    """The smallest number seen stays, where any was."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        numbers = [version.record["n"] for version in (older, newer) if version.record["n"] is not None]
        return self.made(winner, {**winner.record, "n": min(numbers, default=None)})


class TagsInCommon(Merger):
    """Tags stay that both versions have, with the smaller text."""

    def merge(self, older, newer, schema, props):
        winner = self.later(older, newer)
        if not is_data(older, newer):
            return winner
        mine, yours = older.record["tags"], newer.record["tags"]
        return self.made(
            winner, {**winner.record, "tags": {name: min(mine[name], yours[name]) for name in mine if name in yours}}
        )


class LaterPayload:
    """A payload that inherits nothing: the later version wins."""

    def __init__(self, record, ordering_value):
        self.record = record
        self.ordering_value = ordering_value

    def pre_combine(self, older):
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current, schema):
        return current if current["ts"] > self.ordering_value.value else self.record

    def get_insert_value(self, schema):
        return self.record

    def get_ordering_value(self):
        return self.ordering_value


class JavaNames:
    """The same in Java's names, with properties."""

    def __init__(self, record, ordering_value):
        self.record = record
        self.ordering_value = ordering_value

    def preCombine(self, older, schema, props):  # noqa: N802
        return older if older.ordering_value > self.ordering_value else self

    def combineAndGetUpdateValue(self, current, schema, props):  # noqa: N802
        return current if current["ts"] > self.ordering_value.value else self.record

    def getInsertValue(self, schema, props):  # noqa: N802
        return self.record

    def getOrderingValue(self):  # noqa: N802
        return self.ordering_value


class Inherits(DefaultHoodieRecordPayload):
    """A subclass of a built-in that changes nothing."""


LAWFUL = (
    LaterWins,
    EarlierStaysOnTies,
    TiesByContent,
    FieldwiseMaximum,
    UnionOfTags,
    SmallestMapEntry,
    CopiesAlways,
    CamelCase,
    OrFlag,
    AndFlag,
    LongestText,
    EarliestOrdering,
    SmallestNumber,
    TagsInCommon,
    LaterPayload,
    JavaNames,
    Inherits,
    EventTimeRecordMerger,
)
