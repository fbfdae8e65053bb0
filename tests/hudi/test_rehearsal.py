"""A rehearsal: the table is only read, the copy is the bundle's, and its rows are compared with the predicted ones.

Here something else stands for the bundle; `python -m tests.rehearse` runs the real one.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge import (
    EngineError,
    HudiTable,
    InputError,
    PlanError,
    RehearsalOutcome,
    compare_readers,
    local_session,
    rehearse,
    replay,
)
from bridge.cli import main
from bridge.compare import NotRunError, check_compaction, compare_upgraded, onto_table, reason_of
from bridge.config import change_version, format_properties
from bridge.hudi import SliceReader, TableQueries
from bridge.migration import check_upgrade_to, copy_table, rehearsal
from bridge.report import Table
from mergers import COMMIT_TIME_BASED_MERGE_STRATEGY_UUID
from payloads import HudiRelease
from tests.conformance.tables import load
from tests.support.bundles import ON_3

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

V1_2 = HudiRelease.V1_2
MARK = ".hoodie/.payload_bridge_copy"


@pytest.fixture
def path(tables: Path, tmp_path: Path) -> Path:
    """A merge-on-read table of 0.15.0 of which 1.2 shows some rows differently."""
    own = tmp_path / "table"
    shutil.copytree(next(load(tables, release="0.15.0", case="mor-plain-postgres")).folder / "table", own)
    return own


def checksums(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Bundle:
    """Stands for the process that upgrades: it does what is predicted, or what a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.without_rows, self.error, self.ends = 0, "", False
        self.properties: dict[str, str] = {}
        self.fails_at = "upgrade"
        self.answers: dict[str, pa.Table] = {}
        self.tasks: list[dict[str, Any]] = []
        self.meanwhile: Callable[[], object] = lambda: None
        monkeypatch.setattr("bridge.compare.released_process.run_bounded", self)

    def __call__(self, command: list[str], given: str, *_: Any) -> subprocess.CompletedProcess[str]:
        if self.ends:
            return subprocess.CompletedProcess(command, 1, "", "java.lang.OutOfMemoryError: heap")
        task = json.loads(given)
        self.tasks.append(task)
        answers = []
        for number, table in enumerate(task["tables"]):
            for step in table["steps"]:
                answer = self.taken(table["path"], **step)
                answers.append({"table": number, "step": step["do"], "seconds": 1.0, **answer})
                if "error" in answer:
                    break
        said = "\n".join(["Java says something", *map(json.dumps, answers)])
        return subprocess.CompletedProcess(command, 0, said, "")

    def taken(self, path: str, do: str, out: str, **needs: Any) -> dict[str, Any]:
        self.meanwhile()
        if self.error and do == self.fails_at:
            return {"error": self.error, "at": do}
        rows = self.answers[do] if do in self.answers else self.upgraded(path)
        Path(out).mkdir(parents=True)
        pq.write_table(rows.slice(self.without_rows), Path(out, "rows.parquet"))
        stored = Path(path, ".hoodie", "hoodie.properties")
        if do == "downgrade":
            Path(path, ".hoodie", "timeline").mkdir(exist_ok=True)
            after = change_version(dict(TableQueries(path, V1_2).properties.stored), 6, V1_2)
            stored.write_text(format_properties(after), "utf-8")
        return {"rows": rows.num_rows, "properties": stored.read_text("utf-8")}

    def upgraded(self, path: str) -> pa.Table:
        table = TableQueries(path, V1_2)
        answer = table.snapshot()
        reader = SliceReader(answer.query)
        rows = pa.Table.from_batches([batch for one in answer.slices for batch in reader.read(one)])
        after = change_version(dict(table.properties.stored), 9, V1_2) | self.properties
        Path(path, ".hoodie", "hoodie.properties").write_text(format_properties(after), "utf-8")
        return rows


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> Bundle:  # the session starts by real processes
    return Bundle(monkeypatch)


