"""Golden vectors of real Hudi, and the runner that judges them."""

from __future__ import annotations

import collections
import copy
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from payloads.errors import NullOrderingError, OrderingTypeError, PayloadBridgeError
from payloads.release import HudiRelease
from tests.conformance.__main__ import main
from tests.conformance.errors import Kind, kind_of, kind_of_java
from tests.conformance.support import gaps_of
from tests.conformance.vector import Vector
from tests.conformance.vectors import Result, run, select

GOLDEN = Path(__file__).parent / "golden"
SCHEMAS = json.loads((GOLDEN / "schemas.json").read_text(encoding="utf-8"))


def _groups():
    groups = collections.defaultdict(list)
    for vector in select(GOLDEN):
        if not any(gaps_of(vector)):
            groups[str(vector.release), vector.op, vector.short_class].append(vector)
    return dict(sorted(groups.items()))


GROUPS = _groups()


@pytest.mark.parametrize("group", GROUPS, ids="-".join)
def test_hudi_gave_the_same_answer(group):
    verdicts = [run(vector) for vector in GROUPS[group] if not vector.optional]
    failures = [(verdict.vector.id, verdict.reasons) for verdict in verdicts if verdict.result is not Result.PASSED]
    assert not failures


def test_every_release_and_every_payload_operation_is_covered():
    covered = {(release, op) for release, op, _ in GROUPS}
    operations = ("construct", "insert_value", "pre_combine", "combine", "chain", "extract_ordering")
    assert {(str(release), op) for release in HudiRelease for op in operations} <= covered


# -- the runner itself: what it must not let pass


def _passing(op, where=lambda _: True):
    """Return the JSON of the first vector of an operation that passes and meets a condition."""
    for (_, group_op, _), members in GROUPS.items():
        for vector in members:
            if group_op == op and not vector.optional and where(vector.raw) and run(vector).result is Result.PASSED:
                return copy.deepcopy(vector.raw)
    pytest.fail(f"no vector of {op} is left to bend")


def _judge(raw):
    return run(Vector(raw, SCHEMAS))


def _has_record(raw):
    return bool(raw["expect"].get("record"))


def _fails_with(*types):
    return lambda raw: raw["expect"].get("error", {}).get("type", "").endswith(types)


@pytest.mark.parametrize("op", ["construct", "insert_value", "pre_combine", "combine"])
def test_another_record_fails(op):
    raw = _passing(op, lambda raw: _has_record(raw) and raw["schema"] == "isdel")
    raw["expect"]["record"]["val"] += "x"
    verdict = _judge(raw)
    assert verdict.result is Result.FAILED
    assert verdict.reasons[0].startswith("record: ")


def test_a_missing_record_fails():
    raw = _passing("insert_value", _has_record)
    raw["expect"].update(outcome="empty", record=None)
    assert len(_judge(raw).reasons) == 2


@pytest.mark.parametrize(
    ("value", "bent"),
    [(0.0, -0.0), (1.5, 1.25), (None, {"double": 0.0}), ({"double": "NaN"}, {"double": "Infinity"})],
)
def test_values_are_told_apart_by_value_and_type(value, bent):
    raw = _passing("insert_value", lambda raw: _has_record(raw) and raw["schema"] == "isdel")
    wrapped = value if value is None or isinstance(value, dict) else {"double": value}
    raw["records"][0]["value"]["amt"] = raw["expect"]["record"]["amt"] = wrapped
    assert _judge(raw).result is Result.PASSED
    raw["expect"]["record"]["amt"] = bent if bent is None or isinstance(bent, dict) else {"double": bent}
    assert _judge(raw).result is Result.FAILED


def test_the_branch_of_a_union_counts():
    raw = _passing("insert_value", lambda raw: _has_record(raw) and raw["schema"] == "pg_union3")
    raw["records"][0]["value"]["mix"] = raw["expect"]["record"]["mix"] = {"int": 2}
    assert _judge(raw).result is Result.PASSED
    raw["expect"]["record"]["mix"] = {"string": "2"}
    assert _judge(raw).result is Result.FAILED


