"""A row that is filled from another: which schema it has, and by which one its gaps are told."""

from __future__ import annotations

import pytest

from mergers import HoodieAvroIndexedRecord
from mergers.strategies import FillUnavailable, IgnoreDefaults, buffered_merger
from mergers.strategies.keep_values import overlaid
from payloads import SchemaError, parse_schema
from tests.mergers.tables import KEY, long

EVENT, COMMIT = "EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"
MARKER = "5"
PROPS = {
    "hoodie.table.ordering.fields": "ts",
    "hoodie.record.merge.property.hoodie.write.partial.update.unavailable.value": MARKER,
}
TEXT, NUMBER = ["null", "string"], ["null", "long"]


def schema_of(name="row", **columns):
    fields = [{"name": "ts", "type": "long"}]
    for column, (kind, *default) in columns.items():
        fields.append({"name": column, "type": kind, **({"default": default[0]} if default else {})})
    return parse_schema({"type": "record", "name": name, "fields": fields})


def version(schema, ts, operation=None, **values):
    return HoodieAvroIndexedRecord(KEY, {"ts": ts, **values}, schema, operation, long(ts))


def merged(mode, partial, older, newer, call):
    merger = buffered_merger(mode, newer.schema, PROPS, partial_update_mode=partial)
    return merger.final_merge(older, newer) if call == "final" else merger.delta_merge(newer, older)


NARROW = schema_of("narrow", a=(TEXT, None))
WIDE = schema_of("wide", a=(TEXT, None), b=(TEXT, None))
OTHER = schema_of("other", b=(TEXT, None), c=(TEXT, None))
GAPS = {"IGNORE_DEFAULTS": None, "FILL_UNAVAILABLE": MARKER}


@pytest.mark.parametrize("call", ["final", "delta"])
@pytest.mark.parametrize("partial", GAPS)
@pytest.mark.parametrize(
    ("mode", "older_ts", "newer_ts"),
    [(EVENT, 1, 2), (EVENT, 2, 2), (EVENT, 3, 2), (COMMIT, 1, 2), (COMMIT, 3, 2)],
)
def test_the_later_arrival_gives_the_schema_also_where_it_loses(mode, older_ts, newer_ts, partial, call):
    gap = GAPS[partial]
    keeps_older = mode == EVENT and older_ts > newer_ts
    values = {"ts": older_ts if keeps_older else newer_ts, "a": "a"}
    for older_schema, newer_schema in ((WIDE, NARROW), (NARROW, WIDE)):
        older = version(older_schema, older_ts, a=gap if keeps_older else "a", b="b")
        newer = version(newer_schema, newer_ts, a="a" if keeps_older else gap, b="b")
        for one in (older, newer):
            if one.schema is NARROW:
                del one.record["b"]
        found = merged(mode, partial, older, newer, call)
        assert found.schema is newer_schema
        known = (older if keeps_older else newer).record.get("b")
        fills = partial == "IGNORE_DEFAULTS" and known is None  # a column that a version lacks reads as null
        b = (newer if keeps_older else older).record.get("b") if fills else known
        assert found.record == (values if newer_schema is NARROW else {**values, "b": b})
        assert found.ordering_value == long(values["ts"])


@pytest.mark.parametrize("newer_ts", [1, 3])
def test_the_default_in_the_schema_of_the_later_arrival_is_the_gap(newer_ts):
    """The two versions have one column with two defaults, and each holds that of the other."""
    zero, one = (schema_of(f"default{number}", n=("long", number)) for number in (0, 1))
    older = version(zero, 2, n=1)
    newer = version(one, newer_ts, n=0 if newer_ts == 3 else 7)
    found = merged(EVENT, "IGNORE_DEFAULTS", older, newer, "final")
    assert found.record["n"] == (0 if newer_ts == 3 else 7)


@pytest.mark.parametrize("newer_ts", [1, 3])
def test_only_columns_that_hold_text_in_the_schema_of_the_later_arrival_can_hold_the_marker(newer_ts):
    numbers, texts = schema_of("numbers", v=(NUMBER, None)), schema_of("texts", v=(["null", "string", "long"], None))
    older = version(texts, 2, v=5 if newer_ts == 1 else 8)
    newer = version(numbers, newer_ts, v=8 if newer_ts == 1 else 5)
    assert merged(EVENT, "FILL_UNAVAILABLE", older, newer, "final").record["v"] == 5
    older, newer = version(numbers, 2, v=older.record["v"]), version(texts, newer_ts, v=newer.record["v"])
    assert merged(EVENT, "FILL_UNAVAILABLE", older, newer, "final").record["v"] == 8


@pytest.mark.parametrize("update", [FillUnavailable(PROPS), IgnoreDefaults()])
def test_nothing_is_filled_without_a_schema_of_the_later_arrival(update):
    high, low = version(NARROW, 2, a=None), version(None, 1, a="a")
    assert update.filled(high, low, low) is high


@pytest.mark.parametrize("partial", GAPS)
def test_a_filled_row_keeps_key_operation_and_ordering_value_of_the_winner(partial):
    high = HoodieAvroIndexedRecord(KEY, {"ts": 9, "a": GAPS[partial]}, NARROW, "U", long(9))
    found = merged(EVENT, partial, high, version(NARROW, 1, a="a"), "final")
    assert (found.key, found.operation, found.ordering_value) == (KEY, "U", long(9))
    assert found.record == {"ts": 9, "a": "a"}


# -- rows that carry only some columns

READER = schema_of("reader", a=(TEXT, None), b=(TEXT, None), c=(TEXT, None))


@pytest.mark.parametrize(
    ("top", "bottom", "columns"),
    [
        (NARROW, OTHER, ["ts", "a", "b", "c"]),
        (OTHER, NARROW, ["ts", "a", "b", "c"]),
        (NARROW, WIDE, ["ts", "a", "b"]),
    ],
)
def test_a_partial_row_has_the_columns_of_both_in_the_order_of_the_reader(top, bottom, columns):
    upper, lower = (version(schema, ts, **_values(schema, ts)) for schema, ts in ((top, 2), (bottom, 1)))
    found = overlaid(upper, lower, READER)
    assert [field.name for field in found.schema.fields] == list(found.record) == columns
    assert found.record == {**lower.record, **upper.record}
    assert found.ordering_value == long(2)


def _values(schema, ts):
    return {name: f"{name}{ts}" for name in schema.by_name if name != "ts"}


def test_a_null_of_a_partial_row_counts_and_a_complete_row_is_returned_as_it_is():
    upper, lower = version(NARROW, 2, a=None), version(WIDE, 1, a="a", b="b")
    assert overlaid(upper, lower, READER).record == {"ts": 2, "a": None, "b": "b"}
    whole = version(WIDE, 2, a=None, b=None)
    assert overlaid(whole, version(NARROW, 1, a="a"), READER) is whole


def test_a_partial_row_needs_data_and_schema_of_both():
    upper = version(NARROW, 2, a="a")
    for lower in (version(None, 1, b="b"), HoodieAvroIndexedRecord(KEY, None, None, "D", long(1))):
        for top, bottom in ((upper, lower), (lower, upper)):
            with pytest.raises(SchemaError):
                overlaid(top, bottom, READER)
