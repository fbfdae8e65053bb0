from __future__ import annotations

import json
from functools import partial

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.engines.subjects import compiled
from bridge.errors import EngineError
from bridge.verify.pytest_file import pytest_text
from bridge.verify.spark_script import spark_text
from bridge.verify.verification import verify
from mergers.laws import Verdict, check_laws
from payloads import HudiRelease, PayloadRef
from tests.mergers.laws.test_counterexamples import OBSERVED, name_of
from tests.support.schemas import nullable, record_schema

BUNDLE = "org.apache.hudi:hudi-spark3.5-bundle_2.12:{}.0"
SCHEMA = record_schema("r", id="string", ts="long", n="long", v=nullable("string"))


@pytest.fixture(scope="module")
def schema_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("verify") / "rows.avsc"
    path.write_text(json.dumps(SCHEMA), "utf-8")
    return path


@pytest.fixture(scope="module")
def run(jar, schema_file):
    """Return what runs `verify` on a class of the jar."""
    return partial(_run, jar, schema_file)


def _run(jar, schema_file, name, *more, outer="Examples"):
    words = ["verify", f"com.acme.{outer}${name}", "--jar", str(jar), "--release", "0.15"]
    words += ["--package", BUNDLE.format("0.15"), "--schema", str(schema_file), "--key", "id"]
    return CliRunner().invoke(main, [*words, "--ordering", "ts", *more])


@pytest.mark.parametrize("observed", OBSERVED, ids=name_of)
def test_the_real_class_shows_what_was_observed(bundles, observed):
    name, release, law, domain, records = observed
    subject = compiled(bundles, PayloadRef(name), HudiRelease.parse(release), key=("id",))
    report = check_laws(subject.java, laws=[law], domain=domain, exhaustive=True)
    result = report.results[0]
    assert result.verdict is Verdict.VIOLATED, str(report)
    assert result.counterexample.records <= records, str(report)


@pytest.mark.parametrize("observed", [OBSERVED[-5], pytest.param(OBSERVED[-4], marks=pytest.mark.long)], ids=name_of)
def test_examples_find_it_too(bundles, observed):
    name, release, law, domain, records = observed
    subject = compiled(bundles, PayloadRef(name), HudiRelease.parse(release), key=("id",))
    result = check_laws(subject.java, laws=[law], domain=domain, exhaustive=False).results[0]
    assert result.verdict is Verdict.VIOLATED
    assert result.counterexample.records <= records


@pytest.mark.parametrize(
    ("name", "laws", "verdicts"),
    [
        ("RunningSum", "associativity,idempotence", ["proved", "violated"]),
        ("ChangesInput", "purity", ["violated"]),
        # As test_determinism_java.py, by the command.
        pytest.param("ChangesInput", "purity,determinism", ["violated", "proved"], marks=pytest.mark.long),
        ("Counting", "round-trip,schema", ["violated", "proved"]),
        ("OldestWins", "action,commutativity", ["proved", "violated"]),
    ],
)
def test_the_laws_of_a_users_class(run, name, laws, verdicts):
    answer = run(name, "--laws", laws, "--exhaustive", "--domain", "data", "--output", "json")
    assert answer.exit_code == 1, answer.output
    found = json.loads(answer.stdout)
    assert [one["verdict"] for one in found["results"]] == verdicts
    assert found["plan"]["implementation"] == "java"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Text", "ARCHIVED"),
        pytest.param("Number", 7919, marks=pytest.mark.long),
        ("LargeNumber", 123_456_789_012),
        ("Switch", "RETIRED"),
        ("OfOuter", "CLOSED"),
    ],
)
def test_constants_of_a_compiled_class_are_tried(run, name, value):
    answer = run(name, "--laws", "commutativity", "--domain", "data", "--output", "json", outer="Planted")
    assert answer.exit_code == 1, answer.output
    counterexample = json.loads(answer.stdout)["results"][0]["counterexample"]
    records = [version["record"] for version in counterexample["versions"]]
    assert value in [record["v" if isinstance(value, str) else "n"] for record in records]


@pytest.mark.usefixtures("bundles")
def test_a_port_and_its_class_agree():
    words = ["verify", "PartialUpdateAvroPayload", "--implementation", "java", "--release", "1.0"]
    answer = CliRunner().invoke(main, [*words, "--laws", "agreement", "--exhaustive", "--domain", "data,flagged,empty"])
    assert answer.exit_code == 0, answer.output
    assert answer.output.count(": proved (") == 3


def test_a_port_of_another_release_does_not_agree(bundles):
    java, port = (
        compiled(bundles, PayloadRef("OverwriteWithLatestAvroPayload"), release, key=("id",))
        for release in (HudiRelease.V0_15, HudiRelease.V1_2)
    )
    settings = {"laws": ["agreement"], "domain": "data,flagged", "exhaustive": True}
    assert check_laws(java.java, other=port.port, **settings).violations


def test_what_is_emitted_loads_the_class(jar, tmp_path, bundles):
    payload = PayloadRef("com.acme.Examples$OldestWins", jar=str(jar))
    subject = compiled(bundles, payload, HudiRelease.V0_15, key=("id",))
    settings = {"key": ("id",), "laws": ["commutativity"], "domains": ("data",), "exhaustive": True}
    found = verify(payload.name, release=HudiRelease.V0_15, subject=subject, **settings)
    path = tmp_path / "test_emitted.py"
    path.write_text(pytest_text(found), encoding="utf-8")
    assert pytest.main(["-q", "-p", "no:cacheprovider", str(path)]) == pytest.ExitCode.TESTS_FAILED
    script = spark_text(found)
    compile(script, "script", "exec")
    assert "com.acme.Examples$OldestWins" in script
    assert f"--jars {payload.jar}" in script


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["com.acme.Absent", "--implementation", "java"], 2),
        (["COMMIT_TIME_ORDERING", "--implementation", "java"], 2),
        (["com.acme.Any", "--package", "com.acme:absent:1"], 3),
    ],
)
def test_a_class_that_is_not_there_is_refused(bundles, words, code):
    assert CliRunner().invoke(main, ["verify", *words]).exit_code == code


def test_objects_stay_in_their_jvm(bundles):
    subject = compiled(bundles, PayloadRef("HoodieAvroPayload"), HudiRelease.V1_2)
    with pytest.raises(TypeError, match="stay in their JVM"):
        subject.java.algebra.__reduce__()
    with pytest.raises(EngineError, match="can't be resolved"):
        compiled(bundles, PayloadRef("com.acme.Any", package=("com.acme:absent:1",)), HudiRelease.V1_2)