def test_as_predicted(path: Path, spark: SparkSession, bundle: Bundle, tmp_path: Path) -> None:
    before = checksums(path)
    table = HudiTable(spark, str(path), "0.15")
    with compare_readers(table, ["1.2"]) as readers:
        changed = readers.results[0].total
    with rehearse(table, "1.2", tmp_path / "copy") as found:
        assert found.outcome is RehearsalOutcome.AS_PREDICTED
        assert (found.change.total, found.settings) == (changed, ())
        assert found.verdict == (
            f"AS PREDICTED: Hudi 1.2 upgraded the copy and changed {changed} of {found.rows} rows, each as predicted."
        )
        assert found.deviations is not None
        assert found.deviations.isEmpty()
        answer = json.loads(found.to_json())
    assert changed > 5
    assert (answer["success"], answer["statistics"]["not_as_predicted"]["total"]) == (True, 0)
    assert [one["about"] for one in answer["results"]] == ["upgrade"] * changed
    assert checksums(path) == before
    assert checksums(tmp_path / "copy").keys() == {*before, MARK}
    assert len(checksums(tmp_path / "copy").items() - before.items()) > 1
    (task,) = bundle.tasks
    (copied,) = task["tables"]
    assert copied["path"] == str(tmp_path / "copy")
    assert [(step["do"], step["version"]) for step in copied["steps"]] == [("upgrade", "NINE")]
    assert task["conf"]["spark.jars.packages"].endswith(":1.2.0")


def test_not_as_predicted(path: Path, spark: SparkSession, bundle: Bundle, tmp_path: Path) -> None:
    bundle.without_rows = 2
    bundle.properties = {"hoodie.record.merge.mode": "CUSTOM"}
    with rehearse(HudiTable(spark, str(path), "0.15"), "1.2", tmp_path / "copy") as found:
        assert found.outcome is RehearsalOutcome.NOT_AS_PREDICTED
        report = found.to_report(sample=1)
    assert "but 2 rows of the copy are not as predicted" in report.verdict
    assert report.statistics["not_as_predicted"] == {"total": 2, "only_left": 2, "only_right": 0, "changed": 0}
    assert [one["about"] for one in report.results] == ["upgrade", "prediction"]
    off, changed = (part for part in report.body if isinstance(part, Table))
    assert (off.title, changed.title) == (
        "Rows that are not as predicted, 1 of 2",
        "Rows that the upgrade changes, 1 of 30",
    )
    assert {row[off.columns.index("kind")] for row in off.rows} == {"only in the prediction"}
    assert report.warnings[0].startswith("hoodie.record.merge.mode is CUSTOM in the copy, but ")
    assert "please report it" in report.warnings[1]


@ON_3
def test_refused_by_hudi(path: Path, bundle: Bundle, tmp_path: Path) -> None:
    bundle.error = "x\nCaused by: org.apache.hudi.exception.HoodieUpgradeDowngradeException: no way up\n\tat y"
    words = ["rehearse", str(path), "--to", "1.2", "--copy", str(tmp_path / "copy"), "--output", "json"]
    ran = CliRunner().invoke(main, words)
    answer = json.loads(ran.stdout)
    assert (ran.exit_code, answer["success"]) == (1, False)
    assert answer["verdict"] == (
        "REFUSED BY HUDI: Hudi 1.2 can't upgrade and read the copy: HoodieUpgradeDowngradeException: no way up (at the "
        "upgrade)."
    )
    assert answer["statistics"]["refused"].startswith("HoodieUpgradeDowngradeException")


@ON_3
def test_a_bundle_that_does_not_come_to_an_answer_leaves_no_copy(
    path: Path, spark: SparkSession, bundle: Bundle, tmp_path: Path
) -> None:
    bundle.ends = True
    with pytest.raises(NotRunError, match="OutOfMemoryError: heap"):
        rehearse(HudiTable(spark, str(path), "0.15"), "1.2", tmp_path / "copy")
    assert [one.name for one in tmp_path.iterdir()] == ["table"]


