"""The merge modes: what is observed of Hudi 1.2 with BufferedRecordMerger, and the rules of 1.0."""

from __future__ import annotations

import itertools

import pytest

from mergers import (
    AvroRecordMerger,
    HoodieAvroIndexedRecord,
    HoodieAvroRecord,
    HoodieEmptyRecord,
    HoodieRecordType,
    MergerConfigError,
    RecordMergeMode,
    select_merger,
)
from mergers.record.context import DeleteContext
from mergers.strategies import (
    CommitTimeMerger,
    CustomMerger,
    CustomMergerV1_0,
    DeleteEntry,
    EventTimeMerger,
    EventTimeMergerV1_0,
    EventTimePartialMerger,
    EventTimeRecordMerger,
    OverwriteWithLatestMerger,
    buffered_merger,
)
from payloads import (
    NATURAL_ORDER,
    NullOrderingError,
    Ordering,
    OrderingTypeError,
    PayloadConfigError,
    SchemaError,
    UnsupportedPayloadOperationError,
    parse_schema,
)
from payloads.builtin import DefaultHoodieRecordPayload
from tests.mergers.tables import BY_TS, KEY, RIDES, long, ride
from tests.support.schemas import nullable_schema, record_schema

COMMIT, EVENT = RecordMergeMode.COMMIT_TIME_ORDERING, RecordMergeMode.EVENT_TIME_ORDERING
CUSTOM = RecordMergeMode.CUSTOM


def mode(merge_mode=EVENT, release="1.2", **options):
    return buffered_merger(merge_mode, RIDES, BY_TS, release=release, **options)


def row(ts, rider="A", ordering=None):
    return HoodieAvroIndexedRecord(KEY, ride(ts, rider), RIDES, None, ordering or long(ts))


def delete(ordering, record=None):
    """A buffered delete; `ordering` is a long or an Ordering."""
    ordering = long(ordering) if isinstance(ordering, int) else ordering
    return HoodieAvroIndexedRecord(KEY, record, RIDES if record else None, "D", ordering)


def entry(ordering):
    return DeleteEntry(KEY, long(ordering) if isinstance(ordering, int) else ordering)


def text(value):
    return Ordering("string", value)


# -- COMMIT_TIME_ORDERING


@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
def test_commit_time_takes_what_came_last_whatever_its_ordering(release):
    merger = mode(COMMIT, release)
    older, late, deleting = row(5), row(3), entry(3)
    assert merger.delta_merge(late, None) is late
    assert merger.delta_merge(late, older) is late
    assert merger.final_merge(older, late) is late
    assert merger.delta_merge_delete(deleting, older) is deleting
    assert merger.delta_merge_delete(deleting, delete(NATURAL_ORDER)) is deleting


def test_commit_time_reads_no_ordering_field():
    assert mode(COMMIT).context.row_ordering(ride(5)) is NATURAL_ORDER
    assert mode(EVENT).context.row_ordering(ride(5)) == long(5)


# -- EVENT_TIME_ORDERING, 1.1 and 1.2


@pytest.mark.parametrize("release", ["1.1", "1.2"])
@pytest.mark.parametrize(
    ("older", "newer", "newer_wins"),
    [
        (row(5), row(5, "B"), True),
        (row(5), row(7), True),
        (row(5), row(3), False),
        (row(5), delete(NATURAL_ORDER), True),
        (row(5), delete(3), False),
        (row(5), delete(5), True),
        (delete(5), row(3), False),
        (delete(5), row(6), True),
        (delete(NATURAL_ORDER), row(-3), True),
        (delete(NATURAL_ORDER), delete(3), True),
        (row(5), delete(0), False),
        (row(0, ordering=NATURAL_ORDER), row(0, "B", ordering=NATURAL_ORDER), True),
    ],
)
def test_event_time_of_two_versions(release, older, newer, newer_wins):
    merger = mode(EVENT, release)
    assert merger.delta_merge(newer, older) is (newer if newer_wins else None)
    assert merger.final_merge(older, newer) is (newer if newer_wins else older)
    assert EventTimeRecordMerger().merge(older, newer, RIDES, BY_TS) is (newer if newer_wins else older)


