"""The partial update modes: what counts as a gap, and which version fills which."""

from __future__ import annotations

import itertools

import pytest

from mergers import HoodieAvroIndexedRecord, MergerConfigError
from mergers.strategies import EventTimeMerger, FillUnavailable, IgnoreDefaults, buffered_merger, missed_defaults
from payloads import NATURAL_ORDER, Branch, HudiRelease, SchemaError, parse_schema
from payloads.rules import Default, FirstNonDefault, FirstNonMarker, Point, Role, Take
from tests.mergers.tables import KEY, long

MARKER = "__debezium_unavailable_value"
MARKER_KEY = "hoodie.write.partial.update.unavailable.value"
PREFIXED = {f"hoodie.record.merge.property.{MARKER_KEY}": MARKER, "hoodie.table.ordering.fields": "ts"}


def schema_of(**columns):
    fields = [{"name": "ts", "type": "long"}]
    for name, (kind, *default) in columns.items():
        fields.append({"name": name, "type": kind, **({"default": default[0]} if default else {})})
    return parse_schema({"type": "record", "name": "row", "fields": fields})


ROWS = schema_of(v=(["null", "string"], None), w=(["null", "int"], None))


def row(ts, v=None, w=None, schema=ROWS, operation=None):
    return HoodieAvroIndexedRecord(KEY, {"ts": ts, "v": v, "w": w}, schema, operation, long(ts))


def delete(ts):
    return HoodieAvroIndexedRecord(KEY, None, None, "D", long(ts))


def mode(merge_mode, partial="IGNORE_DEFAULTS", schema=ROWS, props=None, **options):
    props = props or {"hoodie.table.ordering.fields": "ts"}
    return buffered_merger(merge_mode, schema, props, partial_update_mode=partial, **options)


class FillsTwos(IgnoreDefaults):
    """Has other gaps than null."""

    def gaps(self, schema):
        return tuple((name, lambda value: value == 2) for name, _ in super().gaps(schema))


class Reverses(IgnoreDefaults):
    """Has the gaps of its class, and fills them in another way."""

    def filled(self, high, low, newer):
        return super().filled(low, high, newer)


def test_a_mode_that_changes_what_another_fills_has_no_rule_unless_it_states_one():
    found = {kind.__name__: kind().columns(ROWS) for kind in (IgnoreDefaults, FillsTwos, Reverses)}
    assert found.pop("IgnoreDefaults") == {"*": FirstNonDefault((Take(Role.LATER), Take(Role.EARLIER)), Default.OBJECT)}
    assert found == {"FillsTwos": None, "Reverses": None}
    marked = FirstNonMarker((Take(Role.LATER), Take(Role.EARLIER)), MARKER)
    assert FillUnavailable(PREFIXED).columns(ROWS) == {"v": marked}


def test_a_merge_mode_that_extends_another_has_no_rule_unless_it_states_one():
    class Mine(EventTimeMerger):
        """Does what it likes."""

    context = mode("EVENT_TIME_ORDERING", None).context
    assert EventTimeMerger(context).rule(Point.STORED, ROWS) is not None
    assert Mine(context).rule(Point.STORED, ROWS) is None


# -- which version fills which


def test_commit_time_fills_the_later_arrival_from_the_earlier_one():
    merger = mode("COMMIT_TIME_ORDERING")
    high, late = row(9, "new"), row(5, None, 7)
    assert merger.delta_merge(high, None) is high
    for merged in (merger.delta_merge(late, high), merger.final_merge(high, late)):
        assert merged.record == {"ts": 5, "v": "new", "w": 7}
        assert merged.ordering_value == long(5)


def test_event_time_fills_the_winner_from_the_loser():
    merger = mode("EVENT_TIME_ORDERING")
    high, late = row(9, "new"), row(5, None, 7)
    for older, newer in itertools.permutations([high, late]):
        for merged in (merger.delta_merge(newer, older), merger.final_merge(older, newer)):
            assert merged.record == {"ts": 9, "v": "new", "w": 7}
            assert merged.ordering_value == long(9)


def test_a_tie_goes_to_the_later_arrival():
    merged = mode("EVENT_TIME_ORDERING").final_merge(row(5, "a", 1), row(5, "b"))
    assert merged.record == {"ts": 5, "v": "b", "w": 1}


def test_without_a_gap_the_winner_itself_comes_back():
    merger = mode("EVENT_TIME_ORDERING")
    full, late = row(9, "a", 1), row(5, "b", 2)
    assert merger.final_merge(full, late) is full
    assert merger.delta_merge(late, full) is full


@pytest.mark.parametrize("merge_mode", ["COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"])
def test_a_delete_fills_nothing_and_is_not_filled(merge_mode):
    merger = mode(merge_mode)
    high, gone = row(9), delete(5)
    assert merger.final_merge(gone, high) is high
    assert merger.final_merge(row(5, "a"), delete(9)).record is None
    flagged = row(9, operation="D")
    assert merger.delta_merge(flagged, row(5, "a")) is flagged


