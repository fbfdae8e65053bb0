"""Payloads of the kinds that users write, each with the columns of its table."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from payloads import HoodieRecordPayload

OPTIONAL = "optional "


class Shape(HoodieRecordPayload):
    """Takes the incoming row; a batch keeps the greater ordering value, ties go to the newer version."""

    columns: ClassVar[dict[str, Any]] = {"a": "optional string", "n": "optional long"}

    def __init__(self, record, ordering_value):
        self.record = record
        self.ordering_value = ordering_value

    def pre_combine(self, older, schema=None, props=None):
        return older if older.ordering_value > self.ordering_value else self

    def combine_and_get_update_value(self, current, schema, props=None):
        if self.record is None or self.deletes(self.record):
            return None
        return self.merged(current, self.record)

    def get_insert_value(self, schema, props=None):
        return None if self.record is None or self.deletes(self.record) else self.record

    def deletes(self, record):
        return False

    def merged(self, stored, incoming):
        return incoming


class LastWriteWins(Shape):
    pass


class FirstWriteWins(Shape):
    def merged(self, stored, incoming):
        return stored


class KeepsWhereNull(Shape):
    def merged(self, stored, incoming):
        return {name: stored[name] if value is None else value for name, value in incoming.items()}


class KeepsWhereDefault(Shape):
    columns: ClassVar = {
        "a": {"type": "string", "default": ""},
        "n": {"type": "long", "default": 0},
        "b": "optional string",
    }

    def merged(self, stored, incoming):
        defaults = {"a": "", "n": 0, "b": None}
        return {
            name: stored[name] if name in defaults and value == defaults[name] else value
            for name, value in incoming.items()
        }


class KeepsWhereMarker(Shape):
    MARKER = "__unavailable__"

    def merged(self, stored, incoming):
        return {name: stored[name] if value == self.MARKER else value for name, value in incoming.items()}


class Counts(Shape):
    columns: ClassVar = {"a": "optional string", "hits": "long"}

    def merged(self, stored, incoming):
        return {**incoming, "hits": stored["hits"] + incoming["hits"]}


class AddsUp(Shape):
    columns: ClassVar = {"a": "optional string", "amount": "optional double"}

    def merged(self, stored, incoming):
        old, new = stored["amount"], incoming["amount"]
        return {**incoming, "amount": new if old is None else old if new is None else old + new}


class EarliestSeen(Shape):
    columns: ClassVar = {"a": "optional string", "first_seen": "long"}

    def merged(self, stored, incoming):
        return {**incoming, "first_seen": min(stored["first_seen"], incoming["first_seen"])}


class BestScore(Shape):
    columns: ClassVar = {"a": "optional string", "score": "optional long"}

    def merged(self, stored, incoming):
        known = [one for one in (stored["score"], incoming["score"]) if one is not None]
        return {**incoming, "score": max(known, default=None)}


class NewerByColumn(Shape):
    columns: ClassVar = {"a": "optional string", "updated": "long"}

    def merged(self, stored, incoming):
        return incoming if incoming["updated"] >= stored["updated"] else stored


class StoredWinsTies(Shape):
    columns: ClassVar = {"a": "optional string", "updated": "long"}

    def merged(self, stored, incoming):
        return incoming if incoming["updated"] > stored["updated"] else stored


class OlderWins(Shape):
    columns: ClassVar = {"a": "optional string", "updated": "long"}

    def merged(self, stored, incoming):
        return incoming if incoming["updated"] < stored["updated"] else stored


class DeletesByOp(Shape):
    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def deletes(self, record):
        return record["op"] == "D"


class DeletesByOps(Shape):
    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def deletes(self, record):
        return record["op"] in {"DEL", "PURGE"}


class DeletesInAnyCase(Shape):
    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def deletes(self, record):
        return (record["op"] or "").upper() == "DEL"


class Appends(Shape):
    columns: ClassVar = {"tags": {"type": {"type": "array", "items": "string"}}, "a": "optional string"}

    def merged(self, stored, incoming):
        return {**incoming, "tags": stored["tags"] + incoming["tags"]}


class UnitesMaps(Shape):
    columns: ClassVar = {"props": {"type": {"type": "map", "values": "long"}}, "a": "optional string"}

    def merged(self, stored, incoming):
        return {**incoming, "props": {**stored["props"], **incoming["props"]}}


class NeverReopens(Shape):
    columns: ClassVar = {"status": "string", "a": "optional string"}

    def merged(self, stored, incoming):
        return stored if stored["status"] == "CLOSED" else incoming


class CountsClicks(Shape):
    columns: ClassVar = {"kind": "optional string", "hits": "long"}

    def merged(self, stored, incoming):
        clicks = incoming["hits"] if incoming["kind"] == "click" else 0
        return {**incoming, "hits": stored["hits"] + clicks}


class ByVersionThenTime(Shape):
    columns: ClassVar = {
        "version": "long",
        "at": "long",
        "a": "optional string",
        "_hoodie_is_deleted": "optional boolean",
    }

    def deletes(self, record):
        return record["_hoodie_is_deleted"] is True

    def merged(self, stored, incoming):
        newer = (incoming["version"], incoming["at"]) >= (stored["version"], stored["at"])
        return incoming if newer else stored


class Masks(Shape):
    columns: ClassVar = {"consent": "boolean", "email": "optional string", "a": "optional string"}

    def merged(self, stored, incoming):
        return incoming if incoming["consent"] else {**incoming, "email": "***"}


class KeepsCreated(Shape):
    columns: ClassVar = {"created": "long", "a": "optional string"}

    def merged(self, stored, incoming):
        return {**incoming, "created": stored["created"]}


class OnlyIfApproved(Shape):
    columns: ClassVar = {"state": "optional string", "price": "optional double", "a": "optional string"}

    def merged(self, stored, incoming):
        return incoming if incoming["state"] == "approved" else {**incoming, "price": stored["price"]}


class StickyFlag(Shape):
    columns: ClassVar = {"fraud": "boolean", "a": "optional string"}

    def merged(self, stored, incoming):
        return {**incoming, "fraud": stored["fraud"] or incoming["fraud"]}


class FillsByVersion(Shape):
    columns: ClassVar = {"updated": "long", "a": "optional string", "b": "optional string", "n": "optional long"}

    def merged(self, stored, incoming):
        later, earlier = (incoming, stored) if incoming["updated"] >= stored["updated"] else (stored, incoming)
        return {name: earlier[name] if value is None else value for name, value in later.items()}


class NamesUnknown(Shape):
    columns: ClassVar = {"country": "optional string", "a": "optional string"}

    def merged(self, stored, incoming):
        country = incoming["country"] or stored["country"]
        return {**incoming, "country": "unknown" if country is None else country}


class MergesJson(Shape):
    columns: ClassVar = {"doc": "string", "hits": "long"}

    def merged(self, stored, incoming):
        docs = [json.loads(one["doc"]) for one in (stored, incoming)]
        return {**incoming, "doc": json.dumps({**docs[0], **docs[1]}), "hits": stored["hits"] + incoming["hits"]}


class Averages(Shape):
    columns: ClassVar = {"score": "double", "hits": "long"}

    def merged(self, stored, incoming):
        mean = (stored["score"] + incoming["score"]) / 2
        return {**incoming, "score": mean, "hits": stored["hits"] + incoming["hits"]}


class CodedReasons(Shape):
    """Two columns of two versions decide together, by values that are rare among all texts."""

    columns: ClassVar = {"reason": "string", "kind": "string", "amount": "long"}

    def merged(self, stored, incoming):
        if stored["reason"] == "refund" and incoming["kind"] == "chargeback":
            return {**incoming, "amount": stored["amount"]}
        if incoming["kind"] == "correction":
            return {**incoming, "amount": stored["amount"] + incoming["amount"]}
        return incoming


class RankedStatus(Shape):
    """Any two statuses decide together."""

    columns: ClassVar = {"status": "string", "n": "optional long"}
    RANKS: ClassVar = {"NEW": 0, "PAID": 1, "SENT": 2}

    def merged(self, stored, incoming):
        ranks = [self.RANKS.get(one["status"], -1) for one in (stored, incoming)]
        return {**incoming, "status": stored["status"]} if ranks[1] < ranks[0] else incoming


class FreezesAmounts(Shape):
    """A locked row keeps its amounts, and is not deleted."""

    columns: ClassVar = {
        "amount": "optional long",
        "note": "optional string",
        "hits": "long",
        "locked": "optional boolean",
        "_hoodie_is_deleted": "optional boolean",
    }

    def combine_and_get_update_value(self, current, schema, props=None):
        if self.record is not None and self.deletes(self.record) and current["locked"] is True:
            return current
        return super().combine_and_get_update_value(current, schema, props)

    def deletes(self, record):
        return record["_hoodie_is_deleted"] is True

    def merged(self, stored, incoming):
        found = {**incoming, "hits": stored["hits"] + incoming["hits"]}
        if stored["locked"] is True:
            found |= {"amount": stored["amount"], "locked": True}
        if found["note"] is None:
            found["note"] = stored["note"]
        return found


class DeletesByColumns(Shape):
    """Three columns delete, and none of them needs the others."""

    columns: ClassVar = {
        "op": "optional string",
        "state": "optional string",
        "_hoodie_is_deleted": "optional boolean",
        "a": "optional string",
    }

    def deletes(self, record):
        return record["_hoodie_is_deleted"] is True or record["op"] == "D" or record["state"] == "GONE"


class DeletesInAnyCaseOfTwo(Shape):
    columns: ClassVar = {"op": "optional string", "state": "optional string", "a": "optional string"}

    def deletes(self, record):
        return (record["op"] or "").upper() == "DEL" or (record["state"] or "").lower() == "gone"


class DeletesInLowerCase(Shape):
    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def deletes(self, record):
        return (record["op"] or "").lower() == "skip"


class ClosesInUpperCase(Shape):
    columns: ClassVar = {"status": "optional string", "a": "optional string"}

    def merged(self, stored, incoming):
        return stored if (stored["status"] or "").upper() == "DISMISSED" else incoming


class DeletesByTruth(Shape):
    columns: ClassVar = {"gone": "boolean", "a": "optional string"}

    def deletes(self, record):
        return record["gone"]


class DeletesByNumber(Shape):
    columns: ClassVar = {"code": "optional int", "a": "optional string"}

    def deletes(self, record):
        return record["code"] == 9


class DeletesStoredAlone(Shape):
    """A text deletes the stored row; without one the version is inserted."""

    columns: ClassVar = {"op": "optional string", "a": "optional string"}

    def combine_and_get_update_value(self, current, schema, props=None):
        return None if self.record is None or self.record["op"] == "D" else self.record


class KeepsClosed(Shape):
    """A closed row stays, also where the version would delete it."""

    columns: ClassVar = {"status": "optional string", "op": "optional string", "items": "optional long"}

    def combine_and_get_update_value(self, current, schema, props=None):
        if self.record is not None and current["status"] == "CLOSED":
            return current
        return super().combine_and_get_update_value(current, schema, props)

    def deletes(self, record):
        return record["op"] == "cancel"


class MergesObjectsOnly(Shape):
    """Parses any JSON, and unites objects alone: numbers say nothing about them."""

    columns: ClassVar = {"doc": "optional string", "a": "optional string"}

    def merged(self, stored, incoming):
        before, after = (None if one["doc"] is None else json.loads(one["doc"]) for one in (stored, incoming))
        if not isinstance(before, dict):
            return incoming
        united = before | after if isinstance(after, dict) else before
        return {**incoming, "doc": json.dumps(united)}


SHAPES = {one.__name__: one for one in Shape.__subclasses__()}


def schema_of(shape):
    """Return the Avro schema of a shape's table: a key, an ordering field and its columns."""
    fields: list[dict[str, Any]] = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}]
    for name, kind in shape.columns.items():
        if isinstance(kind, dict):
            fields.append({"name": name, **kind})
        elif kind.startswith(OPTIONAL):
            fields.append({"name": name, "type": ["null", kind.removeprefix(OPTIONAL)], "default": None})
        else:
            fields.append({"name": name, "type": kind})
    return {"type": "record", "name": "row", "fields": fields}
