"""What a writer puts into a log, and what a reader of each release makes of it."""

from __future__ import annotations

import decimal

import pytest

from bridge.config import TableMergeConfig, created_properties
from bridge.merge.carriers import LogDelete, LogRow, StoredRow
from bridge.merge.delete_block import read_back
from bridge.merge.outcome import Action, Outcome
from bridge.merge.record_merge import RecordMerge
from mergers import HoodieKey
from payloads import (
    NATURAL_ORDER,
    Ordering,
    OrderingTypeError,
    UnsupportedPayloadOperationError,
    parse_schema,
)
from payloads.release import releases
from tests.support.one_key import (
    COMMIT,
    DEFAULT,
    EVENT,
    MODE_RELEASES,
    RELEASES,
    SCHEMA,
    plan_of,
    row,
    rows_after,
    schema_of,
)
from tests.support.user_payloads import Newest

KEY = HoodieKey("a")
MARKER = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "gone"}
UNTIL_0_15 = {str(release) for release in releases(until="0.15")}
BY_READER = ["1.0", "1.1", "1.2"]
"""The releases that read logs by merge mode."""


def merge_of(rule, release, schema=SCHEMA, **settings):
    return RecordMerge(plan_of(rule, release, **settings), schema)


def table_with(properties, plan):
    """Return what a CREATE TABLE with these merge properties stores for a plan; a writer's own are not stored."""
    prefixed = {f"hoodie.record.merge.property.{key}": text for key, text in properties.items()}
    stored = created_properties(plan.writer_options(), plan.table_type, plan.release, tblproperties=prefixed)
    return TableMergeConfig.from_properties(stored, plan.release)


def snapshot_of(merge, *entries, base=None):
    """Return the row that a query sees, given the entries of a log."""
    folded = None
    for entry in entries:
        folded = merge.fold_log(folded, KEY, entry)
    return merge.snapshot(base, folded).version


DECIMAL = {"type": "fixed", "name": "dec", "size": 5, "logicalType": "decimal", "precision": 9, "scale": 2}
DAY = {"type": "int", "logicalType": "date"}
MICROS_TYPE = {"type": "long", "logicalType": "timestamp-micros"}
CONSISTENT = {"hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled": "true"}

# -- delete entries of a writer


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("rule", [DEFAULT, "OverwriteWithLatestAvroPayload", EVENT, COMMIT])
def test_a_delete_entry_has_the_ordering_value_of_its_row_whatever_merges(rule, release):
    """Also where the merge mode never looks at it: a later change of the mode would."""
    if rule in {EVENT, COMMIT} and release not in MODE_RELEASES:
        return
    merge = merge_of(rule, release)
    deleting = merge.incoming(KEY, row(5, deleted=True), None)
    assert merge.log_entry(deleting) == LogDelete(Ordering("long", 5))


@pytest.mark.parametrize("release", MODE_RELEASES)
@pytest.mark.parametrize("rule", [EVENT, COMMIT])
def test_a_delete_without_data_keeps_the_ordering_value_that_it_was_given(rule, release):
    merge = merge_of(rule, release)
    given = Ordering("long", 7)
    assert merge.log_entry(merge.incoming(KEY, None, None, given)) == LogDelete(given)
    assert merge.log_entry(merge.incoming(KEY, None, None)) == LogDelete(NATURAL_ORDER)


@pytest.mark.parametrize("release", MODE_RELEASES)
def test_where_arrival_decides_an_incoming_row_has_no_ordering_value(release):
    """So that a null in the ordering column does no harm."""
    for ts in (5, None):
        assert merge_of(COMMIT, release).incoming(KEY, row(ts), None).ordering_value is NATURAL_ORDER
    assert merge_of(EVENT, release).incoming(KEY, row(5), None).ordering_value == Ordering("long", 5)


DATE, MOMENT = Ordering("local_date", 9), Ordering("timestamp", 1_999)
REFUSED = None


