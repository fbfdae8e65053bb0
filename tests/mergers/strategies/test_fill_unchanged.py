"""FILL_UNCHANGED of a release to come: the answers that the tests of apache/hudi#19322 expect of it.

They are taken from sources; no jar with the mode was at hand.
"""

from __future__ import annotations

import itertools

import pytest

from mergers import HoodieAvroIndexedRecord, MergerConfigError, PartialUpdateMode, buffered_merger
from mergers.strategies import CHANGED_FIELDS, MERGE_PROPERTY_PREFIX, RETAIN_FIELDS, UNAVAILABLE_VALUE
from payloads import HudiRelease, Ordering, PayloadConfigError, SchemaError, parse_schema
from payloads.builtin import UNAVAILABLE
from payloads.java import joined_names, listed_names
from payloads.rules import Point, check_rule, rule_from_json, rule_to_json
from tests.mergers.rules.subjects import of_mode
from tests.mergers.rules.test_agreement import OF_MODES, check, check_sequences, pairs
from tests.mergers.rules.universe import SETTINGS, Setting
from tests.mergers.tables import KEY

MODE = "EVENT_TIME_ORDERING/FILL_UNCHANGED"
TEXT = {"type": ["null", "string"], "default": None}
LONG = {"type": ["null", "long"], "default": None}
NAMES = {CHANGED_FIELDS: "_changed_columns", RETAIN_FIELDS: "_event_ordering", UNAVAILABLE_VALUE: UNAVAILABLE}


def props_of(names):
    given = {MERGE_PROPERTY_PREFIX + name: value for name, value in names.items()}
    return {"hoodie.table.ordering.fields": "_event_ordering", **given}


def schema_of(**fields):
    named = [{"name": name, **kind} for name, kind in fields.items()]
    return parse_schema({"type": "record", "name": "r", "fields": named})


SCHEMA = schema_of(name=TEXT, amount=LONG, _changed_columns=TEXT, _event_ordering=TEXT)


def version(ordering, name, amount, changed=None, *, operation=None, schema=SCHEMA):  # noqa: PLR0913 (the columns)
    row = {"name": name, "amount": amount, "_changed_columns": changed, "_event_ordering": ordering}
    row = {field.name: row[field.name] for field in schema.fields}
    return HoodieAvroIndexedRecord(KEY, row, schema, operation, Ordering("utf8", ordering))


def merger(names=NAMES, schema=SCHEMA, **more):
    settings = {"release": "1.3", "partial_update_mode": "FILL_UNCHANGED", **more}
    return buffered_merger("EVENT_TIME_ORDERING", schema, props_of(names), **settings)


def merged(low, high, names=NAMES):
    """Merge a version with a later one, in both orders of arrival; the answer is the same."""
    by = merger(names)
    found = by.final_merge(low, high)
    late = by.final_merge(high, low)
    assert late.record == found.record
    return found


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (("100", "alice", 100), ("200", "bob", 999, "name"), ("bob", 100)),
        (("100", "alice", 100), ("200", "bob", 0, "name"), ("bob", 100)),
        (("100", "alice", 100), ("200", None, 100, "name"), (None, 100)),
        (("200", "bob", 100, "name"), ("300", "placeholder", 200, "amount"), ("bob", 200)),
        (("100", "alice", 100), ("200", UNAVAILABLE, 100, "name"), ("alice", 100)),
        (("100", "alice", 100), ("300", "bob", 200, "name , amount ,"), ("bob", 200)),
        # A list that names nothing is not an empty one.
        (("100", "alice", 100), ("300", "bob", 200, " , "), ("alice", 100)),
        (("100", "alice", 100), ("300", "bob", 200, "Name"), ("alice", 100)),
    ],
)
def test_columns_count_that_the_later_version_lists(low, high, expected):
    found = merged(version(*low), version(*high)).record
    assert (found["name"], found["amount"]) == expected
    assert found["_event_ordering"] == high[0]


def test_lists_are_joined():
    found = merged(version("200", "bob", 1, "name,other"), version("300", "x", 2, "amount,name"))
    assert set(found.record["_changed_columns"].split(",")) == {"name", "other", "amount"}


@pytest.mark.parametrize("changed", [None, ""])
def test_a_version_without_a_list_is_kept_as_it_is(changed):
    high = version("300", "bob", 200, changed)
    assert merged(version("100", "alice", 100, "name"), high) is high