def test_what_is_no_upgrade(path: Path, spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"name 1\.0 or a later release"):
        rehearse(HudiTable(spark, str(path), "0.14"), "0.15", tmp_path / "copy")
    properties = path / ".hoodie" / "hoodie.properties"
    properties.write_text(properties.read_text("utf-8").replace("table.version=6", "table.version=9"), "utf-8")
    (path / ".hoodie" / "timeline").mkdir()
    with pytest.raises(PlanError, match=r"has table version 9, and Hudi 1\.2 has no later one"):
        rehearse(HudiTable(spark, str(path), "1.2"), "1.2", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_table_that_is_opened_as_the_upgraded_one_is_not_rehearsed(path: Path, spark: SparkSession) -> None:
    with pytest.raises(PlanError, match=r"opened as Hudi 1\.2 reads it, .* writes it, 0\.15"):
        check_upgrade_to(HudiTable(spark, str(path), "1.2"), V1_2)
    check_upgrade_to(HudiTable(spark, str(path), "1.1"), V1_2)


def jar_of(folder: Path, version: str, entry: str = "org/apache/hudi/DefaultSource.class") -> Path:
    with zipfile.ZipFile(folder / "own.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\nImplementation-Version: {version}\n")
        jar.writestr(entry, "")
    return folder / "own.jar"


def test_a_platforms_own_bundle_runs_in_place_of_the_released_one(path: Path, bundle: Bundle, tmp_path: Path) -> None:
    jar = jar_of(tmp_path, "1.2.0-amzn-1")
    words = ["rehearse", str(path), "--to", "1.2", "--copy", str(tmp_path / "copy"), "--output", "json"]
    ran = CliRunner().invoke(main, [*words, "--bundle", str(jar)])
    assert (ran.exit_code, json.loads(ran.stdout)["plan"]["program"]) == (0, str(jar))
    (task,) = bundle.tasks
    assert task["conf"]["spark.jars"] == str(jar)
    assert "hudi" not in task["conf"].get("spark.jars.packages", "")


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("1.0.2-amzn-0", r"own\.jar is Hudi 1\.0\.2-amzn-0, but .* rules of 1\.2; .* predict for 1\.0"),
        ("com.acme:hudi-bundle:1.0.2", r"com\.acme:hudi-bundle:1\.0\.2 is Hudi 1\.0\.2, but"),
        ("hudi-bundle:1.2.0", "names no bundle; give a jar's path, or a Maven coordinate"),
        ("absent.jar", "was not found on this machine"),
        ("half.jar", "is not a complete jar"),
        ("other", "has no Spark data source of Hudi"),
    ],
)
def test_what_is_no_bundle_for_an_upgrade(path: Path, bundle: Bundle, tmp_path: Path, named: str, words: str) -> None:
    (tmp_path / "half.jar").write_bytes(b"PK")
    if ":" not in named and not named.endswith(".jar"):
        entry = "org/acme/Other.class" if named == "other" else "org/apache/hudi/DefaultSource.class"
        named = str(jar_of(tmp_path, named, entry))
    given = named if ":" in named else tmp_path / named
    with pytest.raises(PlanError, match=words):
        rehearse(HudiTable(local_session(), str(path), "0.15"), "1.2", tmp_path / "copy", bundle=given)
    assert not bundle.tasks


_PENDING = r"a pending compaction: .* then "
_CHANGED = {
    "1.0.2/mor-pending-compaction-partial": (
        0,
        5,
        rf"{_PENDING}merges the logs of its file groups by the new settings",
    ),
    "1.2.0/mor-kept-from-1.0.2-pending-compaction-partial": (
        0,
        1,
        rf"{_PENDING}merges the logs .* by the new settings",
    ),
    "0.15.0/mor-log-only-pending-compaction": (26, 26, rf"{_PENDING}hides 4 log files that were"),
}
"""Tables of which 1.2.0 shows other rows after its upgrade than before it.

How many rows are others than the own release shows, how many than 1.2 shows before the upgrade, and why.
"""


@pytest.mark.parametrize("case", _CHANGED)
def test_an_upgrade_whose_compaction_changes_rows_is_predicted_and_nothing_after_it(
    tables: Path, spark: SparkSession, tmp_path: Path, case: str
) -> None:
    """Real Hudi changes as many (python -m tests.rehearse)."""
    release, name = case.split("/")
    changed, number, words = _CHANGED[case]
    found = next(load(tables, release=release, case=name)).folder / "table"
    table = HudiTable(spark, str(found), "1.0" if release == "1.2.0" else release.rpartition(".")[0])
    check_upgrade_to(table, V1_2)
    with compare_upgraded(table, V1_2) as predicted:
        assert (predicted.results[0].total, predicted.results[0].refused) == (changed, None)
    for more in ({"batches": [table.snapshot()]}, {"downgrade": True}):
        with pytest.raises(PlanError, match=rf"{words}.*: {number} rows? .* with Hudi {table.release} first"):
            rehearse(table, "1.2", tmp_path / "copy", **more)
    with pytest.raises(PlanError, match=words):
        replay(table, to="1.2", batches=[table.snapshot()])


def test_the_compaction_in_an_upgrade_reads_by_a_schema_history(tables: Path, spark: SparkSession) -> None:
    found = next(load(tables, release="1.2.0", case="mor-schema-on-read-rename-drop-default")).folder / "table"
    table = HudiTable(spark, str(found))
    with compare_upgraded(table, V1_2) as predicted:
        assert (predicted.results[0].total, predicted.rows) == (5, table.snapshot().count())
        by_ids = {row["id"]: row for row in table.snapshot(schema_on_read=True).collect()}
        assert all(by_ids[row.left["id"]].asDict().items() >= row.right.items() for row in predicted.collect("1.2"))
    with pytest.raises(PlanError, match=r"a schema history .* resolves renamed and dropped columns .*: 5 rows differ"):
        check_compaction(table, V1_2)


