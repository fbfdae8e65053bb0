"""What a subclass of one of Hudi's classes overrides: every method of Java's, by release, or a warning by name."""

# ruff: noqa: N802, N803, ARG005 (names of Java, and what the methods of a payload are given)

from __future__ import annotations

import copy
import pickle
import random
import warnings

import pytest

import payloads
from payloads import NULL_VALUE, SENTINEL, NullOrderingError, Ordering, RecordBuilder, parse_schema
from payloads.avro import decode
from payloads.builtin.overridable import HOOKS, KNOWN
from payloads.release import HudiRelease, releases
from payloads.rules import Point
from payloads.user import adapt
from payloads.user.payloads import _adapt
from tests.payloads.user.classes import CLASSES_OF_MODULE

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "_hoodie_commit_time", "type": ["null", "string"], "default": None},
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "op", "type": ["null", "string"], "default": None},
            {"name": "n", "type": "long", "default": 0},
            {"name": "note", "type": ["string", "null"], "default": "none"},
        ],
    }
)
PROPS = dict.fromkeys(
    ("hoodie.payload.ordering.field", "hoodie.table.precombine.field", "hoodie.table.ordering.fields"), "ts"
)
ALL = [str(release) for release in releases(since="0.14")]


def row(**values):
    return {"_hoodie_commit_time": None, "id": "1", "ts": 20, "op": "U", "n": 1, "note": "new"} | values


STORED = row(op="I", n=5, note="old")


def made(user_class, release, record=None, ordering=20):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return adapt(user_class, release)(row() if record is None else record, Ordering("long", ordering))


def merged(user_class, release, record=None, stored=STORED, *, props=PROPS, ordering=20):  # noqa: PLR0913 (a call has them)
    payload = made(user_class, release, record, ordering)
    return payload.combine_and_get_update_value(copy.deepcopy(stored), SCHEMA, props)


def warned(user_class, release):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        _adapt.__wrapped__(user_class, HudiRelease.parse(release))  # a class is adapted, and told of, once
    return [str(one.message) for one in told]


# -- the delete test


@pytest.mark.parametrize("release", ALL)
@pytest.mark.parametrize("name", ["isDeleteRecord", "is_delete_record"])
@pytest.mark.parametrize(
    "base",
    [
        payloads.OverwriteWithLatestAvroPayload,
        payloads.DefaultHoodieRecordPayload,
        payloads.EventTimeAvroPayload,
        payloads.OverwriteNonDefaultsWithLatestAvroPayload,
        payloads.PartialUpdateAvroPayload,
        payloads.MySqlDebeziumAvroPayload,
    ],
)
def test_a_record_is_deleted_by_the_test_of_the_subclass(base, name, release):
    mine = type("Mine", (base,), {name: lambda self, record: record["op"] == "D"})
    later, earlier = ({"_event_seq": f"1.{n}"} if base is payloads.MySqlDebeziumAvroPayload else {} for n in (2, 1))
    assert merged(mine, release, row(op="D", **later), {**STORED, **earlier}) is None
    assert made(mine, release, row(op="D")).is_deleted(SCHEMA, PROPS)
    assert made(mine, release, row(op="D")).get_insert_value(SCHEMA, PROPS) is None
    assert not made(mine, release, row(op="U")).is_deleted(SCHEMA, PROPS)


@pytest.mark.parametrize("release", ALL)
def test_the_overload_with_properties_is_one_of_its_own(release):
    class ByProperties(payloads.DefaultHoodieRecordPayload):
        def isDeleteRecord(self, record, properties):
            return properties.get("acme") == "x" or super().isDeleteRecord(record, properties)

    assert merged(ByProperties, release, props={**PROPS, "acme": "x"}) is None
    custom = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "U"}
    assert merged(ByProperties, release, props={**PROPS, **custom}) is None
    assert merged(ByProperties, release) == row()
    # The constructor asks the other overload, which is Hudi's.
    assert not made(ByProperties, release).wrapped.flagged


def test_the_operation_of_dms_deletes_even_where_the_subclass_decides_otherwise():
    class Keeps(payloads.AWSDmsAvroPayload):
        def isDeleteRecord(self, record):
            return False

    for release in ALL:
        assert merged(Keeps, release, row(Op="D")) is None
        assert merged(Keeps, release, row(Op="I")) == row(Op="I")


# -- the ordering test