@pytest.mark.parametrize(
    ("ordering", "existing", "kept"),
    [
        (NATURAL_ORDER, row(5), True),
        (NATURAL_ORDER, delete(NATURAL_ORDER), False),
        (NATURAL_ORDER, delete(5), True),
        (3, row(5), False),
        (3, delete(NATURAL_ORDER), False),
        (3, delete(5), False),
        (5, row(5), True),
        (7, row(5), True),
        (7, delete(NATURAL_ORDER), False),
        (0, row(5), False),
        (Ordering("int", 3), row(5), True),
        (text("zz"), row(5), True),
        (text("a"), row(5, ordering=Ordering("utf8", "b")), False),
        (None, delete(NATURAL_ORDER), False),
    ],
)
def test_event_time_of_a_delete_entry(ordering, existing, kept):
    deleting = entry(ordering)
    assert mode().delta_merge_delete(deleting, existing) is (deleting if kept else None)
    assert mode().delta_merge_delete(deleting, None) is deleting


def test_a_null_ordering_value_must_not_be_compared():
    with pytest.raises(NullOrderingError, match="null ordering value"):
        mode().delta_merge_delete(entry(None), row(5))
    unordered = HoodieAvroIndexedRecord(KEY, ride(5), RIDES, None, None)
    for older, newer in itertools.permutations([row(5), unordered]):
        with pytest.raises(NullOrderingError, match="null ordering value"):
            mode().delta_merge(newer, older)


def test_ordering_values_of_unlike_classes_are_refused_between_versions():
    with pytest.raises(OrderingTypeError):
        mode().delta_merge(row(0, ordering=NATURAL_ORDER), row(5))
    with pytest.raises(OrderingTypeError):
        mode().final_merge(row(5), row(0, ordering=NATURAL_ORDER))


def test_event_time_without_ordering_fields_is_commit_time():
    merger = buffered_merger(EVENT, RIDES, {})
    context = merger.context
    older, late = (HoodieAvroIndexedRecord(KEY, r, RIDES, None, context.row_ordering(r)) for r in (ride(5), ride(3)))
    assert merger.delta_merge(late, older) is late


# -- folding


def test_a_fold_keeps_the_delete_of_a_log_until_something_later_comes():
    merger = mode()
    state = merger.fold(None, row(6))
    state = merger.fold(state, entry(7))
    assert (state.record, state.operation, state.ordering_value) == (None, "D", long(7))
    assert merger.fold(state, row(6)) is state
    assert merger.fold(state, row(8)).record["ts"] == 8


def test_a_delete_entry_is_buffered_with_the_class_of_the_engine():
    merger = mode()
    assert merger.fold(None, entry(text("a"))).ordering_value.java_type == "utf8"
    nested = Ordering("array", (text("a"), long(1), None))
    assert [v and v.java_type for v in merger.buffered(entry(nested)).ordering_value.value] == ["utf8", "long", None]
    assert merger.buffered(entry(None)).ordering_value is NATURAL_ORDER


# -- CUSTOM, 1.1 and 1.2


def bridge(payload, operation_mode="combine", release="1.2", **options):
    return AvroRecordMerger(payload, release, operation_mode, **options)


def test_custom_asks_the_payload_at_each_merge():
    merger = mode(CUSTOM, merger=bridge("DefaultHoodieRecordPayload"))
    older, late, later = row(5), row(3), row(7)
    assert merger.delta_merge(late, older) is None
    assert merger.delta_merge(later, older) is later
    assert merger.final_merge(older, late) is older
    assert merger.delta_merge_delete(entry(3), older) is None
    deleting = entry(7)
    assert merger.delta_merge_delete(deleting, older) is deleting
    assert merger.delta_merge_delete(deleting, None) is deleting


def test_custom_data_after_a_delete_ignores_the_ordering():
    merger = mode(CUSTOM, merger=bridge("DefaultHoodieRecordPayload"))
    late = row(6)
    assert merger.delta_merge(late, delete(7)) is late


def test_custom_keeps_the_earlier_of_two_deletes_without_data():
    merger = mode(CUSTOM, merger=bridge("OverwriteWithLatestAvroPayload"))
    assert merger.delta_merge(delete(7), delete(5)) is None
    assert merger.delta_merge_delete(entry(7), delete(NATURAL_ORDER)) is None


