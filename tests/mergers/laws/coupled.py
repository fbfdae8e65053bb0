"""Mergers and payloads that depend on the bracketing by one of many columns, or by one as another one decides."""

from __future__ import annotations

import datetime
import json

from mergers import HoodieAvroIndexedRecord
from payloads import parse_schema
from tests.support.schemas import nullable, record_schema

SCHEMA = parse_schema(
    record_schema(
        id=nullable("string"),
        ts="long",
        city=nullable("string"),
        status=nullable("string"),
        points="double",
        level="int",
        quantity=nullable("long"),
        price=nullable(
            {
                "type": "bytes",
                "logicalType": "decimal",
                "precision": 12,
                "scale": 2,
            }  # a number of cents in two's complement
        ),
        seen=nullable({"type": "long", "logicalType": "timestamp-micros"}),
        active="boolean",
        tier={"type": "enum", "name": "tier", "symbols": ["FREE", "PAID", "GOLD"]},
        tags={"type": "array", "items": "string"},
        counts=nullable({"type": "map", "values": "long"}),
        address=nullable(record_schema("address", street=nullable("string"), number=nullable("int"))),
        note=nullable("string"),
        _hoodie_is_deleted=nullable("boolean"),
    )
)
SETTINGS = {"schema": SCHEMA, "key": ["id"], "ordering_fields": ["ts"]}


class Planted:
    """The greater `ts` wins, on a tie the later version; `changed` gives some columns other values."""

    merging_strategy = "0a6d9c5e-3c0f-4d39-9d83-0d3f4a0c7c12"
    record_type = "AVRO"

    def merge(self, older, newer, schema, props):
        last, other = (older, newer) if older.ordering_value > newer.ordering_value else (newer, older)
        if last.record is None or other.record is None:
            return last
        row = {**last.record, **self.changed(last.record, other.record, older.record, newer.record)}
        return HoodieAvroIndexedRecord(last.key, row, last.schema, ordering_value=last.ordering_value)

    def changed(self, last, other, older, newer):
        raise NotImplementedError


class Mean(Planted):
    """A mean."""

    def changed(self, last, other, older, newer):
        return {"points": (last["points"] + other["points"]) / 2}


class RoundedSum(Planted):
    """A sum of doubles, which rounds."""

    def changed(self, last, other, older, newer):
        return {"points": older["points"] + newer["points"]}


class Difference(Planted):
    """A difference."""

    def changed(self, last, other, older, newer):
        return {"level": (newer["level"] - older["level"]) % 1000}


class Clamp(Planted):
    """A sum within bounds."""

    def changed(self, last, other, older, newer):
        return {"quantity": max(0, min(100, (older["quantity"] or 0) + (newer["quantity"] or 0)))}