@pytest.mark.parametrize("release", ALL)
def test_a_tie_goes_as_the_subclass_says(release):
    class StrictlyNewer(payloads.DefaultHoodieRecordPayload):
        def needUpdatingPersistedRecord(self, current, incoming, properties):
            return super().needUpdatingPersistedRecord(current, incoming, properties) and current["ts"] < incoming["ts"]

    lost = SENTINEL if release == "1.2" else STORED
    assert merged(StrictlyNewer, release) == lost
    assert merged(StrictlyNewer, release, row(ts=21)) == row(ts=21)
    assert merged(StrictlyNewer, release, row(ts=19)) == lost


SEEN = []


def test_from_1_1_on_the_incoming_record_may_be_missing():
    class Seen(payloads.DefaultHoodieRecordPayload):
        seen = SEEN

        def need_updating_persisted_record(self, current, incoming: dict | None, properties):
            self.seen.append(incoming)
            return super().need_updating_persisted_record(current, incoming, properties)

    for release in ("1.0", "1.1"):
        payload = adapt(Seen, release)(None, Ordering("long", 30))
        assert payload.combine_and_get_update_value(dict(STORED), SCHEMA, PROPS) is None
    assert SEEN == [None]  # 1.0 deletes without a comparison
    assert warned(Seen, "1.2") == []


def test_the_comparison_of_ordering_values_is_a_hook_of_1_2():
    class Least(payloads.DefaultHoodieRecordPayload):
        def compareOrderingVal(self, old, new, update_on_same):
            return old > new or super().compareOrderingVal(old, new, update_on_same) is None

    assert merged(Least, "1.2", row(ts=19)) == row(ts=19)
    assert merged(Least, "1.2", row(ts=21)) is SENTINEL
    assert merged(Least, "1.1", row(ts=21)) == row(ts=21)
    (told,) = warned(Least, "1.1")
    assert "Least.compareOrderingVal under Hudi 1.1" in told
    assert "from 1.2 on" in told
    assert "needUpdatingPersistedRecord" in told


def test_the_reverse_comparison_is_that_of_its_class():
    class Mine(payloads.ReverseOrderHoodieRecordPayload):
        def compareOrderingVal(self, old, new, update_on_same):
            return super().compareOrderingVal(old, new, update_on_same)

    for ts, ties, wins in ((19, "true", True), (21, "true", False), (20, "true", True), (20, "false", False)):
        props = {**PROPS, "hoodie.payload.update.on.same.ordering.field": ties}
        own = merged(payloads.ReverseOrderHoodieRecordPayload, "1.2", row(ts=ts), props=props)
        assert merged(Mine, "1.2", row(ts=ts), props=props) == own
        assert (own == row(ts=ts)) is wins


# -- single fields


@pytest.mark.parametrize("release", ALL)
@pytest.mark.parametrize("name", ["overwriteField", "overwrite_field"])
def test_the_subclass_says_what_a_gap_is(name, release):
    def overwrite(self, value, default):
        return value == "gap" or super(mine, self).overwriteField(value, default)

    mine = type("Mine", (payloads.OverwriteNonDefaultsWithLatestAvroPayload,), {name: overwrite})
    result = merged(mine, release, row(op="gap", n=0, note=None))
    assert result == row(op="I", n=5, note=None)  # null is not the default of note


@pytest.mark.parametrize("release", ALL)
def test_the_subclass_sets_single_fields(release):
    class Sums(payloads.PartialUpdateAvroPayload):
        def setField(self, base, merged, builder, field):
            if field.name == "n":
                builder.set(field, base["n"] + merged["n"])
            else:
                super().setField(base, merged, builder, field)

    assert merged(Sums, release, row(op=None))["n"] == 6
    assert merged(Sums, release, row(op=None))["op"] == "I"
    assert merged(Sums, release, row(ts=3), ordering=3) == row(ts=20, op="I", n=6, note="old")
    older, newer = made(Sums, release, row(n=2)), made(Sums, release, row(n=3))
    together = newer.pre_combine(older, SCHEMA, PROPS)
    assert together.record["n"] == 5
    assert isinstance(together, payloads.PartialUpdateAvroPayload)  # Hudi makes its own, the subclass is lost