class Cheapest:
    """A user's merger: the lower fare, whatever the order; a delete always wins."""

    merging_strategy = "5a3bb2d1-0000-4c1c-9d4f-2d3b9c1f0a11"
    record_type = HoodieRecordType.AVRO

    def merge(self, older, newer, schema, props):
        if older.marked_delete or newer.marked_delete:
            return None
        if older.record["rider"] == newer.record["rider"]:
            fare = min(older.record["fare"], newer.record["fare"])
            return HoodieAvroIndexedRecord(newer.key, {**newer.record, "fare": fare}, schema)
        return min(older, newer, key=lambda version: version.record["fare"])


def fare(ts, amount, rider="A"):
    return HoodieAvroIndexedRecord(KEY, ride(ts, rider, amount), RIDES, None, long(ts))


@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
def test_custom_with_a_users_merger(release):
    merger = mode(CUSTOM, release, merger=Cheapest())
    cheap, dear = fare(5, 1.0), fare(7, 9.0, "B")
    assert merger.delta_merge(dear, cheap) is None
    assert merger.final_merge(cheap, dear) is cheap
    assert merger.final_merge(dear, cheap) is cheap
    made = merger.final_merge(cheap, fare(7, 9.0))
    assert (made.record["fare"], made.ordering_value.value, made.marked_delete) == (1.0, 7, False)


def test_a_payload_that_a_users_merger_returns_deletes_only_if_it_says_so():
    class ByPayload(Cheapest):
        def merge(self, older, newer, schema, props):
            return HoodieAvroRecord(newer.key, DefaultHoodieRecordPayload(newer.record, newer.ordering_value))

    made = mode(CUSTOM, merger=ByPayload()).final_merge(fare(5, 1.0), fare(7, 9.0))
    assert (made.record["fare"], made.marked_delete) == (9.0, False)


def test_a_users_merger_that_returns_nothing_deletes():
    merger = mode(CUSTOM, merger=Cheapest())
    deleting = delete(9)
    assert merger.final_merge(fare(5, 1.0), deleting) is deleting
    assert merger.delta_merge_delete(entry(1), fare(5, 1.0)) == entry(1)


class Edits(Cheapest):
    """A user's merger that writes into both versions, and gives back one of them, or a new one with its record."""

    def __init__(self, answer, amount=1.0, *, anew=False):
        self.answer, self.amount, self.anew = answer, amount, anew

    def merge(self, older, newer, schema, props):
        for version in (older, newer):
            version.record["fare"] += self.amount
        kept = {"older": older, "newer": newer}[self.answer]
        return HoodieAvroIndexedRecord(kept.key, kept.record, schema) if self.anew else kept


@pytest.mark.parametrize("operation", ["delta_merge", "final_merge"])
@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("answer", ["older", "newer"])
@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
def test_what_a_users_merger_writes_into_a_version_is_merged_and_no_callers_record_changes(
    release, answer, anew, operation
):
    older, newer = fare(5, 1.0), fare(7, 9.0)
    merger = mode(CUSTOM, release, merger=Edits(answer, anew=anew))
    found = merger.delta_merge(newer, older) if operation == "delta_merge" else merger.final_merge(older, newer)
    assert found.record["fare"] == {"older": 2.0, "newer": 10.0}[answer]
    assert found.ordering_value.value == {"older": 5, "newer": 7}[answer]
    assert (older.record["fare"], newer.record["fare"]) == (1.0, 9.0)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("release", ["1.0", "1.1", "1.2"])
def test_a_record_that_a_users_merger_leaves_as_it_was_stays_the_callers_own(release, anew):
    older, newer = fare(5, 1.0), fare(7, 9.0)
    keeps = {answer: mode(CUSTOM, release, merger=Edits(answer, 0.0, anew=anew)) for answer in ("older", "newer")}
    assert keeps["older"].delta_merge(newer, older) is None
    assert keeps["older"].final_merge(older, newer).record is older.record
    assert keeps["newer"].final_merge(older, newer).record is newer.record


class Marks(Cheapest):
    def merge(self, older, newer, schema, props):
        newer.operation = "D"
        return newer


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_a_users_merger_may_mark_the_version_that_it_gives_back(release):
    older, newer = fare(5, 1.0), fare(7, 9.0)
    assert mode(CUSTOM, release, merger=Marks()).final_merge(older, newer).marked_delete
    assert not newer.marked_delete


