"""A failed merge call names its merge point, and a listener is told of the calls that succeed."""

from __future__ import annotations

import pytest

from bridge import MergePlan
from bridge.explain.recorder import PayloadRecorder, RecordedPayloadRef
from bridge.merge import (
    Action,
    LogDelete,
    LogRow,
    MergePoint,
    MergePointError,
    PayloadVersion,
    RecordMerge,
    Rule,
    StoredRow,
    located,
)
from bridge.programs import PROGRAMS
from mergers import HoodieKey
from payloads import NATURAL_ORDER, Ordering, PayloadRef, parse_schema
from payloads.user import adapt
from tests.support.schemas import nullable, record_schema

KEY = HoodieKey("a")
SCHEMA = parse_schema(record_schema(id="string", ts="long", fails=nullable("string")))


class FailsWhereTold:
    """Fails in the method that its record names."""

    def __init__(self, record, ordering_value):
        self.record = record
        self._check("constructor")

    def pre_combine(self, older):
        self._check("pre_combine")
        return self

    def combine_and_get_update_value(self, current, schema):
        self._check("combine")
        return self.record

    def get_insert_value(self, schema):
        self._check("insert")
        return self.record

    def is_deleted(self, schema, props):
        return self.record is None

    def _check(self, method):
        if self.record is not None and self.record["fails"] == method:
            msg = f"{method} fails"
            raise LookupError(msg)


class Notes:
    def __init__(self):
        self.calls = []

    def merged(self, point, rule, older, newer, outcome):
        self.calls.append((point, rule, outcome.action))

    def payload_ref(self, payload):
        return payload


def row(ts, fails=None):
    return {"id": "a", "ts": ts, "fails": fails}


def merge_of(release, listener=None, payload="tests.bridge.merge.test_merge_failures:FailsWhereTold"):
    plan = MergePlan(payload=payload, release=release, key="id", ordering="ts", table_type="mor")
    return RecordMerge(plan, SCHEMA, listener=listener)


def stored(ts=1):
    record = row(ts)
    return StoredRow(KEY, record, SCHEMA, record)


def logged(merge, record):
    return merge.fold_log(None, KEY, LogRow(record, None))


def upserts(merge):
    return merge.single_rows(MergePoint.UPSERT)


CALLS = {
    "constructor": (MergePoint.COMBINE_INPUT, lambda merge, bad: merge.incoming(KEY, bad, None)),
    "pre_combine": (
        MergePoint.COMBINE_INPUT,
        lambda merge, bad: merge.combine_input(merge.incoming(KEY, row(1), None), merge.incoming(KEY, bad, None)),
    ),
    "combine": (MergePoint.UPSERT, lambda merge, bad: merge.upsert(stored(), merge.incoming(KEY, bad, None))),
    "insert": (MergePoint.INSERT, lambda merge, bad: merge.insert(merge.incoming(KEY, bad, None))),
    "combine a pair": (
        MergePoint.UPSERT,
        lambda merge, bad: upserts(merge).pair(row(1), bad, []),
    ),
    "constructor of a pair": (
        MergePoint.COMBINE_INPUT,
        lambda merge, bad: upserts(merge).pair(row(1), bad, []),
    ),
    "insert a single row": (MergePoint.INSERT, lambda merge, bad: upserts(merge).single(bad, [])),
    "combine in a query": (MergePoint.SNAPSHOT, lambda merge, bad: merge.snapshot(stored(), logged(merge, bad))),
    "combine in a compaction": (MergePoint.COMPACT, lambda merge, bad: merge.compact(stored(), logged(merge, bad))),
}


@pytest.mark.parametrize("release", ["0.15", "1.0", "1.1", "1.2"])
@pytest.mark.parametrize("call", CALLS)
def test_a_failure_carries_its_merge_point(release, call):
    point, fail = CALLS[call]
    with pytest.raises(MergePointError, match=f"{call.split()[0]} fails") as failure:
        fail(merge_of(release), row(2, call.split()[0]))
    assert failure.value.point is point
    assert failure.value.error is failure.value.__cause__
    assert located(failure.value) is failure.value


def test_a_failure_outside_any_call_has_no_merge_point():
    error = KeyError("id")
    assert located(error).point is None
    assert str(located(error)) == located(error).reason == "KeyError: 'id'"


class CannotBeCopied(FailsWhereTold):
    def __deepcopy__(self, memo):
        raise LookupError(memo)


@pytest.mark.parametrize("point", [MergePoint.SNAPSHOT, MergePoint.COMPACT])
def test_a_payload_that_cannot_be_copied_for_a_read_fails_at_that_read(point):
    merge = merge_of("0.15", payload="tests.bridge.merge.test_merge_failures:CannotBeCopied")
    folded = logged(merge, row(2))
    with pytest.raises(MergePointError, match="LookupError") as failure:
        merge.reader.read(point, stored(), folded)
    assert failure.value.point is point


