"""Users' classes that state a rule, and classes whose methods do the same."""

from __future__ import annotations

from mergers import HoodieAvroIndexedRecord
from payloads.ordering import Ordering
from payloads.ordering_fields import field_reader
from payloads.rules import (
    DATA,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Constant,
    DeleteTests,
    Effect,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    IfElse,
    IsDelete,
    IsEmpty,
    IsNatural,
    IsUnordered,
    LaterIs,
    Least,
    Letters,
    Marker,
    MergeRule,
    Not,
    Point,
    Role,
    Sum,
    Take,
    TextIs,
)

COUNTED = MergeRule(ByOrdering(), columns={"hits": Sum(), "first_seen": Least()})


class Visits:
    """The later version, with all hits and the earliest day."""

    rule = COUNTED


class Marked:
    """Adds up hits, and deletes by a text; a batch keeps the later version."""

    @staticmethod
    def rule(point, schema, props):  # noqa: ARG004 (as rules are stated)
        deletes = DeleteTests(marker=Marker("note", "gone"))
        later = ByOrdering() if point is Point.BATCH else ByArrival()
        cases = (Case(IsDelete(Role.NEWER), Effect.DELETE),) if point is Point.STORED else ()
        return MergeRule(later, deletes, cases, columns={} if point is Point.BATCH else {"hits": Sum()})


class MarkedMerger:
    """Deletes by a text in any letters, and keeps the row of a text in upper case."""

    merging_strategy = "0b1f9c1e-7c55-4a60-9d4b-3a1f6d0c2a12"
    record_type = "AVRO"
    rule = MergeRule(
        cases=(
            Case(TextIs(Role.NEWER, "note", "GONE"), Effect.DELETE),
            Case(TextIs(Role.OLDER, "note", "CLOSED", Letters.UPPER), Effect.CURRENT),
        ),
    )


class VisitsMerger:
    """The same as a merger."""

    merging_strategy = "0b1f9c1e-7c55-4a60-9d4b-3a1f6d0c2a11"
    record_type = "SPARK"
    rule = COUNTED


class VisitsByHand:
    """What `Visits` does, in methods."""

    def __init__(self, record, ordering_value):
        self.record, self.ordering_value = record, ordering_value

    def pre_combine(self, older, schema):
        found = self._merged(older.record, older.ordering_value)
        if found is self.record or found is older.record:
            return self if found is self.record else older
        return VisitsByHand(found, self._later(older.ordering_value)[1])

    def combine_and_get_update_value(self, current, schema, props):
        found = self._merged(current, field_reader(schema, "ts")(current))
        return None if found is self.record and self._is_delete(found) else found

    def get_insert_value(self, schema):
        return None if self._is_delete(self.record) else self.record

    def get_ordering_value(self):
        return self.ordering_value

    def _later(self, ordering):
        return (True, self.ordering_value) if ordering <= self.ordering_value else (False, ordering)

    def _is_delete(self, record):
        return record is None or record["_hoodie_is_deleted"] is True

    def _merged(self, older, ordering):
        deletes = [self._is_delete(one) for one in (older, self.record)]
        natural = Ordering("int", 0)
        if (deletes[0] and ordering == natural) or (deletes[1] and self.ordering_value == natural):
            return self.record
        wins, _ = self._later(ordering)
        later = self.record if wins else older
        if any(deletes):
            return later
        hits = [one["hits"] for one in (older, self.record) if one["hits"] is not None]
        first = min(older["first_seen"], self.record["first_seen"])
        return {**later, "hits": sum(hits) if hits else None, "first_seen": first}


class VisitsMergerByHand(VisitsMerger):
    """What `VisitsMerger` does, in a method."""

    rule = None

    def merge(self, older, newer, schema, props):
        payload = VisitsByHand(newer.record, newer.ordering_value)
        deletes = [side.marked_delete for side in (older, newer)]
        natural = Ordering("int", 0)
        if any(deletes):
            resets = any(d and s.ordering_value == natural for d, s in zip(deletes, (older, newer), strict=True))
            return newer if resets or older.ordering_value <= newer.ordering_value else older
        return HoodieAvroIndexedRecord(newer.key, payload._merged(older.record, older.ordering_value), schema)


