"""Golden vectors of real Hudi, and the runner that judges them."""

from __future__ import annotations

import copy
import functools
import gzip
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from payloads import registry
from payloads.errors import NullOrderingError, OrderingTypeError, PayloadBridgeError
from payloads.release import HudiRelease
from tests.conformance import pins
from tests.conformance import vector as golden
from tests.conformance.__main__ import main
from tests.conformance.checks import check_vectors
from tests.conformance.errors import Kind, kind_of, kind_of_java
from tests.conformance.vector import Schemas, Vector
from tests.conformance.vector_report import VectorReport
from tests.conformance.vectors import Result, run, select
from tests.support import GOLDEN

STATED = json.loads((GOLDEN / "schemas.json").read_text(encoding="utf-8"))
SCHEMAS = Schemas(STATED)


RELEASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


@pytest.mark.parametrize("release", RELEASES)
def test_hudi_gave_the_same_answers(release):
    """The optional ones too, but for those that are pinned; and as many as are pinned."""
    report = check_vectors(GOLDEN / release)
    assert [(verdict.vector.id, verdict.reasons) for verdict in report.failures if not report.is_excused(verdict)] == []
    assert (report.drops, report.notes) == ([], [])
    assert report.succeeded


def test_every_release_and_every_payload_operation_is_covered():
    assert [HudiRelease.parse(release) for release in RELEASES] == list(HudiRelease)
    covered = {tuple(label.split("/")[:2]) for label in pins.read(GOLDEN).counts["vectors"]}
    operations = ("construct", "insert_value", "pre_combine", "combine", "chain", "extract_ordering")
    assert {(str(release), op) for release in HudiRelease for op in operations} <= {
        (str(HudiRelease.parse(release)), op) for release, op in covered
    }


# -- the runner itself: what it must not let pass


@functools.cache
def _vectors():
    return sorted(select(GOLDEN / "0.15.0"), key=lambda vector: (vector.op, vector.short_class))


def _passing(op, where=lambda _: True):
    """Return the JSON of the first vector of an operation that passes and meets a condition."""
    for vector in _vectors():
        if vector.op == op and not vector.optional and where(vector.raw) and run(vector).result is Result.PASSED:
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
def test_values_are_distinguished_by_value_and_type(value, bent):
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
    (tmp_path / "schemas.json").write_text(json.dumps(STATED), encoding="utf-8")
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


def test_an_unreadable_vector_does_not_fail_the_others(tmp_path):
    broken = _passing("combine")
    del broken["schema"]
    result = _command(_directory(tmp_path, broken, _passing("combine")))
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 optional failed")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"payload_class": "com.example.Unknown"}, "unknown payload 'com.example.Unknown'"),
        ({"op": "merge_all"}, "the runner has no operation 'merge_all'"),
        ({"hudi_version": "9.0"}, "unknown Hudi release '9.0'"),
    ],
)
def test_what_is_not_supported_fails(tmp_path, change, reason):
    result = _command(_directory(tmp_path, {**_passing("combine"), **change}))
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "0 passed, 1 failed, 0 optional failed")
    assert reason in result.output


def test_a_class_that_hudi_lacks_may_be_expected(tmp_path):
    raw = {**_passing("combine"), "payload_class": "com.example.Unknown"}
    raw["expect"] = {"error": {"stage": "construct[1]", "type": "java.lang.ClassNotFoundException", "message": "x"}}
    result = _command(_directory(tmp_path, raw))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "1 passed, 0 failed, 0 optional failed")


@pytest.mark.parametrize("text", ["{", "[]", '{"id": "x"}', "null", "\udcff"])
def test_a_line_that_is_not_a_vector_does_not_fail_the_others(tmp_path, text):
    directory = _directory(tmp_path, _passing("combine"))
    with (tmp_path / "any-release" / "some.jsonl").open("ab") as file:
        file.write(text.encode(errors="surrogateescape"))
    result = _command(directory)
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 optional failed")
    assert "FAIL any-release/some.jsonl:2" in result.output


@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_file_that_is_cut_off_fails(tmp_path, kept):
    directory = _directory(tmp_path, _passing("combine"))
    data = gzip.compress("".join(f"{json.dumps(_passing('chain'))}\n" for _ in range(5)).encode())
    (tmp_path / "any-release" / "other.jsonl.gz").write_bytes(data[: int(len(data) * kept)])
    result = _command(directory)
    assert result.exit_code == 1
    assert "FAIL any-release/other.jsonl.gz" in result.output


# -- an empty selection


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--class", "AWSDmsAvroPayloda"), "nothing has --class AWSDmsAvroPayloda; did you mean AWSDmsAvroPayload"),
        (("--class", "debezium"), "did you mean MySqlDebeziumAvroPayload, PostgresDebeziumAvroPayload?"),
        (("--class", "org.apache.hudi.model.AWSDmsAvroPayload"), "org.apache.hudi.common.model.AWSDmsAvroPayload"),
        (("--op", "x"), "nothing has --op x; "),
        (("--op", "combin"), "did you mean combine"),
        (("--release", "9"), "unknown Hudi release '9'; choose one of 0.12, 0.13, 0.14, 0.15, 1.0, 1.1, 1.2"),
        (("--release", "1.2"), "nothing has --release 1.2; did you mean 1.0?"),
        (("--class", "AWSDmsAvroPayload", "--op", "chain"), "has --class AWSDmsAvroPayload and --op chain"),
    ],
)
def test_an_empty_selection_is_refused(tmp_path, options, sentence):
    classes = ("AWSDmsAvroPayload", "debezium.MySqlDebeziumAvroPayload", "debezium.PostgresDebeziumAvroPayload")
    raws = [
        {**_passing("combine"), "hudi_version": "1.0.2", "payload_class": f"org.apache.hudi.common.model.{name}"}
        for name in classes
    ]
    result = _command(_directory(tmp_path, *raws, {**raws[-1], "op": "chain"}), *options)
    assert result.exit_code == 2
    assert sentence in result.output