class Never(Cheapest):
    def merge(self, older, newer, schema, props):
        return self.answer

    answer = None


def test_a_merger_that_deletes_two_rows_makes_a_delete_with_the_greater_ordering_value():
    made = mode(CUSTOM, merger=Never()).final_merge(fare(7, 1.0), fare(5, 1.0))
    assert (made.record, made.marked_delete, made.ordering_value) == (None, True, long(7))


def test_a_merger_may_answer_with_any_carrier():
    merger = Never()
    merger.answer = HoodieEmptyRecord(KEY, "D", long(4))
    made = mode(CUSTOM, merger=merger).final_merge(fare(7, 1.0), fare(5, 1.0))
    assert (made.record, made.marked_delete, made.ordering_value) == (None, True, long(4))
    flagged = bridge("DefaultHoodieRecordPayload").payload_class(ride(8, deleted=True), long(8))
    merger.answer = HoodieAvroRecord(KEY, flagged)
    made = mode(CUSTOM, merger=merger).final_merge(fare(7, 1.0), fare(5, 1.0))
    assert (made.record["ts"], made.operation) == (8, "D")


# -- 1.0


def test_1_0_does_not_spare_data_from_a_buffered_commit_time_delete():
    gone, late = delete(Ordering("int", 0)), row(0, ordering=Ordering("int", -1))
    assert mode(EVENT, "1.0").delta_merge(late, gone) is None
    assert mode(EVENT, "1.1").delta_merge(late, gone) is late
    for release in ("1.0", "1.1"):
        assert mode(EVENT, release).delta_merge(gone, row(5)) is gone


def test_1_0_compares_a_delete_entry_before_it_is_converted():
    buffered = row(5, ordering=Ordering("utf8", "b"))
    late = entry(text("a"))
    assert mode(EVENT, "1.0").delta_merge_delete(late, buffered) is late
    assert mode(EVENT, "1.1").delta_merge_delete(late, buffered) is None
    stored = mode(EVENT, "1.0").fold(buffered, late)
    assert mode(EVENT, "1.0").fold(stored, buffered) is buffered


def test_1_0_asks_no_payload_about_deletes():
    merger = mode(CUSTOM, "1.0", merger=bridge("OverwriteWithLatestAvroPayload", release="1.0"))
    assert isinstance(merger, CustomMergerV1_0)
    stored = row(5)
    assert merger.final_merge(stored, delete(3)) is stored
    assert merger.final_merge(stored, delete(7)).marked_delete
    assert merger.delta_merge(row(3), delete(5)) is None
    late = row(3)
    assert merger.delta_merge(late, stored) is late


def test_1_0_does_not_hear_a_merger_that_deletes_between_rows_of_a_log():
    merger = mode(CUSTOM, "1.0", merger=Never())
    assert merger.delta_merge(fare(7, 1.0), fare(5, 1.0)) is None
    assert merger.final_merge(fare(5, 1.0), fare(7, 1.0)).marked_delete


def test_1_0_reads_the_ordering_value_of_a_merged_row_from_its_column():
    merger = mode(CUSTOM, "1.0", merger=bridge("PartialUpdateAvroPayload", release="1.0"))
    made = merger.delta_merge(row(5, None), row(4, "B"))
    assert (made.record["rider"], made.ordering_value, made.operation) == ("B", long(5), None)


# -- the factory


@pytest.mark.parametrize(
    ("merge_mode", "release", "partial", "expected"),
    [
        (COMMIT, "1.0", None, CommitTimeMerger),
        ("event_time_ordering", "1.0", None, EventTimeMergerV1_0),
        ("EVENT_TIME_ORDERING", "1.1.1", None, EventTimeMerger),
        (EVENT, "1.2", "IGNORE_DEFAULTS", EventTimePartialMerger),
    ],
)
def test_the_mode_and_the_release_choose_the_merger(merge_mode, release, partial, expected):
    assert type(mode(merge_mode, release, partial_update_mode=partial)) is expected


