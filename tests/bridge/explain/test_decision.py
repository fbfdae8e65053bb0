"""What a merge call says of itself: the rule that decided, with both values as a user wrote them."""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING, Any

import pytest

from bridge.explain.trace import trace_key
from bridge.merge.points import MergePoint
from bridge.programs import refused_batch
from bridge.redaction import Redaction
from mergers.laws.modes import MODES
from payloads import DefaultHoodieRecordPayload, HudiRelease, builtin_payloads, parse_schema
from payloads.rules import Effect, Error, ErrorKind, MergeRule
from tests.mergers.rules.test_agreement import UNSTATED
from tests.support.plans import plan_of
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from payloads import AvroSchema, Record

MICROS = {"type": "long", "logicalType": "timestamp-micros"}
NOON = int(datetime.datetime(2024, 5, 6, 12, tzinfo=datetime.timezone.utc).timestamp()) * 1_000_000


def schema_of(ts: Any = "long") -> AvroSchema:
    columns = {"ts": ts, "n": "long", "name": "string", "Op": "string", "_event_seq": "string", "_event_lsn": "long"}
    columns |= {"_event_bin_file": "string", "_event_pos": "long"}
    columns |= {"_change_operation_type": "string", "_hoodie_is_deleted": "boolean"}
    return parse_schema(record_schema("row", id="string", **{name: nullable(kind) for name, kind in columns.items()}))


def row(schema: AvroSchema, **values: Any) -> Record:
    return {field.name: values.get(field.name) for field in schema.fields} | {"id": "a"}


def said(plan: MergePlan, schema: AvroSchema, *versions: dict[str, Any]) -> list[str]:
    """Return what is said of each call that merges two versions, one a commit."""
    rows = [(number, row(schema, **values)) for number, values in enumerate(versions, start=1)]
    trace = trace_key(rows, plan, schema)
    assert trace.error is None
    return [call.rule for call in trace.calls if call.point is not MergePoint.INSERT]


DEFAULT = "DefaultHoodieRecordPayload"
SENTENCES = {
    "text": (
        plan_of(DEFAULT, "0.15"),
        schema_of("string"),
        ({"ts": "10"}, {"ts": "9"}),
        "ts '9' > '10' as text: the newer version wins",
    ),
    "text of a mode": (
        plan_of(DEFAULT, "1.2"),
        schema_of("string"),
        ({"ts": "9"}, {"ts": "10"}),
        "ts '10' < '9' as text: the older version stays",
    ),
    "timestamps": (
        plan_of(DEFAULT, "0.15"),
        schema_of(MICROS),
        ({"ts": NOON}, {"ts": NOON + 1_000_000}),
        "ts 2024-05-06T12:00:01Z > 2024-05-06T12:00:00Z: the newer version wins",
    ),
    "timestamps of a mode": (
        plan_of(DEFAULT, "1.2"),
        schema_of(MICROS),
        ({"ts": NOON}, {"ts": NOON}),
        "ts 2024-05-06T12:00:00Z = 2024-05-06T12:00:00Z, a tie: the newer version wins",
    ),
    "a null that gives way": (
        plan_of("PostgresDebeziumAvroPayload", "0.15", ordering="n"),
        schema_of(),
        ({"n": 1}, {"n": 1, "_event_lsn": 7}),
        "_event_lsn 7 after null: the newer version wins",
    ),
    "a position": (
        plan_of("MySqlDebeziumAvroPayload", "0.15", ordering="n"),
        schema_of(),
        ({"n": 1, "_event_seq": "1.9"}, {"n": 2, "_event_seq": "1.10"}),
        "_event_seq '1.10' > '1.9' as binlog positions: the newer version wins",
    ),
    "a position as text": (
        plan_of("MySqlDebeziumAvroPayload", "0.13", ordering="n"),
        schema_of(),
        ({"n": 1, "_event_seq": "1.9"}, {"n": 2, "_event_seq": "1.10"}),
        "_event_seq '1.10' < '1.9' as text: the older version stays",
    ),
    "a tie that the stored row wins": (
        plan_of("FirstValueAvroPayload", "1.0"),
        schema_of(),
        ({"ts": 2}, {"ts": 2}),
        "ts 2 = 2, a tie: the older version stays",
    ),
    "the lesser value": (
        plan_of("ReverseOrderHoodieRecordPayload", "1.2", props={"hoodie.record.merge.mode": "CUSTOM"}),
        schema_of(),
        ({"ts": 2}, {"ts": 1}),
        "ts 1 < 2, the lesser wins: the newer version wins",
    ),
    "a marker": (
        plan_of("AWSDmsAvroPayload", "0.15"),
        schema_of(),
        ({"ts": 1, "Op": "I"}, {"ts": 2, "Op": "d"}),
        "the newer version is a delete (Op is 'd'): no row is left (ts: 1, then 2)",
    ),
    "a later delete": (
        plan_of(DEFAULT, "0.15"),
        schema_of(),
        ({"ts": 1}, {"ts": 2, "_hoodie_is_deleted": True}),
        "ts 2 > 1 and the newer version is a delete (_hoodie_is_deleted is true): no row is left",
    ),
    "a delete that loses": (
        plan_of(DEFAULT, "0.15"),
        schema_of(),
        ({"ts": 2}, {"ts": 1, "_hoodie_is_deleted": True}),
        "ts 1 < 2: the older version stays",
    ),
    "several fields": (
        plan_of(DEFAULT, "1.2", ordering=("ts", "name")),
        schema_of(),
        ({"ts": 1, "name": "b"}, {"ts": 1, "name": "a"}),
        "ts, name (1, 'a') < (1, 'b'): the older version stays",
    ),
    "no field": (
        plan_of("OverwriteWithLatestAvroPayload", "0.15", ordering=()),
        schema_of(),
        ({"ts": 2}, {"ts": 1}),
        "ordering values are not compared: the newer version wins",
    ),
}