@pytest.mark.parametrize(
    ("written", "read"),  # one answer a release
    [
        (Ordering("long", 5), [Ordering("long", 5)] * 4),
        (Ordering("utf8", "x"), [Ordering("string", "x")] * 4),
        (DATE, [DATE, REFUSED, REFUSED, REFUSED]),
        (MOMENT, [Ordering("instant", 1), MOMENT, MOMENT, MOMENT]),
        (Ordering("instant", 5), [REFUSED] * 4),
        (Ordering("array", (DATE, Ordering("utf8", "x"))), [Ordering("array", (DATE, Ordering("string", "x")))] * 4),
        (
            Ordering("array", (MOMENT, None)),
            [Ordering("array", (Ordering("instant", 1), None))] + [Ordering("array", (MOMENT, None))] * 3,
        ),
    ],
)
def test_what_a_reader_gets_of_an_ordering_value(written, read):
    for release, expected in zip(releases(since="0.15"), read, strict=True):
        if expected is REFUSED:
            with pytest.raises(UnsupportedPayloadOperationError, match=written.java_type):
                read_back(written, release)
        else:
            assert repr(read_back(written, release)) == repr(expected), release


@pytest.mark.parametrize("release", releases(until="0.13"))
@pytest.mark.parametrize(
    "written",
    [
        Ordering("decimal", decimal.Decimal("0.0000000000000001")),
        Ordering("utf8", "5"),
        Ordering("timestamp", 5),
    ],
)
def test_until_0_13_a_delete_block_has_the_objects_that_were_written(written, release):
    assert read_back(written, release) == written


@pytest.mark.parametrize("release", releases(since="0.14"))
@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("1.5", True),
        ("-0.000000000000001", True),  # 15 digits after the point
        ("0.0000000000000001", False),
        ("999999999999999.5", True),  # 15 digits before it
        ("-123456789012345.123456789012345", True),
        ("1000000000000000", False),
    ],
)
def test_decimals_of_thirty_digits_fit_a_delete_block(text, fits, release):
    written = Ordering("decimal", decimal.Decimal(text))
    if not fits:
        with pytest.raises(UnsupportedPayloadOperationError, match="30 digits, 15 of them"):
            read_back(written, release)
        return
    read = read_back(written, release)
    assert read.value == decimal.Decimal(text)
    assert read.value.as_tuple().exponent == -15


@pytest.mark.parametrize(("early", "late"), [(5_000, 9_000), (-1_000, 0)])
def test_deletes_with_timestamps_compare_with_each_other(early, late):
    """In a log of 0.15 both are java.time.Instant."""
    schema = schema_of(ts=MICROS_TYPE, v="string", op="string")
    plan = plan_of(DEFAULT, "0.15", props=CONSISTENT)
    first, last = row(late, deleted=True), row(early, deleted=True)
    assert rows_after(plan, [row(early)], [first], [last], schema=schema)[1:] == [None, None]
    merge = merge_of(DEFAULT, "0.15", schema, props=CONSISTENT)
    entries = [merge.log_entry(merge.incoming(KEY, one, None)) for one in (first, last)]
    folded = merge.fold_log(merge.fold_log(None, KEY, entries[0]), KEY, entries[1])
    assert folded.ordering_value == Ordering("instant", late)


# -- typed ordering columns, from the batch to the query


def unscaled(number):
    return number.to_bytes(5, "big")


@pytest.mark.parametrize("rule", [DEFAULT, EVENT])
@pytest.mark.parametrize("release", MODE_RELEASES)
@pytest.mark.parametrize(
    ("kind", "early", "late"),
    [
        ("long", 5, 9),
        ("string", "m", "z"),
        (DECIMAL, unscaled(500), unscaled(900)),
        (MICROS_TYPE, 1_000, 1_001),
    ],
)
def test_a_late_delete_in_a_log_loses_and_a_later_one_wins(kind, early, late, rule, release):
    plan, schema = plan_of(rule, release), schema_of(ts=kind, v="string", op="string")
    updated, deleted = row(late, "updated"), row(early, deleted=True)
    assert rows_after(plan, [row(early)], [updated], [deleted], schema=schema)[2] == updated
    assert rows_after(plan, [row(late)], [deleted], schema=schema)[1] == row(late)
    assert rows_after(plan, [row(early)], [row(late, deleted=True)], schema=schema)[1] is None


@pytest.mark.parametrize("release", RELEASES)
def test_of_equal_ordering_values_in_a_log_the_later_entry_wins(release):
    seen = rows_after(plan_of(DEFAULT, release), [row(5)], [row(9, "x")], [row(9, deleted=True)], [row(9, "y")])
    assert seen == [row(5), row(9, "x"), None, row(9, "y")]