def test_custom_from_1_1_on():
    assert type(mode(CUSTOM, "1.1", merger=Cheapest())) is CustomMerger


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"release": "0.15"}, MergerConfigError, "no merge modes"),
        ({"merger": object()}, MergerConfigError, "object is not a merger; give what mergers.adapt_merger makes of it"),
        ({"release": "1.0", "partial_update_mode": "IGNORE_DEFAULTS"}, MergerConfigError, "no partial update modes"),
        ({"partial_update_mode": "LAST"}, MergerConfigError, "IGNORE_DEFAULTS, FILL_UNAVAILABLE"),
        ({"partial_update_mode": "IGNORE_MARKERS"}, MergerConfigError, "of RFC-97: it became FILL_UNAVAILABLE"),
        ({"partial_update_mode": "FILL_DEFAULTS"}, MergerConfigError, "of RFC-97: nothing replaced it"),
        ({"partial_update_mode": "KEEP_VALUES"}, MergerConfigError, "of RFC-97: rows of partial log blocks"),
        ({"merge_mode": "LAST"}, MergerConfigError, "COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING, CUSTOM"),
        ({"merge_mode": CUSTOM}, PayloadConfigError, "merger must be present for custom merging"),
        ({"partial_blocks": True}, PayloadConfigError, "merger must be present for partial blocks"),
        ({"engine": "ORC"}, MergerConfigError, "AVRO, SPARK, FLINK"),
    ],
)
def test_what_the_factory_refuses(options, error, message):
    with pytest.raises(error, match=message):
        mode(**options)


def test_a_bridge_that_takes_another_form_of_rows_is_refused():
    for engine, rows_are_avro in (("SPARK", True), ("AVRO", False)):
        merger = bridge("DefaultHoodieRecordPayload", rows_are_avro=rows_are_avro)
        with pytest.raises(MergerConfigError, match=f"rows_are_avro={not rows_are_avro}"):
            mode(CUSTOM, merger=merger, engine=engine)


def test_a_merger_of_flinks_rows_is_refused():
    merger = Cheapest()
    merger.record_type = HoodieRecordType.FLINK
    with pytest.raises(MergerConfigError, match="merges FLINK records"):
        mode(CUSTOM, merger=merger)


def test_each_strategy_is_chosen_by_its_mode():
    implementations = [OverwriteWithLatestMerger, EventTimeRecordMerger]
    assert isinstance(select_merger(COMMIT, "SPARK", implementations), OverwriteWithLatestMerger)
    assert isinstance(select_merger(EVENT, "SPARK", implementations), EventTimeRecordMerger)


# -- partial blocks


def test_the_payload_bridge_merges_no_partial_blocks():
    merger = mode(EVENT, merger=bridge("DefaultHoodieRecordPayload"), partial_blocks=True)
    fresh = row(5)
    assert merger.delta_merge(fresh, None) is fresh
    assert merger.delta_merge_delete(entry(3), fresh) is None
    for merge in (merger.delta_merge, merger.final_merge):
        with pytest.raises(UnsupportedPayloadOperationError, match="partial merging is not implemented"):
            merge(row(7), fresh)


# -- text that a payload has made


def test_text_in_a_list_of_ordering_values_no_longer_compares_once_a_payload_has_made_it():
    schema = parse_schema(record_schema("event", name="string", seq="int"))
    props = {"hoodie.table.ordering.fields": "seq,name"}

    def event(seq, name):
        ordering = Ordering("array", (Ordering("int", seq), Ordering("utf8", name)))
        return HoodieAvroIndexedRecord(KEY, {"name": name, "seq": seq}, schema, None, ordering)

    merger = buffered_merger(CUSTOM, schema, props, merger=bridge("PartialUpdateAvroPayload"))
    made = merger.final_merge(event(1, "a"), event(2, "b"))
    assert [element.java_type for element in made.ordering_value.value] == ["int", "string"]
    assert merger.final_merge(made, event(0, "late")).record == {"name": "late", "seq": 0}
    assert merger.final_merge(event(2, "b"), event(0, "late")).record == {"name": "b", "seq": 2}


# -- delete marks


@pytest.mark.parametrize(
    ("marked", "reader", "writer"),
    [
        ({"_hoodie_is_deleted": True}, True, True),
        ({"_hoodie_is_deleted": None}, False, False),
        ({"_hoodie_operation": "D"}, True, False),
        ({"_hoodie_operation": "-U"}, True, False),
        ({"op": "gone"}, True, True),
        ({"op": "GONE"}, False, False),
        ({"op": None}, False, False),
    ],
)
def test_what_marks_a_delete(marked, reader, writer):
    columns = {"_hoodie_is_deleted": "boolean", "_hoodie_operation": "string", "op": "string"}
    schema = parse_schema(nullable_schema(**columns))
    props = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "gone"}
    record = {"_hoodie_is_deleted": False, "_hoodie_operation": "I", "op": None, **marked}
    found = [DeleteContext(props, schema, reads_operation=reads).is_delete(record) for reads in (True, False)]
    assert found == [reader, writer]