def test_a_delete_test_of_a_combined_batch_fails_where_it_is_combined():
    class FailsToTell(FailsWhereTold):
        def is_deleted(self, schema, props):
            raise LookupError(props)

    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")
    program = PROGRAMS["combine_input"].program(RecordMerge(plan, SCHEMA))
    program.start(KEY)
    program.input = [PayloadVersion(KEY, adapt(FailsToTell, "0.15")(row(1)))]
    with pytest.raises(MergePointError, match="LookupError") as failure:
        program.finish(None)
    assert failure.value.point is MergePoint.COMBINE_INPUT


@pytest.mark.parametrize(
    ("release", "rules"),
    [
        ("0.15", [Rule.PRE_COMBINE, Rule.PRE_COMBINE, Rule.COMBINE, Rule.DELETE_TEST, Rule.COMPARISON]),
        ("1.2", [Rule.DELTA, Rule.DELTA, Rule.FINAL, Rule.DELETE_TEST, Rule.DELTA]),
    ],
)
def test_a_listener_is_notified_of_each_call(release, rules):
    notes = Notes()
    merge = merge_of(release, notes, "DefaultHoodieRecordPayload")
    newer = merge.combine_input(merge.incoming(KEY, row(2), None), merge.incoming(KEY, row(3), None))
    newer = merge.combine_input(newer, merge.incoming(KEY, row(1), None))
    merge.upsert(stored(), newer)
    merge.log_entry(merge.incoming(KEY, None, None, Ordering("long", 4)))
    merge.fold_log(logged(merge, row(2)), KEY, LogDelete(NATURAL_ORDER))
    points = [*[MergePoint.COMBINE_INPUT] * 2, MergePoint.UPSERT, MergePoint.INSERT, MergePoint.LOG_FOLD]
    actions = [Action.UPDATE, Action.KEEP, Action.UPDATE, Action.INSERT, Action.UPDATE]
    assert notes.calls == list(zip(points, rules, actions, strict=True))


def test_a_listener_is_notified_which_of_two_uncombined_rows_stays():
    notes = Notes()
    plan = MergePlan(merger="EVENT_TIME_ORDERING", key="id", ordering="ts", combine_before_upsert=False)
    merge = RecordMerge(plan, SCHEMA, listener=notes)
    first, later, late = (merge.incoming(KEY, row(ts), None) for ts in (2, 3, 1))
    merge.fold_uncombined(merge.fold_uncombined(first, later), late)
    assert [action for _, _, action in notes.calls] == [Action.UPDATE, Action.KEEP]


def test_a_payload_that_a_recorded_one_makes_is_recorded():
    recorder = PayloadRecorder(SCHEMA)
    of = PayloadRef("PartialUpdateAvroPayload")
    ref = RecordedPayloadRef(of.name, of=of, recorder=recorder)
    payload_class = ref.resolve("0.15")
    assert ref.resolve("0.15") is payload_class
    assert payload_class is not PayloadRef("PartialUpdateAvroPayload").resolve("0.15")
    older, newer = (payload_class(row(ts), Ordering("long", ts)) for ts in (1, 2))
    made = newer.pre_combine(older, SCHEMA, {})
    assert type(made) is payload_class
    assert (made.record, made.ordering_value, made.flagged) == (row(2), Ordering("long", 2), False)
    assert [call.method for call in recorder.calls] == ["pre_combine"]


def by_event_time():
    plan = MergePlan(merger="EVENT_TIME_ORDERING", release="1.2", table_type="mor", key="id", ordering="ts")
    return RecordMerge(plan, parse_schema(record_schema(id="string", ts=nullable("long"), fails=nullable("string"))))


def test_a_log_whose_ordering_values_differ_in_type_is_to_be_compacted_first():
    """A null of the ordering field counts as Integer 0."""
    merge = by_event_time()
    folded = logged(merge, row(2))
    told = "can't be compared; .*; if an older release wrote the log, compact the table with that release before the"
    with pytest.raises(MergePointError, match=told):
        merge.fold_log(folded, KEY, LogRow(row(None), None))


def test_a_batch_whose_ordering_values_differ_in_type_has_no_log_to_compact():
    merge = by_event_time()
    older, newer = merge.incoming(KEY, row(2), None, Ordering("int", 3)), merge.incoming(KEY, row(1), None)
    with pytest.raises(MergePointError, match="can't be compared") as failure:
        merge.combine_input(older, newer)
    assert "compact" not in str(failure.value)