def test_records_out_of_order_are_merged_by_the_subclass():
    class Mine(payloads.PartialUpdateAvroPayload):
        def mergeDisorderRecordsWithMetadata(self, schema, old, updating, is_pre_combining):
            merged = super().mergeDisorderRecordsWithMetadata(schema, old, updating, is_pre_combining)
            return {**merged, "note": f"late {is_pre_combining}"}

        def getInsertValue(self, schema, isPreCombining):
            found = super().getInsertValue(schema, isPreCombining)
            return found and {**found, "n": 7}

    assert merged(Mine, "0.15", row(ts=3, op=None), ordering=3) == row(op="I", n=5, note="late False")
    assert merged(Mine, "0.15", row(ts=30), ordering=30) == row(ts=30, n=7)
    assert warned(Mine, "0.15") == []
    assert made(Mine, "0.15").get_insert_value(SCHEMA, PROPS) == row()  # the overload with properties is Hudi's
    flagged = adapt(Mine, "0.15")(row(_hoodie_is_deleted=True), Ordering("long", 1)).wrapped
    assert flagged.getInsertValue(SCHEMA, True)["n"] == 7
    assert flagged.getInsertValue(SCHEMA, False) is None


def test_whole_records_are_merged_by_the_subclass():
    class Mine(payloads.OverwriteNonDefaultsWithLatestAvroPayload):
        def mergeRecords(self, schema, base, merged):
            filled = super().mergeRecords(schema, base, merged)
            return filled and {**filled, "note": "merged"}

    assert merged(Mine, "0.15", row(n=0)) == row(n=5, note="merged")


def test_what_a_merge_in_a_batch_raises_is_passed_over_as_in_hudi():
    class Fails(payloads.PartialUpdateAvroPayload):
        def setField(self, base, merged, builder, field):
            raise KeyError(field.name)

    older, newer = made(Fails, "0.15"), made(Fails, "0.15")
    with pytest.warns(UserWarning, match="Fails: merging two versions of a batch raised KeyError"):
        assert newer.pre_combine(older, SCHEMA, PROPS) is newer
    with pytest.raises(payloads.PayloadFailedError, match="KeyError"):
        merged(Fails, "0.15")


# -- Debezium


@pytest.mark.parametrize("release", ALL)
def test_a_class_for_another_database_picks_the_record(release):
    class Oracle(payloads.AbstractDebeziumAvroPayload):
        def shouldPickCurrentRecord(self, current, insert, schema):
            return current["n"] >= insert["n"]

    assert merged(Oracle, release, row(n=5)) == STORED
    assert merged(Oracle, release, row(n=6)) == row(n=6)
    assert merged(Oracle, release, row(n=6, _change_operation_type="d")) is None
    with pytest.raises(payloads.PayloadConstructorError, match="should_pick_current_record"):
        adapt(type("Lacks", (payloads.AbstractDebeziumAvroPayload,), {}), release)


def test_unavailable_values_are_filled_after_the_overload_of_the_subclass():
    class Mine(payloads.PostgresDebeziumAvroPayload):
        def combineAndGetUpdateValue(self, current, schema):
            return {**self.record, "n": 9}

    for release in ALL:
        assert merged(Mine, release, row(op="__debezium_unavailable_value")) == row(op="I", n=9)


# -- overloads


@pytest.mark.parametrize("release", ALL)
def test_the_overload_that_hudi_calls_counts(release):
    def combine(self, current, schema):
        return row(note="short")

    assert (
        merged(type("A", (payloads.OverwriteWithLatestAvroPayload,), {"combineAndGetUpdateValue": combine}), release)[
            "note"
        ]
        == "short"
    )
    short = type("B", (payloads.DefaultHoodieRecordPayload,), {"combineAndGetUpdateValue": combine})
    assert merged(short, release) == row()
    (told,) = warned(short, release)
    assert f"B.combineAndGetUpdateValue under Hudi {release}" in told
    assert "DefaultHoodieRecordPayload.combineAndGetUpdateValue is called instead" in told


def test_the_insert_value_of_a_subclass_is_what_an_update_writes():
    class Mine(payloads.OverwriteWithLatestAvroPayload):
        def getInsertValue(self, schema):
            return {**super().getInsertValue(schema), "note": "mine"}

    for release in ALL:
        assert merged(Mine, release) == row(note="mine")

    class WithProps(payloads.OverwriteWithLatestAvroPayload):
        def getInsertValue(self, schema, props):
            return {**super().getInsertValue(schema, props), "note": "mine"}

    for release in ALL:
        assert merged(WithProps, release) == row()  # an update calls the other overload
        assert made(WithProps, release).get_insert_value(SCHEMA, PROPS)["note"] == "mine"


