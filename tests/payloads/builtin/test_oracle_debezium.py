"""OracleDebeziumAvroPayload of a release to come: the answers that the tests of apache/hudi#19322 expect of it.

They are taken from sources; no jar with the class was at hand.
"""

from __future__ import annotations

import itertools

import pytest

from payloads import (
    NATURAL_ORDER,
    Ordering,
    PayloadNotFoundError,
    ReleaseWarning,
    builtin_payloads,
    parse_schema,
    resolve_payload,
)
from payloads.builtin import UNAVAILABLE
from payloads.release import HudiRelease
from payloads.rules import Point, check_rule, rule_from_json, rule_to_json
from tests.mergers.rules.subjects import of_payload
from tests.mergers.rules.test_agreement import check, check_sequences, pairs
from tests.mergers.rules.universe import SETTINGS, Setting

NAME = "OracleDebeziumAvroPayload"
TEXT = {"type": ["null", "string"], "default": None}
PROPS = {"hoodie.payload.ordering.field": "_event_ordering"}


def schema_of(*left_out: str, **more):
    fields = {
        "id": {"type": "string"},
        "name": TEXT,
        "amount": {"type": ["null", "long"], "default": None},
        "_changed_columns": TEXT,
        "_change_operation_type": TEXT,
        "_hoodie_is_deleted": {"type": "boolean", "default": False},
        "_event_ordering": TEXT,
        **more,
    }
    named = [{"name": name, **kind} for name, kind in fields.items() if name not in left_out]
    return parse_schema({"type": "record", "name": "row", "fields": named})


SCHEMA = schema_of()


def event(ordering, name, amount, changed=None, *, deleted=False, **more):
    row = {"id": "1", "name": name, "amount": amount, "_changed_columns": changed, "_change_operation_type": None}
    return {**row, "_hoodie_is_deleted": deleted, "_event_ordering": f"{ordering:05}", **more}


def payload(row, schema=SCHEMA):
    ordering = NATURAL_ORDER if row is None else Ordering("utf8", row["_event_ordering"])
    return resolve_payload(NAME, "1.3").for_schema(schema)(row, ordering)


def stored(current, newer, schema=SCHEMA, props=PROPS):
    return payload(newer, schema).combine_and_get_update_value(current, schema, props)


def values(row):
    return row["name"], row["amount"]


@pytest.mark.parametrize(
    ("current", "newer", "expected"),
    [
        (event(1, "alice", 100), event(2, "bob", 200, "name,amount"), ("bob", 200)),
        (event(1, "alice", 100), event(2, None, 200, "amount"), ("alice", 200)),
        (event(1, "alice", 100), event(2, None, 200, "name,amount"), (None, 200)),
        (event(1, "alice", 100), event(2, None, 0, "name"), (None, 100)),
        (event(1, "alice", 100), event(2, "", 200, "amount"), ("alice", 200)),
        (event(1, "alice", 100), event(2, UNAVAILABLE, 200, "amount"), ("alice", 200)),
        (event(1, "alice", 100), event(2, UNAVAILABLE, 200), ("alice", 200)),
        (event(1, None, 100), event(2, "", 500, "amount"), (None, 500)),
        (event(1, "alice", 100), event(2, None, 500), (None, 500)),
        (event(1, "alice", 100), event(2, "bob", 200, ""), ("bob", 200)),
        # A later stored row stays, but for what only the earlier change sends.
        (event(3, "alice", 100), event(1, "bob", 200, "name,amount"), ("alice", 100)),
        (event(3, None, 100), event(1, "bob", 200, "name,amount"), (None, 100)),
        (event(3, "carol", 100, "name"), event(1, "alice", 50, "amount"), ("carol", 50)),
        # Of an earlier delete nothing is taken.
        (event(1, None, 0, deleted=True), event(2, "bob", 0, "name"), ("bob", 0)),
        (event(1, "", 0, deleted=True), event(2, None, 500, "amount"), (None, 500)),
        (event(2, "alice", 100), event(1, "x", 1, deleted=True), ("alice", 100)),
    ],
)
def test_columns_count_that_the_later_change_lists(current, newer, expected):
    assert values(stored(current, newer)) == expected


@pytest.mark.parametrize(
    ("current", "newer"),
    [
        (event(1, "alice", 100), event(2, "alice", 100, deleted=True)),
        (event(1, "alice", 100), event(2, "alice", 100, _change_operation_type="D")),
        (event(3, None, 0, deleted=True), event(1, "bob", 200, "name,amount")),
        (event(1, "alice", 100, deleted=True), event(2, None, 0, deleted=True)),
        (event(1, "alice", 100), None),
    ],
)
def test_a_later_delete_deletes(current, newer):
    assert stored(current, newer) is None


def test_without_properties_the_incoming_row_is_later():
    assert values(stored(event(3, "alice", 100), event(1, "bob", None, "name"), props=None)) == ("bob", 100)


def test_columns_about_the_change_are_those_of_the_later_row():
    nested = {"type": ["null", {"type": "record", "name": "m", "fields": [{"name": "_event_scn", **TEXT}]}]}
    schema = schema_of(_debezium_metadata={**nested, "default": None}, _event_scn=TEXT)
    old, new = ({"_debezium_metadata": {"_event_scn": scn}, "_event_scn": scn} for scn in ("100", "200"))
    rows = event(1, "alice", 100, **old), event(2, "bob", 100, "name", **new)
    for current, newer in itertools.permutations(rows):
        merged = stored(current, newer, schema)
        assert {name: merged[name] for name in new} == new
        assert merged["_event_ordering"] == "00002"