@pytest.mark.parametrize(("plan", "schema", "versions", "sentence"), SENTENCES.values(), ids=SENTENCES)
def test_a_call_says_what_held_and_what_was_compared(
    plan: MergePlan, schema: AvroSchema, versions: tuple[dict[str, Any], ...], sentence: str
) -> None:
    assert said(plan, schema, *versions)[-1] == sentence


def test_of_several_tests_the_one_that_held_is_told() -> None:
    schema = schema_of()
    versions = [(1, row(schema, ts=2, _hoodie_is_deleted=True)), (1, row(schema, ts=1))]
    trace = trace_key(versions, plan_of(DEFAULT, "1.2", ordering=()), schema)
    assert trace.calls[0].rule == (
        "the older version is a delete and has the ordering value 0 (none): the newer version wins"
    )


HISTORY = tuple(
    {
        "ts": at,
        "n": at,
        "name": name,
        "Op": "U",
        "_change_operation_type": "u",
        "_event_seq": f"1.{at}",
        "_event_bin_file": "1",
        "_event_pos": at,
        "_event_lsn": at,
    }
    for at, name in ((5, "Ann"), (3, None), (5, "Eve"), (10, None))
)


@pytest.mark.parametrize("release", HudiRelease)
@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_every_call_of_a_class_with_a_rule_is_told_by_it(release: HudiRelease, table_type: str) -> None:
    told = 0
    for payload in builtin_payloads(release):
        if payload.__name__ in {*UNSTATED, "EmptyHoodieRecordPayload"} or not payload.takes_ordering:
            continue
        plan = plan_of(payload.java_name, str(release), table_type)
        if refused_batch(plan, len(HISTORY)) is not None:  # a Debezium class has ordering fields of its own
            plan = dataclasses.replace(plan, ordering=())
        for sentence in said(plan, schema_of(), *HISTORY):
            told += 1
            assert " returns " not in sentence, (payload, sentence)
            assert ": " in sentence, (payload, sentence)
    assert told > 20


OTHER_RULES = {
    "another outcome": MergeRule(otherwise=Effect.INCOMING),
    "a failure": MergeRule(otherwise=Error(ErrorKind.FAILED)),
}


@pytest.mark.parametrize("rule", OTHER_RULES.values(), ids=OTHER_RULES)
def test_a_rule_that_is_not_what_the_class_did_is_not_told(rule: MergeRule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DefaultHoodieRecordPayload, "rule", classmethod(lambda *_: rule))
    assert said(plan_of(DEFAULT, "0.15"), schema_of(), {"ts": 5}, {"ts": 3})[-1] == (
        "combine_and_get_update_value returns the stored row (ts: 5, then 3)"
    )


def test_a_class_that_states_no_rule_is_said_to_state_none() -> None:
    noted = plan_of(DEFAULT, "0.15", props={"hoodie.payload.event.time.field": "ts"})
    own = plan_of("tests.support.user_payloads:Newest", "0.15")
    for plan, why in ((noted, "no rule covers this call"), (own, "the class states no rule")):
        assert said(plan, schema_of(), {"ts": 5}, {"ts": 7})[-1] == (
            f"{why}: combine_and_get_update_value returns the incoming row (ts: 5, then 7)"
        )


def test_hidden_values_stay_hidden() -> None:
    token = Redaction.of(["ts", "Op"]).activate()
    try:
        by_text = said(plan_of(DEFAULT, "0.15"), schema_of("string"), {"ts": "secret 2"}, {"ts": "secret 1"})
        versions = {"ts": 4711, "Op": "I"}, {"ts": 4712, "Op": "D"}
        marked = said(plan_of("AWSDmsAvroPayload", "0.15"), schema_of(), *versions)
    finally:
        token.var.reset(token)
    assert all("secret" not in one and " < " in one for one in by_text)
    assert all("471" not in one and "'D'" not in one and "is a delete (Op is" in one for one in marked)


@pytest.mark.parametrize("mode", [mode for mode in MODES if "/" not in mode])
def test_a_mode_is_told_by_its_rule(mode: str) -> None:
    (sentence,) = said(plan_of(None, "1.2", merger=mode), schema_of(), {"ts": 5}, {"ts": 3})
    expected = {
        "EVENT_TIME_ORDERING": "ts 3 < 5: the older version stays",
        "COMMIT_TIME_ORDERING": "ordering values are not compared: the newer version wins (ts: 5, then 3)",
    }
    assert sentence == expected[mode]