@pytest.mark.parametrize("release", ["0.15", "1.0"])
def test_until_1_0_each_call_decodes_the_record_anew(release):
    class Counts(payloads.OverwriteWithLatestAvroPayload):
        def getInsertValue(self, schema, props=None):
            record = super().getInsertValue(schema)
            record["n"] += 1
            return record

    payload = made(Counts, release)
    assert [payload.get_insert_value(SCHEMA, PROPS)["n"] for _ in range(3)] == [2, 2, 2]
    later = made(Counts, "1.1")
    assert [later.get_insert_value(SCHEMA, PROPS)["n"] for _ in range(3)] == [2, 3, 4]


def test_an_emptiness_and_a_record_of_its_own_from_1_1_on():
    class Empty(payloads.OverwriteWithLatestAvroPayload):
        def isEmptyRecord(self):
            return True

    class Other(payloads.OverwriteWithLatestAvroPayload):
        def getRecord(self, schema):
            return {**super().getRecord(schema), "note": "other"}

    for release in ("1.1", "1.2"):
        assert merged(Empty, release) is None
        assert merged(Other, release) == row(note="other")
    for mine in (Empty, Other):
        assert merged(mine, "1.0") == row()
        assert "from 1.1 on" in warned(mine, "1.0")[0]


# -- what a subclass reads


def test_fields_and_methods_of_java_by_release():
    class Reads(payloads.DefaultHoodieRecordPayload):
        def combineAndGetUpdateValue(self, current, schema, props):
            data = self.recordBytes if self.release < HudiRelease.V1_1 else self.getRecordBytes()
            assert decode(schema, data) == row()
            assert self.orderingVal == self.getOrderingVal() == self.getOrderingValue() == Ordering("long", 20)
            assert self.isDeletedRecord is False
            assert self.isDeleted(schema, props) is False
            assert self.getMetadata() is None
            assert self.canProduceSentinel() is (self.release >= HudiRelease.V1_2)
            return super().combineAndGetUpdateValue(current, schema, props)

    for release in ALL:
        assert merged(Reads, release) == row()
    private = made(Reads, "1.1").wrapped
    private.call_schema = SCHEMA
    with pytest.raises(payloads.UnsupportedPayloadOperationError, match=r"private in Hudi 1.1; call getRecordBytes"):
        _ = private.recordBytes
    with pytest.raises(payloads.UnsupportedPayloadOperationError, match=r"no getRecordBytes in Hudi 0.15"):
        made(Reads, "0.15").wrapped.getRecordBytes()
    with pytest.raises(payloads.PayloadConfigError, match="record's schema is unknown"):
        _ = made(Reads, "0.15").wrapped.recordBytes
    empty = adapt(Reads, "0.15")(None, Ordering("long", 1)).wrapped
    assert len(empty.recordBytes) == 0


def test_a_default_as_javas_code_sees_it():
    defaults = {name: field.defaultVal() for name, field in SCHEMA.by_name.items()}
    assert defaults == {
        "_hoodie_commit_time": NULL_VALUE,
        "id": None,
        "ts": None,
        "op": NULL_VALUE,
        "n": 0,
        "note": "none",
    }
    assert pickle.loads(pickle.dumps(NULL_VALUE)) is NULL_VALUE  # noqa: S301 (our own)


def test_a_record_is_built_field_by_field():
    builder = RecordBuilder(SCHEMA).set("id", "1").set(SCHEMA.by_name["ts"], 2)
    assert (builder.get("id"), builder.has("n"), builder.has("id")) == ("1", False, True)
    assert builder.build() == {
        "_hoodie_commit_time": None,
        "id": "1",
        "ts": 2,
        "op": None,
        "n": 0,
        "note": "none",
    }
    with pytest.raises(payloads.SchemaError, match="'ts' was not set"):
        builder.clear("ts").build()
    with pytest.raises(payloads.SchemaError, match="'id' does not accept null"):
        builder.set("id", None)
    with pytest.raises(payloads.SchemaError, match="no field 'x'"):
        builder.set("x", None)


# -- rules


def test_no_rule_is_left_to_a_subclass():
    for shipped in payloads.builtin_payloads():
        release = max(shipped.shipped)
        mine = type("Mine", (shipped,), {"isDeleteRecord": lambda self, record: False}).for_release(release)
        assert [mine.rule(point, SCHEMA, PROPS) for point in Point] == [None] * len(Point)
    assert payloads.DefaultHoodieRecordPayload.for_release("0.15").rule(Point.STORED, SCHEMA, PROPS) is not None


# -- warnings