class IntegerMean(Planted):
    """A mean that is cut to a whole number."""

    def changed(self, last, other, older, newer):
        return {"level": (older["level"] + newer["level"]) // 2}


class MeanPrice(Planted):
    """A mean of decimals."""

    def changed(self, last, other, older, newer):
        if last["price"] is None or other["price"] is None:
            return {}
        cents = [int.from_bytes(one["price"], "big", signed=True) for one in (last, other)]
        return {"price": (sum(cents) // 2).to_bytes(8, "big", signed=True)}


class Midpoint(Planted):
    """The middle of two moments."""

    def changed(self, last, other, older, newer):
        return {"seen": last["seen"] and other["seen"] and (last["seen"] + other["seen"]) // 2}


class Implies(Planted):
    """A boolean that is not associative."""

    def changed(self, last, other, older, newer):
        return {"active": not older["active"] or newer["active"]}


class NextTier(Planted):
    """An enum that rises if the newer version has the same."""

    def changed(self, last, other, older, newer):
        tiers = ["FREE", "PAID", "GOLD"]
        return {"tier": tiers[min(tiers.index(newer["tier"]) + (newer["tier"] == older["tier"]), 2)]}


class Doubled(Planted):
    """A list that repeats what is in both."""

    def changed(self, last, other, older, newer):
        return {"tags": [*older["tags"], *(one for one in newer["tags"] if one in older["tags"])]}


class MeanOfMaps(Planted):
    """A mean for each key of a map."""

    def changed(self, last, other, older, newer):
        left, right = older["counts"] or {}, newer["counts"] or {}
        return {"counts": {key: (left.get(key, 0) + right.get(key, 0)) // 2 for key in {**left, **right}}}


class NestedMean(Planted):
    """A mean inside a nested record."""

    def changed(self, last, other, older, newer):
        if not (older["address"] and newer["address"]):
            return {}
        numbers = [one["address"]["number"] or 0 for one in (older, newer)]
        return {"address": {**last["address"], "number": sum(numbers) // 2}}


class Joined(Planted):
    """Texts that are joined the other way round where the newer one is longer."""

    def changed(self, last, other, older, newer):
        texts = [older["note"] or "", newer["note"] or ""]
        return {"note": "|".join(sorted(texts, key=len))[:8]}


class ShorterUnlessSame(Planted):
    """The longer note wins if the city is the same, else the newer one."""

    def changed(self, last, other, older, newer):
        return (
            {"note": max(older["note"] or "", newer["note"] or "", key=len)} if older["city"] == newer["city"] else {}
        )


class MeanIfClosed(Planted):
    """A mean, only where the status is a constant of the code."""

    def changed(self, last, other, older, newer):
        return {"points": (older["points"] + newer["points"]) / 2} if newer["status"] == "CLOSED" else {}


class MeanIfClosedAndGold(Planted):
    """A mean, only where three columns have certain values."""

    def changed(self, last, other, older, newer):
        if newer["status"] == "CLOSED" and newer["tier"] == "GOLD" and newer["active"]:
            return {"points": (older["points"] + newer["points"]) / 2}
        return {}


class CountsWhileOpen(Planted):
    """A counter that starts anew where the status changes."""

    def changed(self, last, other, older, newer):
        same = older["status"] == newer["status"]
        return {"quantity": (newer["quantity"] or 0) + (older["quantity"] or 0) if same else 1}


class Weighted(Planted):
    """An average that is weighted by another column, which is not added up."""

    def changed(self, last, other, older, newer):
        weight = (abs(older["level"]) + abs(newer["level"])) or 1
        points = older["points"] * abs(older["level"]) + newer["points"] * abs(newer["level"])
        return {"points": points / weight}


class TieByCity(Planted):
    """The greatest level, its note decided by the city of the newer version."""

    def changed(self, last, other, older, newer):
        if older["level"] == newer["level"]:
            return {"note": older["note"] if (newer["city"] or "") < (older["city"] or "") else newer["note"]}
        return {"level": max(older["level"], newer["level"])}


class FillsTogether(Planted):
    """Null in one column is filled only where another one is null, too."""

    def changed(self, last, other, older, newer):
        if last["city"] is None and last["note"] is None:
            return {"city": other["city"]}
        return {"note": other["note"]} if last["note"] is None else {}


class Loops(Planted):
    """A mean of every number, by the fields of the schema."""

    def changed(self, last, other, older, newer):
        def mean(name):
            return (older[name] + newer[name]) / 2

        return {name: mean(name) for name, value in last.items() if type(value) is float}


class LastColumn(Planted):
    """The last column, by its place."""

    def changed(self, last, other, older, newer):
        name = list(last)[-2]
        return {name: f"{(newer[name] or '')[:1]}{(older[name] or '')[-1:]}"}


class ParsedMean(Planted):
    """The mean of numbers in texts."""

    def changed(self, last, other, older, newer):
        return {"note": str((float(older["note"]) + float(newer["note"])) / 2)}


class ParsedDays(Planted):
    """The middle of two days in texts."""

    def changed(self, last, other, older, newer):
        days = [datetime.date.fromisoformat(one["city"]).toordinal() for one in (older, newer)]
        return {"city": datetime.date.fromordinal(sum(days) // 2).isoformat()}


class ParsedJson(Planted):
    """A mean inside JSON."""

    def changed(self, last, other, older, newer):
        values = [json.loads(one["note"])["visits"] for one in (older, newer)]
        return {"note": json.dumps({"visits": sum(values) / 2})}


class PayloadMean:
    """A payload: the later one has the mean."""

    def __init__(self, record, ordering=None):
        self.record = record
        self.ordering = ordering

    def pre_combine(self, older):
        last, other = (older, self) if older.record["ts"] > self.record["ts"] else (self, older)
        return PayloadMean({**last.record, "level": (last.record["level"] + other.record["level"]) // 2}, last.ordering)

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record


class PayloadCoalesces(PayloadMean):
    """A payload: a later null in the price keeps the address, too."""

    def pre_combine(self, older):
        last, other = (older, self) if older.record["ts"] > self.record["ts"] else (self, older)
        if last.record["price"] is not None:
            return last
        return PayloadCoalesces({**last.record, "price": other.record["price"], "address": other.record["address"]})


COUPLED = (
    *(Mean, RoundedSum, Difference, Clamp, IntegerMean, MeanPrice, Midpoint, Implies, NextTier, Doubled, MeanOfMaps),
    *(NestedMean, Joined, ShorterUnlessSame, MeanIfClosed, MeanIfClosedAndGold, CountsWhileOpen, Weighted, TieByCity),
    *(FillsTogether, Loops, LastColumn, ParsedMean, ParsedDays, ParsedJson, PayloadMean, PayloadCoalesces),
)