def test_a_pending_compaction_hinders_no_upgrade_whose_settings_merge_its_logs_alike(
    tables: Path, spark: SparkSession, tmp_path: Path
) -> None:
    found = next(load(tables, release="1.0.2", case="mor-pending-compaction-partial")).folder / "table"
    copy = shutil.copytree(found, tmp_path / "table")
    stored = {
        **HudiTable(spark, str(found)).properties,
        "hoodie.compaction.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
        "hoodie.record.merge.mode": "COMMIT_TIME_ORDERING",
        "hoodie.record.merge.strategy.id": COMMIT_TIME_BASED_MERGE_STRATEGY_UUID,
    }
    (copy / ".hoodie" / "hoodie.properties").write_text(format_properties(stored), "utf-8")
    table = HudiTable(spark, str(copy))
    assert table.queries().slices.pending_groups
    check_compaction(table, V1_2)


def test_a_writer_that_keeps_the_version_of_a_table_leaves_its_pending_compaction(
    tables: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = next(load(tables, release="0.15.0", case="mor-log-only-pending-compaction")).folder / "table"
    table = HudiTable(spark, str(found), "0.15")
    monkeypatch.setattr(onto_table, "compare", lambda _, sides: sides)
    named: dict[str, Any] = {"props": {"hoodie.write.table.version": "6"}}
    for settings in ({"keep_table_version": True}, named):
        assert replay(table, to="1.2", batches=[table.snapshot()], **settings).handover().upgraded is None


@pytest.mark.parametrize(
    ("copy", "words"),
    [
        ("table", "is the table .*, in it or around it"),
        ("table/copy", "is the table .*, in it or around it"),
        (".", "is the table .*, in it or around it"),
        ("absent/copy", "the folder .*absent does not exist"),
        ("there", "there already exists; name another"),
        ("tab", "begins with .*tab, and Hudi treats every path"),
    ],
)
def test_a_place_that_takes_no_copy(path: Path, copy: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    before = checksums(tmp_path)
    ran = CliRunner().invoke(main, ["rehearse", str(path), "--to", "1.2", "--copy", str(tmp_path / copy)])
    assert ran.exit_code == 2
    assert re.search(words, ran.stderr.replace("\n", " "))
    assert checksums(tmp_path) == before


def test_a_table_that_is_written_meanwhile_leaves_no_copy(
    path: Path, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copytree = shutil.copytree

    def copied(source: Path, *given: Any, **settings: Any) -> Any:
        (path / ".hoodie" / "20990101000000000.deltacommit.requested").touch()
        return copytree(source, *given, **settings)

    monkeypatch.setattr(shutil, "copytree", copied)
    with pytest.raises(InputError, match="was written while it was copied; stop its writers"):
        copy_table(HudiTable(spark, str(path), "0.15"), tmp_path / "copy")
    assert [one.name for one in tmp_path.iterdir()] == ["table"]


def test_a_table_that_is_written_while_its_copy_is_upgraded_is_not_judged(
    path: Path, spark: SparkSession, bundle: Bundle, tmp_path: Path
) -> None:
    bundle.meanwhile = (path / ".hoodie" / "20990101000000000.clean.requested").touch
    with pytest.raises(InputError, match="was written while its copy was upgraded; stop its writers"):
        rehearse(HudiTable(spark, str(path), "0.15"), "1.2", tmp_path / "copy")
    assert [one.name for one in tmp_path.iterdir()] == ["table"]


def test_only_a_copy_is_replaced_and_only_by_one_that_is_judged(
    path: Path, spark: SparkSession, bundle: Bundle, tmp_path: Path
) -> None:
    table, other, copy = HudiTable(spark, str(path), "0.15"), tmp_path / "other", tmp_path / "copy"
    shutil.copytree(path, other)
    with pytest.raises(InputError, match="is not a copy that rehearse made, and is never replaced"):
        copy_table(table, other, overwrite=True)
    copied = copy_table(table, copy)
    assert copied.bytes == sum(one.stat().st_size for one in path.rglob("*") if one.is_file())
    (copy / "of the first").touch()
    kept = checksums(copy)
    bundle.ends = True
    with pytest.raises(NotRunError):
        rehearse(table, "1.2", copy, overwrite=True)
    assert checksums(copy) == kept
    bundle.ends, bundle.error = False, "org.apache.X: no way"
    rehearse(table, "1.2", copy, overwrite=True).close()
    assert checksums(copy) == {MARK: kept[MARK]} | checksums(path)
    copy_table(table, copy, overwrite=True)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "other", "table"]


def test_a_clock_that_is_behind_the_table_is_told(path: Path, spark: SparkSession, tmp_path: Path) -> None:
    """Real Hudi's commits to the copy would be older than those of the table: no query would show them."""
    (path / ".hoodie" / "20990101000000000.rollback").touch()
    with pytest.raises(EngineError, match="but the table has 20990101000000000, and Hudi orders commits"):
        rehearse(HudiTable(spark, str(path), "0.15"), "1.2", tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("folder", [".hoodie", ".hoodie/metadata/.hoodie"])
def test_a_plan_that_names_files_of_the_table_is_not_copied(
    folder: str, path: Path, spark: SparkSession, tmp_path: Path
) -> None:
    timeline, table = path / folder, HudiTable(spark, str(path), "0.15")
    timeline.mkdir(parents=True, exist_ok=True)
    (timeline / "20990101000000000.rollback.requested").touch()
    with pytest.raises(InputError, match="has a rollback that did not complete, 20990101000000000"):
        copy_table(table, tmp_path / "copy")
    (timeline / "20990101000000000.rollback").touch()
    copy_table(table, tmp_path / "copy")


STUB = """
import os


class Py4JError(Exception):
    pass


class DataFrame:
    def __init__(self, path="", row=()):
        self.path, self.row = path, row

    def load(self, path):
        if "unreadable" in path:
            raise ValueError("Caused by: java.io.EOFException: torn")
        if "heap" in path:
            raise ValueError("x\\nCaused by: java.lang.OutOfMemoryError: Java heap space\\n\\tat y")
        if "gone" in path:
            raise Py4JError("An error occurred while calling o1.load")
        return DataFrame(path)

    def parquet(self, out):
        if "denied" in out:
            raise ValueError("x\\nCaused by: java.io.IOException: Permission denied\\n\\tat y")

    format = lambda self, name: self
    persist = unpersist = lambda self: self
    count = lambda self: 7
    collect = lambda self: [self.row]
    read = write = property(lambda self: self)


class SparkSession(DataFrame):
    def __init__(self):
        super().__init__()
        self.said = []

    def config(self, name, value):
        if name == "spark.fails":
            os.write(2, b"unresolved dependency: x")
            raise RuntimeError(value)
        return self

    master = appName = lambda self, text: self
    getOrCreate = lambda self: self

    def sql(self, text):
        self.said.append(text)
        if text.startswith("CREATE"):
            os.write(2, b"Caused by: java.lang.OldException: of the table before\\n")
        elif "no way" in self.said[-2]:
            os.write(2, b"WARN it failed\\nCaused by: org.apache.X.UpgradeException: no way up\\n\\tat y\\n")
            return DataFrame(row=(False,))
        assert "it\\\\'s" in self.said[0], self.said
        return DataFrame(row=(True,))


SparkSession.builder = SparkSession()
"""


def test_what_the_procedure_says_in_the_log_alone_is_its_error(tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").touch()
    (tmp_path / "pyspark" / "sql.py").write_text(STUB, "utf-8")

    def run(conf: dict[str, str], *paths: str, out: str = "rows") -> subprocess.CompletedProcess[str]:
        step = {"do": "upgrade", "version": "NINE", "out": out}
        for path in paths:
            (tmp_path / path / ".hoodie").mkdir(parents=True, exist_ok=True)
            (tmp_path / path / ".hoodie" / "hoodie.properties").write_text("a=b", "utf-8")
        tables = [{"path": path, "steps": [step]} for path in paths]
        return subprocess.run(
            [sys.executable, Path(rehearsal.__file__).with_name("released_steps.py")],
            input=json.dumps({"conf": conf, "tables": tables}),
            env={"PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    ran = run({"spark.x": "1"}, "it's", "no way", "unreadable")
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [answer.get("rows") for answer in answers] == [7, None, None]
    assert [answer.get("at") for answer in answers] == [None, "upgrade", "read"]
    assert [answer["table"] for answer in answers] == [0, 1, 2]
    assert [reason_of(answer["error"]) for answer in answers[1:]] == [
        "UpgradeException: no way up",
        "EOFException: torn",
    ]
    assert "unresolved dependency: x" in run({"spark.fails": "x"}).stderr
    for table, out, why in (
        ("heap", "rows", "Caused by: java.lang.OutOfMemoryError: Java heap space"),
        ("gone", "rows", "Java ended: An error occurred while calling o1.load"),
        ("it's", "denied", "Caused by: java.io.IOException: Permission denied"),
    ):
        ended = run({}, "it's", table, out=out)
        assert (ended.returncode, ended.stderr.strip().splitlines()[-1]) == (1, why)
        assert json.loads(ended.stdout.splitlines()[-1]) == {"ended": why}