class ClosedStays:
    """A closed ticket stays as it is; else the later `version` wins, and keeps a note that it does not have."""

    rule = MergeRule(
        ByColumn(("version",)),
        cases=(Case(ColumnIs(Role.OLDER, "status", "closed"), Effect.CURRENT),),
        columns={"note": FirstNonNull((Take(Role.LATER), Take(Role.EARLIER)))},
    )


class ByPoint:
    """In a batch the newer version, against the stored row the sum."""

    @staticmethod
    def rule(point, schema, props):  # noqa: ARG004 (what it is called with)
        return MergeRule() if point is Point.BATCH else MergeRule(columns={"hits": Sum()})


class LastWins(VisitsMerger):
    """The newer version, with what it lacks from the older one; a note of "-" is none."""

    rule = MergeRule(
        columns={
            DATA: FirstNonNull((Take(Role.NEWER), Take(Role.OLDER))),
            "note": FirstNonMarker((Take(Role.NEWER), Take(Role.OLDER)), "-"),
            "hits": Sum(),
        }
    )


class FirstByNote(VisitsMerger):
    """The version with the least note, whole; a closed one stays, and one marked "gone" deletes."""

    rule = MergeRule(
        ByColumn(("note",), tie=Role.OLDER, reverse=True),
        cases=(
            Case(AllOf((Not(IsDelete(Role.NEWER)), ColumnIs(Role.NEWER, "note", "gone"))), Effect.DELETE),
            Case(ColumnIs(Role.OLDER, "note", "closed"), Effect.CURRENT),
            Case(AnyOf((IsDelete(Role.OLDER), IsDelete(Role.NEWER))), Effect.INCOMING),
        ),
    )


class Extremes(VisitsMerger):
    """By ordering value, the lesser one later: extremes of columns, and a constant where the ordering value is none."""

    rule = MergeRule(
        ByOrdering(tie=Role.OLDER, reverse=True),
        columns={
            "hits": Greatest(),
            "share": Least(),
            "note": IfElse(LaterIs(Role.NEWER), Constant("new"), Take(Role.EARLIER)),
        },
    )


class Corners:
    """Makes data of deletes and deletes of data, copies, and rows that mark themselves as deletes."""

    rule = MergeRule(
        cases=(
            Case(ColumnIs(Role.NEWER, "note", "gone"), Effect.COPY),
            Case(ColumnIs(Role.OLDER, "note", "closed"), Effect.DELETE),
            Case(AllOf((IsDelete(Role.OLDER), IsDelete(Role.NEWER))), Effect.SENTINEL),
            Case(IsEmpty(Role.NEWER), Effect.NEW),
            Case(IsDelete(Role.OLDER), Effect.FILLED),
        ),
        columns={
            "hits": Sum(),
            DATA: FirstNonNull((Take(Role.LATER), Take(Role.EARLIER))),
            "_hoodie_is_deleted": IfElse(ColumnIs(Role.NEWER, "note", "-"), Constant(True), Take(Role.OLDER)),
        },
    )


class Natural:
    """By ordering value, where both have one; else the newer version with what it lacks."""

    rule = MergeRule(
        ByOrdering(unlike_wins=True),
        cases=(
            Case(AnyOf((IsUnordered(Role.OLDER), IsUnordered(Role.NEWER))), Effect.INCOMING),
            Case(AllOf((IsNatural(Role.NEWER), Not(IsNatural(Role.OLDER)))), Effect.INCOMING),
            Case(IsDelete(Role.NEWER), Effect.DELETE),
        ),
        columns={"hits": Sum(), "note": FirstNonNull((Take(Role.NEWER), Take(Role.OLDER)))},
    )


class AddsTexts(VisitsMerger):
    """Its rule does not fit."""

    rule = MergeRule(columns={"id": Sum()})