@pytest.mark.parametrize("kind", ["int", "long"])
@pytest.mark.parametrize("release", RELEASES)
def test_a_delete_without_an_ordering_value_removes_any_row_before_it(release, kind):
    """Integer 0 does not count as an ordering value, also where the column holds integers that are greater."""
    merge = merge_of(DEFAULT, release, schema_of(ts=kind, v="string", op="string"))
    data, deleting = LogRow(row(9), None), LogDelete(NATURAL_ORDER)
    stored = StoredRow(KEY, row(5), merge.schema)
    assert snapshot_of(merge, data, deleting, base=stored) is None
    assert snapshot_of(merge, data, deleting) is None
    assert snapshot_of(merge, data, base=stored).record["ts"] == 9


@pytest.mark.parametrize("payload", ["PartialUpdateAvroPayload", f"{__name__}:TakesIncoming"])
@pytest.mark.parametrize(("ts", "is_back"), [(7, False), (10, True), (12, True)])
def test_in_1_0_a_row_after_a_logged_delete_goes_by_its_ordering_value_whatever_the_payload(payload, ts, is_back):
    """The payload is not asked where either side is a delete."""
    plan = plan_of(payload, "1.0")
    seen = rows_after(plan, [row(5)], [row(10, deleted=True)], [row(ts, "x", deleted=False)])
    assert seen[1:] == [None, row(ts, "x", deleted=False) if is_back else None]


class TakesIncoming(Newest):
    """A payload that takes any row for one that wins."""

    def get_ordering_value(self):
        return self.ordering

    def is_deleted(self, schema, props):
        return self.record is None or self.record["_hoodie_is_deleted"] is True


def test_a_delete_with_a_decimal_makes_a_log_of_1_0_unreadable():
    schema = schema_of(ts=DECIMAL, v="string", op="string")
    seen = rows_after(plan_of(DEFAULT, "1.0"), [row(unscaled(5))], [row(unscaled(9), deleted=True)], schema=schema)
    assert isinstance(seen[1], OrderingTypeError)


@pytest.mark.parametrize("rule", [DEFAULT, "OverwriteWithLatestAvroPayload"])
@pytest.mark.parametrize("release", RELEASES)
def test_from_1_0_on_a_delete_with_a_date_is_not_written_to_a_log(rule, release):
    """Whatever merges; until 0.15 it is, and deletes."""
    schema = schema_of(ts=DAY, v="string", op="string")
    commits = [row(5)], [row(9, "later")], [row(10, deleted=True)]
    seen = rows_after(plan_of(rule, release), *commits, schema=schema)
    assert seen[:2] == [row(5), row(9, "later")]
    if release in UNTIL_0_15:
        assert seen[2] is None
    else:
        assert isinstance(seen[2], UnsupportedPayloadOperationError)


@pytest.mark.parametrize("kind", [DAY, MICROS_TYPE])
@pytest.mark.parametrize("release", MODE_RELEASES)
def test_a_delete_with_a_date_or_flagged_timestamp_in_a_list_makes_a_log_unreadable(release, kind):
    """It is written, and fails every read where it meets a row."""
    schema = schema_of(ts="long", v="string", op="string", at=kind)
    plan = plan_of(DEFAULT, release, ordering=("ts", "at"), props=CONSISTENT)
    seen = rows_after(plan, [{**row(5), "at": 5}], [{**row(5, deleted=True), "at": 9}], schema=schema)
    assert isinstance(seen[1], OrderingTypeError)
    by_commit = plan_of(COMMIT, release, ordering=("ts", "at"), props=CONSISTENT)
    assert rows_after(by_commit, [{**row(5), "at": 5}], [{**row(5, deleted=True), "at": 9}], schema=schema)[1] is None


# -- rows of a data block that mark themselves as deletes


@pytest.mark.parametrize("rule", ["OverwriteWithLatestAvroPayload", DEFAULT])
@pytest.mark.parametrize("release", BY_READER)
def test_a_reader_from_1_1_on_takes_a_row_with_the_custom_marker_for_data(rule, release):
    """It looks at its own properties alone; the writer has put marked rows into a delete block by then."""
    merge = merge_of(rule, release, props=MARKER)
    marked = LogRow(row(5, "x", "gone"), None)
    found = snapshot_of(merge, marked)
    assert (found is None) == (release == "1.0")