def test_nothing_is_filled_without_a_name_of_the_list_or_beside_a_delete():
    high = version("300", "bob", 200, "name")
    assert merged(version("100", "alice", 100), high, {RETAIN_FIELDS: "_event_ordering"}) is high
    assert merged(version("100", "alice", 100, operation="D"), high) is high
    gone = version("400", "bob", 200, "name", operation="D")
    assert merged(high, gone) is gone


def test_a_column_that_the_earlier_schema_lacks_is_null():
    old = schema_of(name=TEXT, _changed_columns=TEXT, _event_ordering=TEXT)
    found = merger().final_merge(version("100", "alice", None, schema=old), version("300", "bob", 200, "name"))
    assert found.record == version("300", "bob", None, "name").record


def test_a_list_that_is_no_text_is_refused():
    schema = schema_of(name=TEXT, _changed_columns=LONG, _event_ordering=TEXT)
    by = merger(schema=schema)
    rows = [version(ordering, "a", None, 1, schema=schema) for ordering in ("1", "2")]
    with pytest.raises(
        SchemaError, match=r"FILL_UNCHANGED reads .* '_changed_columns', which is long; make it a string"
    ):
        by.final_merge(*rows)


# -- the order of Java's sets, as Java 17 printed it


@pytest.mark.parametrize(
    ("first", "second", "trims", "expected"),
    [
        ("name,amount", "id", False, "amount,name,id"),
        ("b, a,,c", "d ,b,", True, "a,b,c,d"),
        ("b, a,,c", "d ,b,", False, ", a,b,c,d "),
        (",".join(f"c{n}" for n in range(14)), "c20,c5", False, "c20,c11,c10,c13,c12,c0,c1,c2,c3,c4,c5,c6,c7,c8,c9"),
        (",", None, False, None),
        (None, "", True, None),
    ],
)
def test_joined_lists_are_in_the_order_of_a_hash_set(first, second, trims, expected):
    assert joined_names(listed_names(first, trims=trims), listed_names(second, trims=trims)) == expected


def test_names_that_java_would_keep_in_a_tree_are_refused():
    alike = ",".join("".join(parts) for parts in itertools.product(("Aa", "BB"), repeat=4))
    with pytest.raises(RuntimeError, match="have one hash in Java; rename a column"):
        listed_names(alike)


# -- the rule


@pytest.mark.parametrize("name", ["by ts", "by ts, meta columns", "two fields"])
@pytest.mark.parametrize("lists", [(None, None), ("note", "n,raw"), ("", " , n"), ("raw, note,n", "note,note,id")])
def test_the_rule_is_what_the_mode_does(name, lists):
    schema, props = SETTINGS[name]
    fields = [*schema.source["fields"], {"name": "_changed_columns", **TEXT}]
    given = props_of(NAMES | {RETAIN_FIELDS: "ts,raw"}) | props
    setting = Setting(parse_schema({**schema.source, "fields": fields}), given)
    listed = itertools.cycle(lists)

    def with_list(one):
        return one if one.record is None else one._replace(record={**one.record, "_changed_columns": next(listed)})

    for engine, point in itertools.product(("AVRO", "SPARK"), OF_MODES):
        subject = of_mode((MODE, "1.3", engine), point, *setting)
        assert subject.rule is not None
        check_rule(subject.rule, setting.schema)
        assert rule_from_json(rule_to_json(subject.rule)) == subject.rule
        tried = [tuple(map(with_list, pair)) for pair in pairs(setting, point, marks=True)]
        decided, called = check(f"{name}, {point!r}", subject, setting, tried)
        assert (decided > 0, called) == (True, 0)
    subjects = [of_mode((MODE, "1.3", "AVRO"), point, *setting) for point in (Point.BATCH, Point.STORED)]
    check_sequences(f"{MODE}, {name}", subjects, setting, marks=True)


# -- where it is


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_other_releases_do_not_have_it(release):
    with pytest.raises(MergerConfigError, match=r"has no partial update mode FILL_UNCHANGED .*#19322"):
        merger(release=release)
    assert not PartialUpdateMode.FILL_UNCHANGED.is_in(HudiRelease.parse(release))


@pytest.mark.parametrize("partial", [None, "IGNORE_DEFAULTS", "FILL_UNAVAILABLE"])
def test_the_preview_has_nothing_else(partial):
    with pytest.raises(MergerConfigError, match=r"1\.3 \(preview\)"):
        merger(partial_update_mode=partial)
    with pytest.raises((MergerConfigError, PayloadConfigError)):
        buffered_merger("COMMIT_TIME_ORDERING", SCHEMA, {}, release="1.3", partial_update_mode="FILL_UNCHANGED")