def test_another_winner_fails():
    raw = _passing("combine", lambda raw: raw["expect"].get("winner") == 0)
    raw["expect"]["winner"] = 1
    assert _judge(raw).reasons == ("winner: expected 1, got 0",)


def test_another_java_type_of_an_ordering_value_fails():
    raw = _passing("construct", lambda raw: raw["expect"].get("ordering", {}).get("type") == "long")
    raw["expect"]["ordering"]["type"] = "int"
    assert _judge(raw).result is Result.FAILED


@pytest.mark.parametrize("field", ["is_deleted", "insert_outcome", "payload_class", "metadata", "can_produce_sentinel"])
def test_every_field_of_a_payload_view_counts(field):
    raw = _passing("construct", lambda raw: "is_deleted" in raw["expect"])
    raw["expect"][field] = "something else"
    verdict = _judge(raw)
    assert [reason.partition(":")[0] for reason in verdict.reasons] == [field]


def test_identity_and_equals_are_not_compared():
    raw = _passing("combine", lambda raw: raw["expect"].get("identity") == "new")
    raw["expect"].update(identity="older", equals=[])
    assert _judge(raw).result is Result.PASSED


@pytest.mark.parametrize("fold", ["precombine_left", "precombine_right", "storage_sequential", "storage_batched"])
def test_every_fold_of_a_chain_counts(fold):
    raw = _passing("chain", lambda raw: fold in raw["expect"] and "error" not in raw["expect"][fold])
    raw["expect"][fold]["record"] = None if raw["expect"][fold].get("record") else {}
    verdict = _judge(raw)
    assert [reason.partition(":")[0] for reason in verdict.reasons] == [f"{fold}.record"]


def test_associativity_counts():
    raw = _passing("chain")
    raw["expect"]["associative"]["precombine"] = not raw["expect"]["associative"]["precombine"]
    assert _judge(raw).reasons[0].startswith("associative.precombine: ")


# -- errors


def test_a_result_where_an_error_is_expected_fails():
    raw = _passing("combine", _has_record)
    raw["expect"] = {"error": {"stage": "op", "type": "java.lang.IllegalArgumentException", "message": ""}}
    assert "got {" in _judge(raw).reasons[0]


def test_an_error_where_a_result_is_expected_fails():
    raw = _passing("pre_combine", _fails_with("ClassCastException"))
    raw["expect"] = {"winner": 1}
    assert _judge(raw).reasons[0].startswith("the answer: expected a result, got ")


def test_an_error_of_another_kind_fails():
    raw = _passing("pre_combine", _fails_with("ClassCastException"))
    raw["expect"]["error"].update(type="java.lang.UnsupportedOperationException", message="")
    assert "expected an error of kind 'unsupported operation'" in _judge(raw).reasons[0]


def test_an_error_at_another_stage_fails():
    raw = _passing("construct", lambda raw: "error" in raw["expect"])
    raw["expect"]["error"]["stage"] = "op"
    assert _judge(raw).result is Result.FAILED


def test_an_exception_of_another_root_class_fails(monkeypatch):
    raw = _passing("pre_combine", _fails_with("ClassCastException"))

    def foreign(*_):
        msg = "a bug"
        raise TypeError(msg)

    payload = Vector(raw, SCHEMAS).payload(1)
    monkeypatch.setattr(type(payload), "pre_combine", foreign)
    assert "got the foreign TypeError at op: a bug" in _judge(raw).reasons[0]


def test_a_record_that_the_call_changed_fails(monkeypatch):
    raw = _passing("combine", _has_record)

    def careless(_, current, *__):
        current.clear()
        return current

    payload = Vector(raw, SCHEMAS).payload(1)
    monkeypatch.setattr(type(payload), "combine_and_get_update_value", careless)
    assert "record 0: the call changed it" in _judge(raw).reasons