def test_a_method_that_overrides_nothing_is_told_by_name():
    class Odd(payloads.OverwriteWithLatestAvroPayload):
        def isDeletRecord(self, record):
            return True

        def _isDeleteRecord(self, record):
            return True

        def setField(self, base, merged, builder, field):
            pass

        def isDeleteRecord(self):
            return True

        def getRecordBytes(self):
            return b""

        def helper(self, record):
            return self.merge_record(record)

        def merge_record(self, record):
            return record

    told = warned(Odd, "1.2")
    named = {one.split(" ")[0].partition(".")[2].rpartition(".")[2] for one in told}
    assert named == {"isDeletRecord", "_isDeleteRecord", "setField", "isDeleteRecord", "getRecordBytes"}
    assert all("under Hudi 1.2: " in one for one in told)
    assert any("BaseAvroPayload.isDeleteRecord is called instead" in one for one in told)
    assert merged(Odd, "1.2") == row()


def test_a_signature_that_changed_is_told():
    class Mine(payloads.DefaultHoodieRecordPayload):
        def needUpdatingPersistedRecord(self, current, incoming, properties):
            return True

    assert warned(Mine, "1.0") == []
    (told,) = warned(Mine, "1.1")
    assert "takes Option<IndexedRecord>" in told
    assert "DefaultHoodieRecordPayload.needUpdatingPersistedRecord is called instead" in told


def test_a_class_of_ones_own_is_told_of_a_name_that_is_all_but_one_of_the_interface():
    class Mine:
        def pre_combine(self, older):
            return self

        def combine_and_get_update_value(self, current, schema):
            return current

        def get_insert_value(self, schema):
            return None

        def getMetaData(self):
            return {}

    (told,) = warned(Mine, "1.2")
    assert "getMetaData looks like getMetadata" in told


def test_the_base_must_be_shipped():
    class Mine(payloads.FirstValueAvroPayload):
        pass

    adapt(Mine, "1.0")
    with pytest.raises(
        payloads.PayloadConstructorError, match=r"extends FirstValueAvroPayload, which Hudi 1.1 does not"
    ):
        adapt(Mine, "1.1")


# -- inheritance


def test_the_nearest_spelling_counts_through_parents_and_mixins():
    class Mixin:
        def isDeleteRecord(self, record):
            return record["op"] == "D" or super().isDeleteRecord(record)

    class Parent(Mixin, payloads.OverwriteWithLatestAvroPayload):
        pass

    class Child(Parent):
        def is_delete_record(self, record):
            return record["op"] == "X" or super().is_delete_record(record)

    for release in ALL:
        for operation in ("D", "X"):
            assert merged(Child, release, row(op=operation)) is None
        assert merged(Parent, release, row(op="X")) == row(op="X")
        assert merged(Parent, release, row(op="D")) is None
        assert merged(Child, release, row(_hoodie_is_deleted=True)) is None


def test_a_payload_travels_with_its_overrides():
    payload = made(CLASSES_OF_MODULE["Deletes"], "0.15", row(op="D"))
    for twin in (pickle.loads(pickle.dumps(payload)), copy.deepcopy(payload)):  # noqa: S301 (our own)
        assert twin.combine_and_get_update_value(dict(STORED), SCHEMA, PROPS) is None


def test_a_class_that_is_used_without_its_adapter_finds_its_overrides():
    mine = CLASSES_OF_MODULE["Deletes"].for_release("0.15")
    assert mine(row(op="D"), Ordering("long", 1)).combine_and_get_update_value(dict(STORED), SCHEMA, PROPS) is None
    with pytest.raises(NullOrderingError):
        mine(row(), None)


def test_each_hook_has_its_name_on_the_class_of_hudi():
    owners = {kind.__name__: kind for kind in vars(payloads.builtin).values() if isinstance(kind, type)}
    for hook in HOOKS:
        if hook.slot is None or hook.owner == "HoodieRecordPayload":
            continue
        owner = owners[hook.owner]
        assert hook.name in dir(owner), hook
        assert hook.java_name in dir(owner), hook
        assert hook.slot in dir(owner), hook


# -- a subclass that adds nothing