def test_half_a_custom_mark_is_refused():
    with pytest.raises(PayloadConfigError, match="either custom delete key or marker"):
        DeleteContext({"hoodie.payload.delete.field": "op"}, RIDES)


# -- partial rows, as observed of the mergers for Spark


def columns(*names):
    kinds = {"id": "string", "ts": "long", "v": ["null", "long"], "w": ["null", "long"]}
    return parse_schema(
        {"type": "record", "name": "part", "fields": [{"name": name, "type": kinds[name]} for name in names]}
    )


FULL, V, W = columns("id", "ts", "v", "w"), columns("id", "ts", "v"), columns("id", "ts", "w")
PARTS = {
    "F5": (FULL, {"id": "k", "ts": 5, "v": 1, "w": 2}),
    "V7": (V, {"id": "k", "ts": 7, "v": 9}),
    "W6": (W, {"id": "k", "ts": 6, "w": 8}),
    "W9": (W, {"id": "k", "ts": 9, "w": 8}),
}


def part(name):
    if name in PARTS:
        schema, record = PARTS[name]
        return HoodieAvroIndexedRecord(KEY, record, schema, None, long(record["ts"]))
    return delete(NATURAL_ORDER if name == "D0" else int(name[1:]))


@pytest.mark.parametrize(
    ("merger", "older", "newer", "expected"),
    [
        (EventTimeRecordMerger(), "F5", "V7", [7, 9, 2]),
        (EventTimeRecordMerger(), "F5", "W9", [9, 1, 8]),
        (EventTimeRecordMerger(), "V7", "F5", [7, 9, 2]),
        (EventTimeRecordMerger(), "V7", "W6", [7, 9, 8]),
        (EventTimeRecordMerger(), "W6", "W9", "newer"),
        (EventTimeRecordMerger(), "W9", "W6", "older"),
        (EventTimeRecordMerger(), "F5", "D3", "older"),
        (EventTimeRecordMerger(), "F5", "D8", "newer"),
        (EventTimeRecordMerger(), "F5", "D0", "newer"),
        (EventTimeRecordMerger(), "D8", "V7", "older"),
        (EventTimeRecordMerger(), "D0", "V7", "newer"),
        (OverwriteWithLatestMerger(), "F5", "V7", [7, 9, 2]),
        (OverwriteWithLatestMerger(), "V7", "F5", "newer"),
        (OverwriteWithLatestMerger(), "V7", "W6", [6, 9, 8]),
        (OverwriteWithLatestMerger(), "F5", "D3", "newer"),
        (OverwriteWithLatestMerger(), "D3", "D8", "newer"),
    ],
)
def test_partial_rows(merger, older, newer, expected):
    versions = {"older": part(older), "newer": part(newer)}
    merged = merger.partial_merge(*versions.values(), FULL, {})
    if isinstance(expected, str):
        assert merged is versions[expected]
    else:
        assert [merged.record[name] for name in ("ts", "v", "w")] == expected
        assert (merged.ordering_value, list(merged.schema.by_name)) == (long(expected[0]), ["id", "ts", "v", "w"])


def test_a_partial_row_after_a_delete_of_a_log_fails_in_commit_time():
    with pytest.raises(SchemaError, match="the log deletes this key and has a row of it later"):
        OverwriteWithLatestMerger().partial_merge(part("D3"), part("V7"), FULL, {})


def test_partial_blocks_are_merged_by_the_partial_merge_of_the_merger():
    props = {"hoodie.table.ordering.fields": "ts"}
    blocks = buffered_merger(EVENT, FULL, props, engine="SPARK", merger=EventTimeRecordMerger(), partial_blocks=True)
    first = part("F5")
    assert blocks.fold(first, part("V7")).record == {"id": "k", "ts": 7, "v": 9, "w": 2}
    assert blocks.delta_merge(part("D3"), first) is None
    assert blocks.fold(first, entry(3)) is first
