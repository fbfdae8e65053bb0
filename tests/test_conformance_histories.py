"""Every table history, run in this process, and what the runner must not let pass."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import gzip
import json
import shutil
from contextlib import ExitStack

import pytest
from click.testing import CliRunner

from payloads.release import HudiRelease
from tests.conformance import in_process, pins
from tests.conformance.__main__ import main
from tests.conformance.all_sets import checks
from tests.conformance.checks import check_histories
from tests.conformance.histories import READ, Commit, columns_of, differences, load, outcomes, parse_value
from tests.support import GOLDEN, HISTORIES, MERGES, OLDER_TABLES, OPERATIONS, SETTINGS, STAGES, UPGRADED


def no_spark():
    pytest.fail("Spark is not needed")


@pytest.mark.parametrize(
    "directory", [HISTORIES, SETTINGS, OPERATIONS, MERGES, UPGRADED, STAGES], ids=lambda path: path.name
)
def test_every_snapshot_is_real_hudis(directory):
    """`tests/test_conformance_spark.py` runs some of them through Spark."""
    report = check_histories(directory, no_spark)
    assert [f"{outcome.history}: {outcome.differences}" for outcome in report.failures] == []
    assert (report.drops, report.notes) == ([], [])
    assert report.succeeded
    assert report.last_line == f"{len(pins.read(directory).counts['histories'])} passed, 0 failed, 0 optional failed"


@pytest.fixture(scope="module")
def history():
    (found,) = load(HISTORIES, "0.15.0", "order-by-timestamp-mor")
    return found


def test_the_demo_data_of_the_package_is_part_of_the_histories():
    linked = [folder for folder in HISTORIES.glob("*/*") if folder.is_symlink()]
    assert {folder.name for folder in linked} == {"default-cow", "default-mor", "dms-cow", "dms-mor"}
    assert {found.folder for found in load(HISTORIES, "0.15", "dms")} == {"dms-cow", "dms-mor"}


def test_a_history_is_read_with_its_types(history):
    row = history.commits[1].snapshot[0]
    assert (history.release, history.case, history.rule) == (
        HudiRelease.V0_15,
        "order-by-timestamp",
        "DefaultHoodieRecordPayload",
    )
    assert isinstance(row["t"], datetime.datetime)
    assert isinstance(row["d"], datetime.date)
    assert row["dec"].as_tuple().exponent == -2
    assert history.commits[0].incoming[0].keys() == columns_of(history.schema_ddl).keys()


@pytest.mark.parametrize("name", ["history.json", "history.json.gz"])
def test_plain_and_compressed_files_are_read(tmp_path, name):
    text = gzip.decompress((HISTORIES / "0.15.0" / "dms-cow" / "history.json.gz").read_bytes())
    folder = tmp_path / "any" / "case-cow"
    folder.mkdir(parents=True)
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    (found,) = load(tmp_path)
    assert len(found.commits) == len(json.loads(text)["commits"])


def test_the_recorded_snapshots_pass(history):
    answers = [(history, number, commit.snapshot) for number, commit in enumerate(history.commits, start=1)]
    (outcome,) = outcomes(answers, [history])
    assert outcome.differences == ()


def test_an_upgraded_history_has_what_the_later_release_read():
    (found,) = load(UPGRADED / "0.15.0-to-1.2.0-upgraded", case="mysql-mor")
    assert str(found) == "0.15 to 1.2 (upgraded) mysql-mor"
    assert (found.upgrade.after, found.upgrade.keeps_version) == (3, False)
    assert found.upgrade.read == found.snapshots[READ] != found.snapshots[3]

    changed = found.snapshots | {READ: found.snapshots[3]}
    (outcome,) = outcomes(((found, number, rows) for number, rows in changed.items()), [found])
    assert outcome.differences[0] == "read before any write:"


def test_a_later_release_that_could_not_read_the_table_has_no_snapshot():
    (found,) = load(UPGRADED / "1.0.2-to-1.2.0-upgraded", case="first-value-mor")
    assert found.error
    assert list(found.snapshots) == [1, 2, 3]


def test_a_row_upserted_after_an_sql_delete_fails_as_in_1_0_2():
    """Where the recorded tables stop: a delete with Integer 0 in the log, and a row whose ordering value is a Long."""
    given = json.loads((OPERATIONS / "cases.json").read_text("utf-8"))
    batches = {case["case"]: given["batches"][case["batches"]] for case in given["cases"]}
    stopped = [one for one in load(OPERATIONS / "0.15.0-to-1.0.2-upgraded") if one.case.startswith("sql-")]
    assert len(stopped) == 12
    for one in stopped:
        assert "Integer cannot be cast to class java.lang.Long" in one.error
        rows = tuple(dict(zip(columns_of(one.schema_ddl), row, strict=True)) for row in batches[one.case][-1])
        assert len(batches[one.case]) == len(one.commits) + 1
        longer = dataclasses.replace(one, commits=(*one.commits, Commit(rows, (), compacted_inline=False)))
        failed = {str(found) for _, _, found in in_process.run_histories([longer])}
        assert any("ordering values of type int and long can't be compared" in text for text in failed), failed


def test_rows_count_as_a_multiset_in_any_order(history):
    rows = history.commits[0].snapshot
    assert differences(rows, reversed(rows)) == []
    assert len(differences(rows, [*rows, rows[0]])) == 1


def test_a_commit_without_an_answer_fails(history):
    (outcome,) = outcomes([(history, 1, history.commits[0].snapshot)], [history])
    assert outcome.differences == ("after commit 2:", "there is no answer")


@pytest.mark.parametrize(
    ("column", "bent"),
    [("qty", 99), ("qty", 1.0), ("name", "another"), ("t", datetime.datetime(2001, 1, 1)), ("dec", decimal.Decimal(9))],  # noqa: DTZ001 (snapshots are in UTC without saying so)
)
def test_a_bent_value_fails(history, column, bent):
    rows = [dict(row) for row in history.commits[0].snapshot]
    rows[0][column] = bent
    missing, extra = differences(history.commits[0].snapshot, rows)
    assert missing.startswith("missing: ")
    assert f"{column}={bent!r}" in extra or isinstance(bent, datetime.datetime)


@pytest.mark.parametrize(
    ("left", "right", "same"), [(0.0, -0.0, False), (1, True, False), (float("nan"),) * 2 + (True,)]
)
def test_values_are_compared_with_their_type(left, right, same):
    assert (differences([{"x": left}], [{"x": right}]) == []) is same


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("decimal(10,2)", "-0.5", decimal.Decimal("-0.50")),
        ("date", "2019-12-17", datetime.date(2019, 12, 17)),
        ("timestamp", "2019-12-31T23:59:59.985555Z", datetime.datetime(2019, 12, 31, 23, 59, 59, 985555)),  # noqa: DTZ001
        ("double", 1, 1.0),
        ("string", None, None),
    ],
)
def test_text_becomes_the_value_of_its_column(kind, text, value):
    assert repr(parse_value(kind, text)) == repr(value)


def test_the_columns_of_a_ddl():
    ddl = "id string NOT NULL, amount decimal(10, 2), tags map<string,int>, `when` TIMESTAMP COMMENT 'x'"
    assert columns_of(ddl) == {
        "id": "string",
        "amount": "decimal(10, 2)",
        "tags": "map<string,int>",
        "when": "timestamp",
    }


def test_rows_of_another_plan_fail(history):
    """The engine of this process takes part in what it answers."""
    others = dataclasses.replace(history, payload_class="org.apache.hudi.common.model.OverwriteWithLatestAvroPayload")
    (outcome,) = outcomes(in_process.run_histories([others]), [others])
    assert outcome.differences[0].startswith("after commit ")


def test_a_history_that_fails_is_named_with_its_error(history):
    broken = dataclasses.replace(history, payload_class="com.example.Unknown")
    (outcome,) = outcomes(in_process.run_histories([broken]), [broken])
    assert outcome.differences[1].startswith("failed: PayloadNotFoundError: unknown payload 'com.example.Unknown'")


# -- the command line


def _command(*arguments):
    return CliRunner().invoke(main, ["histories", *map(str, arguments), "--engine", "process"])


@pytest.fixture
def directory(tmp_path):
    """Two pinned histories."""
    for name in ("dms-cow", "default-mor"):
        shutil.copytree(HISTORIES / "1.2.0" / name, tmp_path / "1.2.0" / name)
    assert CliRunner().invoke(main, ["pin", str(tmp_path)]).exit_code == 0
    return tmp_path


def test_the_command_runs_a_directory(directory):
    result = _command(directory)
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 optional failed")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--case", "dsm"), "nothing has --case dsm; did you mean dms"),
        (("--release", "1.0"), "nothing has --release 1.0; did you mean 1.2?"),
        (("--release", "9"), "unknown Hudi release '9'"),
    ],
)
def test_an_empty_selection_is_refused(directory, options, sentence):
    result = _command(directory, *options)
    assert result.exit_code == 2
    assert sentence in result.output


def test_a_directory_without_histories_is_refused(tmp_path):
    assert _command(tmp_path).exit_code == 2


def test_a_history_that_is_gone_or_shorter_fails(directory):
    shutil.rmtree(directory / "1.2.0" / "default-mor")
    file = directory / "1.2.0" / "dms-cow" / "history.json.gz"
    raw = json.loads(gzip.decompress(file.read_bytes()))
    raw["commits"].pop()
    file.write_bytes(gzip.compress(json.dumps(raw).encode()))
    result = _command(directory)
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 0 failed, 0 optional failed")
    assert "1.2.0/dms-cow: 5 pinned, 4 found" in result.output
    assert "1.2.0/default-mor: 5 pinned, 0 found" in result.output
    assert "1.2.0/dms-cow: 5 pinned, 4 found" in _command(directory / "1.2.0").output
    assert CliRunner().invoke(main, ["pin", str(directory)]).exit_code == 1


def test_a_file_that_is_not_a_history_does_not_fail_the_others(directory):
    file = directory / "1.2.0" / "dms-cow" / "history.json.gz"
    file.write_bytes(file.read_bytes()[:-100])
    result = _command(directory)
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 optional failed")
    assert "FAIL 1.2.0/dms-cow\n  history.json.gz is not a history: " in result.output


def test_what_the_product_refuses_is_counted_apart_and_fails_where_it_is_pinned(tmp_path):
    text = gzip.decompress((OPERATIONS / "0.15.0" / "insert-default-mor" / "history.json.gz").read_bytes()).decode()
    folder = tmp_path / "0.15.0" / "insert-default-mor"
    folder.mkdir(parents=True)
    changed = {**json.loads(text), "options": {"hoodie.parquet.small.file.limit": "104857600"}}
    (folder / "history.json").write_text(json.dumps(changed))
    shutil.copytree(HISTORIES / "1.2.0" / "dms-cow", tmp_path / "1.2.0" / "dms-cow")

    result = CliRunner().invoke(main, ["all", str(tmp_path)])
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        0,
        "1 passed, 0 failed, 0 optional failed, 1 refused by us",
    )
    refusal = "the operation insert is not supported for the small-file rule of merge-on-read tables"
    assert f"none 0.15 insert-default-mor (7 commits): refused by us, {refusal}" in result.output

    assert CliRunner().invoke(main, ["pin", str(tmp_path)]).exit_code == 0
    result = CliRunner().invoke(main, ["all", str(tmp_path)])
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "1 passed, 1 failed, 0 optional failed")
    assert f"  refused by us: {refusal}" in result.output


def test_all_sets_are_told_apart_by_what_they_hold(tmp_path):
    (tmp_path / "vectors").mkdir()
    shutil.copy(next((GOLDEN / "0.15.0").rglob("*.jsonl*")), tmp_path / "vectors")
    with ExitStack() as stack:
        found = [check.name for check in checks(stack, [tmp_path / "vectors", HISTORIES, OLDER_TABLES])]
    assert found == [
        "vectors of vectors",
        "histories of histories",
        "replays from histories to histories",
        "tables of tables-version-5.tar.xz",
    ]


def test_a_set_of_several_kinds_is_checked_for_each(tmp_path):
    shutil.copy(next((GOLDEN / "0.15.0").rglob("*.jsonl*")), tmp_path)
    shutil.copytree(HISTORIES / "1.2.0" / "dms-cow", tmp_path / "1.2.0" / "dms-cow")
    (tmp_path / "older" / "table").mkdir(parents=True)
    with ExitStack() as stack:
        found = [check.name.partition(" ")[0] for check in checks(stack, [tmp_path])]
    assert found == ["vectors", "tables", "histories"]


def test_all_sets_fail_where_nothing_was_recorded_or_nothing_passes(tmp_path):
    result = CliRunner().invoke(main, ["all", str(tmp_path)])
    assert (result.exit_code, "there are no histories below" in result.output) == (2, True)
    text = gzip.decompress((OPERATIONS / "0.15.0" / "insert-default-mor" / "history.json.gz").read_bytes()).decode()
    changed = {**json.loads(text), "options": {"hoodie.parquet.small.file.limit": "104857600"}}
    folder = tmp_path / "0.15.0" / "insert-default-mor"
    folder.mkdir(parents=True)
    (folder / "history.json").write_text(json.dumps(changed))
    result = CliRunner().invoke(main, ["all", str(tmp_path)])
    assert (result.exit_code, result.output.splitlines()[-1]) == (
        1,
        "0 passed, 0 failed, 0 optional failed, 1 refused by us",
    )


def test_a_type_that_only_spark_reads_is_not_passed_in_silence(directory):
    shutil.rmtree(directory / "1.2.0" / "default-mor")
    file = directory / "1.2.0" / "dms-cow" / "history.json.gz"
    text = gzip.decompress(file.read_bytes()).decode().replace("qty int", "qty array<int>")
    file.write_bytes(gzip.compress(text.encode()))
    result = _command(directory)
    assert result.exit_code == 1
    assert "the column qty is array<int>, which only Spark reads; run it with --engine auto" in result.output