def passing_on(base, spelling):
    """Return a subclass of `base` that overrides every method of Hudi's there, and passes each call on."""

    def method(name, count):
        def passed(self, *arguments):
            return getattr(super(mine, self), name)(*arguments)

        names = ", ".join(f"a{number}" for number in range(count))
        source = f"lambda self, {names}: passed(self, {names})"
        return eval(source, {"passed": passed})  # noqa: S307 (parameters of our own)

    lengths = {"pre_combine": 3, "combine_and_get_update_value": 3, "get_insert_value": 2, "is_deleted": 2}
    lengths |= {hook.name: len(hook.parameters) for hook in HOOKS if hook.slot and hook.name not in lengths}
    of_java = {known.name: known.java_name for known in KNOWN}
    names = {name: of_java[name] if spelling == "java" else name for name in lengths if hasattr(base, name)}
    mine = type(base.__name__, (base,), {names[name]: method(names[name], lengths[name]) for name in names})
    return mine


def answers(payload_class, release):
    """Return what each method makes of pairs of an incoming and a stored record, or the error of Hudi's class."""
    # 0.12 knows no isDeleted.
    calls = [merging, inserting, combining, *([deleting] if release is not HudiRelease.V0_12 else [])]
    marker = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"}
    return [
        answer(call, payload_class, pair, props)
        for props in (PROPS, PROPS | marker)
        for pair in PAIRS
        for call in calls
    ]


def answer(call, payload_class, pair, props):
    incoming, stored, older_ordering = pickle.loads(pair)  # noqa: S301 (new objects, faster than by deepcopy)
    try:
        payload = payload_class(incoming, Ordering("long", 20))
        return call(payload, payload_class, (stored, Ordering("long", older_ordering)), props)
    except payloads.PayloadBridgeError as error:
        return type(error).__name__


def merging(payload, _payload_class, stored, props):
    return payload.combine_and_get_update_value(stored[0], SCHEMA_OF_ALL, props)


def inserting(payload, _payload_class, _stored, props):
    return payload.get_insert_value(SCHEMA_OF_ALL, props)


def deleting(payload, _payload_class, _stored, props):
    return payload.is_deleted(SCHEMA_OF_ALL, props)


def combining(payload, payload_class, stored, props):
    older = payload_class(*stored)
    winner = payload.pre_combine(older, SCHEMA_OF_ALL, props)
    side = "newer" if winner is payload else "older" if winner is older else "new"
    return side, winner.record, winner.ordering_value


SCHEMA_OF_ALL = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            *({"name": field.name, "type": field.schema.source} for field in SCHEMA.fields[:1]),
            {"name": "ts", "type": ["null", "long"], "default": None},
            {"name": "op", "type": ["null", "string"], "default": None},
            {"name": "Op", "type": ["null", "string"], "default": None},
            {"name": "n", "type": "long", "default": 0},
            {"name": "note", "type": ["string", "null"], "default": "none"},
            {"name": "_hoodie_is_deleted", "type": ["null", "boolean"], "default": None},
            {"name": "_change_operation_type", "type": ["null", "string"], "default": None},
            {"name": "_event_seq", "type": ["null", "string"], "default": None},
            {"name": "_event_lsn", "type": ["null", "long"], "default": None},
        ],
    }
)


def drawn(chance):
    return {
        "_hoodie_commit_time": chance.choice([None, "1"]),
        "ts": chance.choice([19, 20, 21, None]),
        "op": chance.choice([None, "D", "U"]),
        "Op": chance.choice([None, "D", "U", "U"]),
        "n": chance.choice([0, 1, 2]),
        "note": chance.choice([None, "none", "x"]),
        "_hoodie_is_deleted": chance.choice([None, False, False, True]),
        "_change_operation_type": chance.choice([None, "d", "u", "u"]),
        "_event_seq": chance.choice(["1.1", "1.2", "2.1"]),
        "_event_lsn": chance.choice([1, 2, 3, None]),
    }


PAIRS = [
    pickle.dumps((drawn(chance) if chance.random() < 0.9 else None, drawn(chance), chance.choice([19, 20, 21])))
    for chance in [random.Random(5)]  # noqa: S311 (test data)
    for _ in range(80)
]


@pytest.mark.parametrize("spelling", ["java", "python"])
@pytest.mark.parametrize(
    ("base", "release"),
    [
        pytest.param(base, release, id=f"{base.__name__}-{release}")
        for base in payloads.builtin_payloads()
        if not max(base.shipped).is_preview
        for release in base.shipped
        if base.takes_ordering and base is not payloads.EmptyHoodieRecordPayload
    ],
)
def test_a_subclass_that_passes_each_call_on_is_as_hudis_class(base, release, spelling):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adapted = adapt(passing_on(base, spelling), release)
    expected, got = answers(base.for_release(release), release), answers(adapted, release)
    assert got == expected
    assert len({repr(one) for one in expected}) > 4