def test_a_commit_time_delete_wins_and_gives_way_in_event_time():
    merger = mode("EVENT_TIME_ORDERING")
    gone = HoodieAvroIndexedRecord(KEY, None, None, "D", NATURAL_ORDER)
    late = row(1)
    assert merger.final_merge(row(9), gone) is gone
    assert merger.delta_merge(late, gone) is late


def test_the_schema_of_the_later_arrival_decides_which_columns_there_are():
    narrow = schema_of(v=(["null", "string"], None))
    late = HoodieAvroIndexedRecord(KEY, {"ts": 5, "v": "old"}, narrow, None, long(5))
    merged = mode("EVENT_TIME_ORDERING").final_merge(row(9, None, 7), late)
    assert merged.record == {"ts": 9, "v": "old"}
    assert merged.schema is narrow
    wide = mode("EVENT_TIME_ORDERING").final_merge(late, row(9, None, 7))
    assert wide.record == {"ts": 9, "v": "old", "w": 7}


def test_the_modes_are_not_associative():
    merger = mode("EVENT_TIME_ORDERING")
    a, b, c = row(5, "A"), row(9), row(7, "C")
    left = merger.final_merge(merger.final_merge(a, b), c)
    right = merger.final_merge(a, merger.final_merge(b, c))
    assert (left.record["v"], right.record["v"]) == ("A", "C")


# -- IGNORE_DEFAULTS


LOCATION = {"type": "record", "name": "loc", "fields": [{"name": "x", "type": "int", "default": 0}]}
COLOR = {"type": "enum", "name": "color", "symbols": ["RED", "BLUE"]}


@pytest.mark.parametrize(
    ("kind", "default", "value", "in_hudi", "intended"),
    [
        ("boolean", False, False, True, True),
        ("boolean", False, True, False, False),
        ("int", 127, 127, True, True),
        ("int", -128, -128, True, True),
        ("int", 128, 128, False, True),
        ("long", -129, -129, False, True),
        ("long", 0, 0, True, True),
        ("long", 0, 1, False, False),
        ("float", 1.5, 1.5, False, True),
        ("float", 0.1, 0.10000000149011612, False, True),
        ("double", 0.0, 0.0, False, True),
        ("double", 0.0, -0.0, False, False),
        ("string", "", "", False, True),
        ("string", "", "x", False, False),
        ("bytes", "\u00ff", b"\xff", False, True),
        (COLOR, "RED", "RED", False, True),
        ({"type": "array", "items": "int"}, [], [], False, True),
        ({"type": "map", "values": "int"}, {}, {}, False, True),
        (LOCATION, {"x": 0}, {"x": 0}, False, True),
        (LOCATION, {"x": 0}, {"x": 1}, False, False),
        (["int", "null"], 7, 7, True, True),
        (["int", "null"], 7, None, False, False),
        (["int", "long", "null"], 7, Branch("int", 7), True, True),
        (["int", "long", "null"], 7, Branch("long", 7), False, False),
        (["string", "null"], "n/a", "n/a", False, True),
        (["null", "string"], None, None, True, True),
        (["null", "string"], None, "", False, False),
    ],
)
def test_what_counts_as_a_default(kind, default, value, in_hudi, intended):
    schema = schema_of(c=(kind, default))
    release = HudiRelease.V1_1  # 1.2 refuses defaults of other unions than those of null and one type
    assert (
        is_gap(IgnoreDefaults(release), schema, value),
        is_gap(IgnoreDefaults(fidelity="intended"), schema, value),
    ) == (
        in_hudi,
        intended,
    )


def is_gap(update, schema, value):
    return dict(update.gaps(schema))["c"](value)


def test_null_is_the_default_of_a_column_without_one():
    schema = schema_of(c=(["null", "long"],))
    for fidelity in ("hudi", "intended"):
        assert is_gap(IgnoreDefaults(fidelity=fidelity), schema, None)
        assert not is_gap(IgnoreDefaults(fidelity=fidelity), schema, 0)


@pytest.mark.parametrize("kind", [["int", "long", "null"], ["int", "string"], ["int"]], ids=str)
def test_only_1_2_refuses_a_default_of_a_union_of_other_types(kind):
    schema = schema_of(c=(kind, 7))
    with pytest.raises(SchemaError, match="'c' is of the type union"):
        IgnoreDefaults(HudiRelease.V1_2).gaps(schema)
    IgnoreDefaults(HudiRelease.V1_1).gaps(schema)
    IgnoreDefaults(HudiRelease.V1_2, "intended").gaps(schema)
    IgnoreDefaults(HudiRelease.V1_2).gaps(schema_of(c=(["null", "int", "long"], None)))