def test_bytes_hold_the_marker_too():
    schema = schema_of(raw={"type": ["null", "bytes"], "default": None})
    marked = event(2, "bob", 1, "raw", raw=UNAVAILABLE.encode())
    assert stored(event(1, "alice", 100, raw=b"\1\2"), marked, schema)["raw"] == b"\1\2"


def batch(*rows):
    kept = payload(rows[0])
    for row in rows[1:]:
        kept = payload(row).pre_combine(kept, SCHEMA, PROPS)
    return kept


@pytest.mark.parametrize(
    ("rows", "lists", "expected"),
    [
        ((event(2, "", 100, "amount"), event(3, "", 200, "amount")), {"amount"}, ("stored", 200)),
        ((event(2, "u1", 0, "name"), event(3, "", 200, "amount")), {"name", "amount"}, ("u1", 200)),
        ((event(2, None, 0, "name"), event(3, "back", 0, "name")), {"name"}, ("back", 999)),
        (
            (event(2, "u1", 0, "name"), event(3, "", 200, "amount"), event(4, "u3", 0, "name")),
            {"name", "amount"},
            ("u3", 200),
        ),
    ],
)
def test_lists_are_joined_in_a_batch_so_that_the_stored_row_fills_the_rest(rows, lists, expected):
    kept = batch(*rows)
    assert set(kept.record["_changed_columns"].split(",")) == lists
    assert values(kept.combine_and_get_update_value(event(1, "stored", 999), SCHEMA, PROPS)) == expected


def test_deletes_of_a_batch():
    insert, delete = event(1, "alice", 100), event(2, "alice", 100, deleted=True)
    assert batch(delete, insert).is_deleted(SCHEMA, PROPS)
    assert batch(insert, delete).is_deleted(SCHEMA, PROPS)
    assert not batch(event(1, "x", 1, deleted=True), event(2, "alice", 100)).is_deleted(SCHEMA, PROPS)
    empty = payload(None)
    assert empty.pre_combine(payload(insert), SCHEMA, PROPS) is empty


def test_the_insert_value_of_a_delete_is_there_with_properties_alone():
    delete = payload(event(2, "alice", 100, deleted=True))
    assert delete.get_insert_value(SCHEMA) is None
    assert values(delete.get_insert_value(SCHEMA, PROPS)) == ("alice", 100)
    assert delete.is_deleted(SCHEMA, PROPS)
    assert payload(None).get_insert_value(SCHEMA, PROPS) is None
    schema = schema_of("_hoodie_is_deleted")
    for operation, is_deleted in (("d", True), ("D", True), ("u", False)):
        row = event(1, "a", 1, _change_operation_type=operation)
        del row["_hoodie_is_deleted"]
        assert payload(row, schema).is_deleted(schema, PROPS) is is_deleted


# -- the rule


def with_lists(name):
    schema, props = SETTINGS[name]
    fields = [*schema.source["fields"], {"name": "_changed_columns", **TEXT}, {"name": "_event_scn", **TEXT}]
    return Setting(parse_schema({**schema.source, "fields": fields}), props)


@pytest.mark.parametrize("name", ["arrival", "by ts", "by ts, meta columns", "two fields", "columns lack"])
@pytest.mark.parametrize(
    "lists", [(None, None), ("note", "n,raw"), ("", ",n"), ("raw, note,n", "note,note,id,_event_scn")]
)
def test_the_rule_is_what_the_class_does(name, lists):
    (found,), setting = builtin_payloads("1.3"), with_lists(name)
    listed = itertools.cycle(lists)

    def with_list(version):
        if version.record is None:
            return version
        return version._replace(record={**version.record, "_changed_columns": next(listed), "_event_scn": "7"})

    for point in (Point.BATCH, Point.STORED, Point.ALONE):
        subject = of_payload(found, point, *setting)
        assert subject.rule is not None
        check_rule(subject.rule, setting.schema)
        assert rule_from_json(rule_to_json(subject.rule)) == subject.rule
        tried = [tuple(map(with_list, pair)) for pair in pairs(setting, point, marks=False)]
        decided, _ = check(f"{name}, {point!r}", subject, setting, tried)
        assert decided > len(tried) / 4, (name, point)
    subjects = [of_payload(found, point, *setting) for point in (Point.BATCH, Point.STORED)]
    check_sequences(f"{NAME}, {name}", subjects, setting, marks=False)


# -- where it is


def test_only_the_preview_has_it_and_has_nothing_else():
    assert [found.__name__ for found in builtin_payloads("1.3")] == [NAME]
    assert HudiRelease.V1_3 not in list(HudiRelease)
    assert HudiRelease.parse("1.3") is HudiRelease.parse(str(HudiRelease.V1_3)) is HudiRelease.V1_3
    with pytest.warns(ReleaseWarning, match=r"taken from sources .* not compared with a release"):
        assert HudiRelease.asked("1.3") > HudiRelease.latest()
    for release in HudiRelease:
        with pytest.raises(PayloadNotFoundError, match=r"use release 1\.3, a preview .*--jar FILE"):
            resolve_payload(NAME, release)
    with pytest.raises(PayloadNotFoundError, match=r"1\.3 \(preview\)"):
        resolve_payload("DefaultHoodieRecordPayload", "1.3")
    (found,) = builtin_payloads("1.3")
    assert type("Mine", (found,), {}).missing_base() is not None, "a user's class of it is refused"
