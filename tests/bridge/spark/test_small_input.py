from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.errors import InputError
from bridge.pipeline.files import read_batches, read_frame
from bridge.spark import small_input
from tests.benchmarks.small import ROOT, write_batches
from tests.support.one_task import change, settings_of

PLAN = ("--payload", "AWSDmsAvroPayload", "--key", "id", "--partition", "part", "--ordering", "ts")
# What is asked, and how many Spark jobs it takes at most, each of one stage; None: any number.
COMMANDS = {
    "replay": (("replay", *PLAN, "--table-type", "mor", "--compact-after", "3", "--from", "0.15", "--to", "1.2"), 7),
    "simulate": (("simulate", *PLAN, "--table-type", "both", "--compact-after", "3", "--release", "0.15"), 7),
    "explain": (("explain", *PLAN, "--table-type", "both", "--release", "0.15", "--row", "k007"), None),
}


@pytest.fixture
def one_task(spark):
    """Let the session that all tests share do everything in one task; what only a new session takes is left out."""
    settings = settings_of(spark)
    assert len(settings) > 3
    assert not small_input.in_one_task(spark)
    before = change(spark, settings)
    assert small_input.in_one_task(spark)
    yield spark
    change(spark, before)
    spark.catalog.clearCache()


@pytest.fixture(scope="module")
def batches(tmp_path_factory):
    """Five batches; the last brings a column."""
    folder = tmp_path_factory.mktemp("small") / "batches"
    write_batches(folder)
    last = folder / "5.json"
    rows = [json.loads(line) | {"extra": 1.5} for line in last.read_text().splitlines()]
    last.write_text("\n".join(map(json.dumps, rows)))
    return folder


def asked(name, batches):
    words, _ = COMMANDS[name]
    result = CliRunner().invoke(main, [*words, "--batches", str(batches), "--output", "json"])
    assert result.exit_code in {0, 1}, result.output
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize("name", ["replay", pytest.param("simulate", marks=pytest.mark.long), "explain"])
def test_one_task_answers_as_many_do(spark, batches, name, request):
    expected = asked(name, batches)
    request.getfixturevalue("one_task")
    spark.sparkContext.setJobGroup(name, name)
    try:
        assert asked(name, batches) == expected
    finally:
        spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    status = spark.sparkContext.statusTracker()
    jobs = [status.getJobInfo(job) for job in status.getJobIdsForGroup(name)]
    _, most = COMMANDS[name]
    if most is None:
        return
    assert len(jobs) <= most
    shuffling = [[status.getStageInfo(stage).name for stage in job.stageIds] for job in jobs if len(job.stageIds) > 1]
    assert shuffling == []


@pytest.mark.parametrize(
    ("file", "text"), [("2.json", '{"id": "a", "ts": 1'), ("2.csv", "id,ts\na,1\nb,2,3\n"), ("2.csv", "id,ts\n")]
)
def test_a_bad_file_is_named(one_task, tmp_path, file, text):
    suffix = file.partition(".")[2]
    (tmp_path / f"1.{suffix}").write_text('{"id": "a", "ts": 1}\n' if suffix == "json" else "id,ts\na,1\n")
    (tmp_path / file).write_text(text)
    words = ("--payload", "DefaultHoodieRecordPayload", "--key", "id", "--ordering", "ts", "--batches", str(tmp_path))
    result = CliRunner().invoke(main, ["simulate", *words])
    assert result.exit_code == 3
    assert file in result.stderr
    assert not result.stdout


LINES = {
    "numbers": ('{"a": 1, "b": 1.5, "c": 1}', '{"a": 99999999999999999999, "b": 2, "c": "x", "d": -0.0}'),
    "nulls": ('{"a": null, "b": [], "c": {}}', '{"b": [null], "c": {"d": null}}'),
    "nested": ('{"a": [{"x": 1}, {"y": "z"}], "b": {"c": [1, 2.5]}}', "", '  {"a": [], "b": {"c": null}, "ä b`.c": 1}'),
    "not a number": ('{"a": NaN, "b": 1e400}', '{"a": 1, "b": -Infinity}'),
    "unlike": ('{"a": {"x": 1}, "b": [1], "c": true}', '{"a": 1, "b": {"x": 1}, "c": "2024-01-01"}'),
    "repeated": ('{"a": 1, "a": "x"}',),
    "not objects": ('[{"a": 1}, {"b": 2}]', '{"c": 3}'),
    "two in a line": ('{"a": 1} {"b": 2}', '{"a": 2}'),
    "commas": ('{"a": 1}, {"b": 2}', '{"a": 2}'),
    "nothing": ("",),
    "cut": ('{"a": 1',),
}


def schema_or_error(spark, path):
    try:
        return read_frame(spark, path).schema
    except InputError as error:
        return str(error)


@pytest.mark.parametrize("name", LINES)
def test_the_schema_of_json_is_what_the_reader_infers(spark, tmp_path, name, request):
    path = tmp_path / "a.json"
    path.write_text("\n".join(LINES[name]), "utf-8")
    expected = schema_or_error(spark, path)
    request.getfixturevalue("one_task")
    assert schema_or_error(spark, path) == expected


def test_the_schema_of_plain_json_takes_no_job(one_task, batches):
    one_task.sparkContext.setJobGroup("plain", "plain")
    try:
        read = read_batches(one_task, batches, check=False)
    finally:
        one_task.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    assert [len(batch.frame.columns) for batch in read] == [7, 7, 7, 7, 8]
    assert one_task.sparkContext.statusTracker().getJobIdsForGroup("plain") == []


def test_an_error_of_a_payload_is_said_as_in_many_tasks(spark, tmp_path, request):
    (tmp_path / "1.json").write_text('{"id": "a", "ts": 1}\n{"id": null, "ts": 2}\n')
    words = ("--payload", "DefaultHoodieRecordPayload", "--key", "id", "--ordering", "ts", "--batches", str(tmp_path))
    expected = CliRunner().invoke(main, ["simulate", *words])
    assert expected.exit_code == 3
    request.getfixturevalue("one_task")
    assert CliRunner().invoke(main, ["simulate", *words]).stderr == expected.stderr


def test_the_size_of_all_files_makes_an_input_small(tmp_path):
    folder = tmp_path / "batches"
    (folder / "2").mkdir(parents=True)
    (folder / "1.json").write_bytes(bytes(small_input.SMALL // 2))
    (folder / "2" / "a.json").write_bytes(bytes(small_input.SMALL // 2))
    assert small_input.is_small(folder)
    assert small_input.is_small(folder / "1.json")
    (folder / "2" / "b.json").write_bytes(b"1")
    assert not small_input.is_small(folder)


def test_the_daemon_of_python_workers_starts():
    """It loads the engine, says its port, and ends with its input."""
    command = [sys.executable, "-m", small_input.SETTINGS["spark.python.daemon.module"]]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert (len(done.stdout), done.stderr) == (4, b"")


def test_workers_look_into_no_archive_of_spark(spark):
    """Before each task a worker reads the directory of every archive on its import path anew."""

    def look(_):
        import sys  # noqa: PLC0415 (in a worker)
        import zipimport  # noqa: PLC0415

        return [name for name, one in sys.path_importer_cache.items() if isinstance(one, zipimport.zipimporter)]

    assert spark.sparkContext.parallelize([0], 1).map(look).collect() == [[]]