def test_a_directory_without_vectors_is_refused(tmp_path):
    assert "there is no schemas.json in" in _command(str(tmp_path)).output
    shutil.copy(GOLDEN / "schemas.json", tmp_path)
    result = _command(str(tmp_path))
    assert result.exit_code == 2
    assert "there are no vectors below" in result.output


# -- pins


@pytest.fixture
def pinned(tmp_path):
    """A directory with two files of one release, pinned."""
    raws = [_passing(op) for op in ("combine", "chain", "construct")]
    _directory(tmp_path, *raws)
    (tmp_path / "any-release").rename(tmp_path / raws[0]["hudi_version"])
    assert CliRunner().invoke(main, ["pin", str(tmp_path)]).exit_code == 0
    return tmp_path


def _lines(directory):
    (path,) = directory.glob("*/some.jsonl")
    return path, path.read_text().splitlines(keepends=True)


def test_a_truncated_file_of_a_pinned_directory_fails(pinned):
    assert _command(str(pinned)).exit_code == 0
    path, lines = _lines(pinned)
    path.write_text("".join(lines[:-1]))
    for directory in (pinned, path.parent):
        result = _command(str(directory))
        assert (result.exit_code, result.output.splitlines()[-1]) == (1, "2 passed, 0 failed, 0 optional failed")
        assert f"{path.parent.name}/construct/" in result.output
        assert ": 1 pinned, 0 found" in result.output
    assert _command(str(pinned), "--op", "combine").exit_code == 0


def test_vectors_that_are_not_pinned_yet_are_named(pinned):
    path, lines = _lines(pinned)
    path.write_text("".join([*lines, lines[0]]))
    result = _command(str(pinned))
    assert result.exit_code == 0
    assert ": 1 pinned, 2 found" in result.output


def test_pinning_again_refuses_to_hide_a_drop(pinned):
    path, lines = _lines(pinned)
    before = (pinned / pins.FILE).read_text()
    path.write_text("".join(lines[:-1]))
    result = CliRunner().invoke(main, ["pin", str(pinned)])
    assert result.exit_code == 1
    assert ": 1 pinned, 0 found" in result.output
    assert (pinned / pins.FILE).read_text() == before
    assert CliRunner().invoke(main, ["pin", str(pinned), "--allow-drop"]).exit_code == 0
    assert _command(str(pinned)).exit_code == 0


def test_an_optional_vector_of_a_pinned_directory_must_pass_unless_it_is_pinned_as_failing(pinned):
    path, lines = _lines(pinned)
    bent = {**json.loads(lines[0]), "optional": True, "id": "an/accident"}
    expect, bent["expect"] = bent["expect"], {"outcome": "nonsense"}
    path.write_text("".join([*lines, f"{json.dumps(bent)}\n"]))
    assert _command(str(pinned)).output.splitlines()[-1] == "3 passed, 1 failed, 0 optional failed"
    result = CliRunner().invoke(main, ["pin", str(pinned)])
    assert result.exit_code == 1
    assert "an/accident: give the --reason" in result.output
    assert CliRunner().invoke(main, ["pin", str(pinned), "--reason", "an accident of Java"]).exit_code == 0
    result = _command(str(pinned))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "3 passed, 0 failed, 1 optional failed")
    bent["expect"] = expect
    path.write_text("".join([*lines, f"{json.dumps(bent)}\n"]))
    result = _command(str(pinned))
    assert result.exit_code == 0
    assert "an/accident passes, but is pinned as one that fails" in result.output


def test_every_pinned_failure_has_a_reason():
    failing = pins.read(GOLDEN).optional_failures
    assert len(failing) == 33
    assert all(failing.values())


def test_a_class_that_is_not_shipped_any_more_fails(monkeypatch):
    """Its vectors are still there, and each is a failure."""
    kept = tuple(found for found in registry.builtin_payloads() if found.__name__ != "AWSDmsAvroPayload")
    chosen = [vector for vector in _vectors() if (vector.short_class, vector.op) == ("AWSDmsAvroPayload", "combine")]
    caches = (registry._java_names, golden.resolve)
    try:
        monkeypatch.setattr(registry, "_builtin_classes", lambda: kept)
        for cache in caches:
            cache.cache_clear()
        report = VectorReport(map(run, chosen))
    finally:
        monkeypatch.undo()
        for cache in caches:
            cache.cache_clear()
    assert not report.succeeded
    assert report.total["failed"] + report.total["opt.fail"] == len(chosen) > 100
    assert "unknown payload 'org.apache.hudi.common.model.AWSDmsAvroPayload'" in report.failures[0].reasons[0]


@pytest.mark.parametrize("release", ["0.15", "0.15.0"])
@pytest.mark.parametrize("name", ["AWSDmsAvroPayload", "org.apache.hudi.common.model.AWSDmsAvroPayload"])
def test_vectors_are_selected_by_release_class_and_operation(tmp_path, release, name):
    one = {**_passing("combine"), "payload_class": "org.apache.hudi.common.model.AWSDmsAvroPayload"}
    others = [{"hudi_version": "1.0.2"}, {"payload_class": "com.example.X"}, {"op": "chain"}]
    directory = Path(_directory(tmp_path, one, *({**one, **other} for other in others)))
    assert len(select(directory)) == 4
    assert [vector.raw for vector in select(directory, release, name, "combine")] == [one]