@pytest.mark.parametrize("release", MODE_RELEASES)
@pytest.mark.parametrize("rule", [DEFAULT, EVENT, COMMIT])
def test_a_writer_from_1_1_on_makes_a_delete_entry_of_a_row_with_the_tables_marker(rule, release):
    merge = merge_of(rule, release, table=table_with(MARKER, plan_of(rule, release)))
    for op, is_delete in (("gone", True), ("Gone", False), ("", False), (None, False)):
        entry = merge.log_entry(merge.incoming(KEY, row(5, "x", op), None))
        assert isinstance(entry, LogDelete) == is_delete, op


@pytest.mark.parametrize("release", BY_READER)
def test_every_reader_takes_a_flagged_row_for_a_delete(release):
    merge = merge_of(DEFAULT, release)
    assert snapshot_of(merge, LogRow(row(5, deleted=True), None)) is None
    assert snapshot_of(merge, LogRow(row(5, deleted=False), None)).record["ts"] == 5


@pytest.mark.parametrize("release", BY_READER)
@pytest.mark.parametrize(("operation", "deletes"), [("I", False), ("U", False), ("D", True), ("-U", True)])
def test_a_reader_from_1_1_on_obeys_the_operation_column(release, operation, deletes):
    fields = [*SCHEMA.source["fields"], {"name": "_hoodie_operation", "type": ["null", "string"], "default": None}]
    merge = merge_of(DEFAULT, release, parse_schema({**SCHEMA.source, "fields": fields}))
    found = snapshot_of(merge, LogRow({**row(5), "_hoodie_operation": operation}, None))
    assert (found is None) == (deletes and release != "1.0")


# -- keys that only the log has


class TellsLater(Newest):
    """A payload that says it is a delete, and yet has a row to insert."""

    def is_deleted(self, schema, props):
        return True


def test_a_query_of_0_15_asks_no_delete_test_of_a_key_that_only_the_log_has():
    """RecordMergingFileIterator takes the insert value as it is; compaction asks."""
    merge = merge_of(f"{__name__}:TellsLater", "0.15")
    folded = merge.fold_log(None, KEY, LogRow(row(5, "x"), None))
    assert merge.snapshot(None, folded).version.record["v"] == "x"
    assert merge.compact(None, folded) == Outcome(Action.SKIP, None)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("rule", [DEFAULT, "OverwriteWithLatestAvroPayload"])
def test_a_key_that_only_the_log_has_is_shown_until_it_is_deleted(rule, release):
    plan = plan_of(rule, release, inserts_to="log")
    seen = rows_after(plan, [row(5, "x")], [row(9, "y")], [row(10, deleted=True)], [row(20, "z")])
    assert seen == [row(5, "x"), row(9, "y"), None, row(20, "z")]
    compacted = rows_after(plan, [row(5, "x")], [row(10, deleted=True)], [row(3, "old")], compact_after=(2,))
    assert compacted == [row(5, "x"), None, row(3, "old")]


@pytest.mark.parametrize("release", RELEASES)
def test_an_older_row_after_the_delete_of_a_key_that_only_the_log_has(release):
    """Until 0.15 any data row replaces a buffered delete, later releases compare."""
    seen = rows_after(plan_of(DEFAULT, release, inserts_to="log"), [row(5)], [row(10, deleted=True)], [row(7, "old")])
    assert seen[2] == (row(7, "old") if release in UNTIL_0_15 else None)


# -- payloads that remember


class Counts(Newest):
    """A payload that counts its calls."""

    def __init__(self, record, ordering):
        super().__init__(record, ordering)
        self.calls = 0

    def combine_and_get_update_value(self, current, schema):
        self.calls += 1
        return {**self.record, "v": str(self.calls)}

    def get_insert_value(self, schema):
        self.calls += 1
        return {**self.record, "v": str(self.calls)}


@pytest.mark.parametrize("release", RELEASES)
def test_what_a_payload_remembers_of_one_query_is_gone_at_the_next(release):
    merge = merge_of(f"{__name__}:Counts", release)
    folded = merge.fold_log(None, KEY, LogRow(row(5), None))
    stored = StoredRow(KEY, row(1), SCHEMA)
    assert {merge.snapshot(stored, folded).version.record["v"] for _ in range(3)} == {"1"}
    assert merge.compact(stored, folded).version.record["v"] == "1"


def test_in_0_15_each_query_merges_a_key_that_only_the_log_has_again():
    merge = merge_of(f"{__name__}:Counts", "0.15")
    folded = merge.fold_log(None, KEY, LogRow(row(5), None))
    assert {merge.snapshot(None, folded).version.record["v"] for _ in range(3)} == {"1"}