@pytest.mark.parametrize(
    ("java_type", "message", "kind"),
    [
        (
            "java.lang.ClassCastException",
            "class java.lang.Integer cannot be cast to class java.lang.Long",
            Kind.ORDERING_TYPE,
        ),
        (
            "java.lang.ClassCastException",
            "class org.apache.hudi.common.model.A cannot be cast to class org.apache.hudi.common.model.B",
            Kind.OTHER,
        ),
        ("org.apache.hudi.exception.HoodieException", "Ordering value is null for record: null", Kind.NULL_ORDERING),
        ("org.apache.avro.AvroRuntimeException", "Not a valid schema field: Op", Kind.SCHEMA),
        ("java.lang.UnsupportedOperationException", None, Kind.UNSUPPORTED),
        ("java.util.NoSuchElementException", "No value present in Option", Kind.OTHER),
    ],
)
def test_a_java_exception_has_one_kind(java_type, message, kind):
    assert kind_of_java({"type": java_type, "message": message}, None) is kind


def test_a_wrapping_java_exception_has_the_kind_of_its_cause():
    causes = [
        {"type": "java.lang.reflect.InvocationTargetException", "message": None},
        {"type": "org.apache.avro.AvroRuntimeException", "message": "Not a valid schema field: Op"},
    ]
    wrapped = {"type": "org.apache.hudi.exception.HoodieException", "message": "Unable to instantiate payload class "}
    assert kind_of_java({**wrapped, "causes": causes}, None) is Kind.SCHEMA


def test_every_error_class_of_the_project_has_a_kind():
    assert kind_of(OrderingTypeError("")) is Kind.ORDERING_TYPE
    assert kind_of(NullOrderingError("")) is Kind.NULL_ORDERING
    assert kind_of(PayloadBridgeError("")) is Kind.OTHER


# -- the command line


def _directory(tmp_path, *raws):
    (tmp_path / "schemas.json").write_text(json.dumps(SCHEMAS), encoding="utf-8")
    folder = tmp_path / "any-release"
    folder.mkdir()
    (folder / "some.jsonl").write_text("".join(f"{json.dumps(raw)}\n" for raw in raws), encoding="utf-8")
    return str(tmp_path)


def _command(*arguments):
    return CliRunner().invoke(main, ["vectors", *arguments])


def test_the_command_passes_a_directory_of_the_format(tmp_path):
    result = _command(_directory(tmp_path, _passing("combine"), _passing("chain")))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 optional failed")


def test_the_command_fails_on_a_bent_vector(tmp_path):
    bent = _passing("combine", lambda raw: raw["expect"].get("winner") == 0)
    bent["expect"]["winner"] = 1
    result = _command(_directory(tmp_path, bent))
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "0 passed, 1 failed, 0 optional failed")
    assert f"FAIL {bent['id']}" in result.output


def test_an_optional_failure_is_counted_apart(tmp_path):
    bent = _passing("combine", lambda raw: raw["expect"].get("winner") == 0)
    bent["expect"]["winner"], bent["optional"] = 1, True
    result = _command(_directory(tmp_path, bent), "--output", "json")
    report = json.loads(result.output)
    assert (result.exit_code, report["summary"]) == (0, "0 passed, 0 failed, 1 optional failed")
    assert report["failures"][0]["reasons"] == ["winner: expected 1, got 0"]


def test_an_unreadable_vector_fails_alone(tmp_path):
    broken = _passing("combine")
    del broken["schema"]
    result = _command(_directory(tmp_path, broken, _passing("combine")))
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 optional failed")


def test_the_command_names_what_is_not_supported_yet(tmp_path):
    unknown = {**_passing("combine"), "payload_class": "com.example.Unknown"}
    result = _command(_directory(tmp_path, unknown))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "0 passed, 0 failed, 0 optional failed")
    assert "payload class Unknown" in result.output


@pytest.mark.parametrize("release", ["0.15", "0.15.0"])
@pytest.mark.parametrize("name", ["AWSDmsAvroPayload", "org.apache.hudi.common.model.AWSDmsAvroPayload"])
def test_vectors_are_selected_by_release_class_and_operation(release, name):
    chosen = list(select(GOLDEN, release, name, "combine"))
    assert {(v.release, v.short_class, v.op) for v in chosen} == {(HudiRelease.V0_15, "AWSDmsAvroPayload", "combine")}