def test_only_1_1_refuses_a_default_of_type_fixed():
    schema = schema_of(c=({"type": "fixed", "name": "fx", "size": 1}, "\u0000"))
    with pytest.raises(SchemaError, match="'c' is of the type fixed"):
        IgnoreDefaults(HudiRelease.V1_1).gaps(schema)
    assert not is_gap(IgnoreDefaults(HudiRelease.V1_2), schema, b"\0")
    assert is_gap(IgnoreDefaults(HudiRelease.V1_1, "intended"), schema, b"\0")


def test_the_factory_passes_release_and_fidelity_on():
    schema = schema_of(v=("int", 1000), w=("int", 0))
    merged = {}
    for fidelity in ("hudi", "intended"):
        merger = mode("COMMIT_TIME_ORDERING", schema=schema, fidelity=fidelity)
        merged[fidelity] = merger.final_merge(row(1, 7, 7, schema), row(2, 1000, 0, schema)).record
    assert merged == {"hudi": {"ts": 2, "v": 1000, "w": 7}, "intended": {"ts": 2, "v": 7, "w": 7}}
    fixed = schema_of(c=({"type": "fixed", "name": "fx", "size": 1}, "\u0000"))
    versions = [HoodieAvroIndexedRecord(KEY, {"ts": ts, "c": b"a"}, fixed, None, long(ts)) for ts in (1, 2)]
    with pytest.raises(SchemaError):
        mode("COMMIT_TIME_ORDERING", schema=fixed, release="1.1").final_merge(*versions)


def test_the_defaults_that_hudi_misses():
    schema = schema_of(
        small=("int", 0),
        large=("int", 1000),
        text=("string", ""),
        rounded=("float", 0.1),
        union=(["long", "int", "null"], 7),
        nothing=(["null", "string"], None),
        undeclared=("double",),
    )
    assert missed_defaults(schema) == ("large", "text", "rounded")


def test_an_unknown_fidelity_is_refused():
    with pytest.raises(MergerConfigError, match="'hudi' or 'intended'"):
        IgnoreDefaults(fidelity="exact")


# -- FILL_UNAVAILABLE


@pytest.mark.parametrize(
    ("kind", "value", "gap"),
    [
        ("string", MARKER, True),
        ("string", f"{MARKER} ", False),
        (["null", "string"], MARKER, True),
        (["null", "string"], None, False),
        ("bytes", MARKER.encode(), True),
        ("bytes", b"\xff", False),
        (["null", "string", "bytes"], MARKER, True),
        (["null", "string", "bytes"], MARKER.encode(), True),
        (["null", "string", COLOR], Branch("string", MARKER), True),
        (["null", "string", "int"], 5, False),
    ],
)
def test_what_counts_as_unavailable(kind, value, gap):
    assert is_gap(FillUnavailable(PREFIXED), schema_of(c=(kind,)), value) is gap


def test_a_number_in_a_union_with_text_is_read_as_text():
    update = FillUnavailable({f"hoodie.record.merge.property.{MARKER_KEY}": "5"})
    assert is_gap(update, schema_of(c=(["null", "string", "int"],)), 5)


def test_only_text_columns_can_hold_the_marker():
    schema = schema_of(c=("long",), d=({"type": "array", "items": "string"},), e=("string",))
    assert [name for name, _ in FillUnavailable(PREFIXED).gaps(schema)] == ["e"]


def test_without_the_prefix_nothing_is_filled():
    high = row(9, MARKER)
    unprefixed = {MARKER_KEY: MARKER, "hoodie.table.ordering.fields": "ts"}
    assert mode("EVENT_TIME_ORDERING", "FILL_UNAVAILABLE", props=unprefixed).final_merge(row(5, "a"), high) is high
    merged = mode("EVENT_TIME_ORDERING", "FILL_UNAVAILABLE", props=PREFIXED).final_merge(row(5, "a", 1), high)
    assert merged.record == {"ts": 9, "v": "a", "w": None}


def test_an_insert_keeps_the_marker():
    fresh = row(9, MARKER)
    assert mode("EVENT_TIME_ORDERING", "FILL_UNAVAILABLE", props=PREFIXED).delta_merge(fresh, None) is fresh


def test_the_rows_of_spark_show_no_text_for_bytes():
    schema = schema_of(v=("bytes",), w=(["null", "int"], None))
    versions = row(5, b"a", 1, schema), row(9, MARKER.encode(), 2, schema)
    for engine, filled in (("AVRO", b"a"), ("SPARK", MARKER.encode())):
        merger = mode("EVENT_TIME_ORDERING", "FILL_UNAVAILABLE", schema, PREFIXED, engine=engine)
        assert merger.final_merge(*versions).record["v"] == filled


def test_the_empty_marker_is_a_marker():
    update = FillUnavailable({f"hoodie.record.merge.property.{MARKER_KEY}": ""})
    assert is_gap(update, schema_of(c=("string",)), "")
