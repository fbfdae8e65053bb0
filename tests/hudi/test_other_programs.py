"""Readers that are other programs: what they show is compared, what they refuse is told, and what can't run is said."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge import HudiTable, compare_readers
from bridge.compare import NotRunError, readers, reason_of, run_released
from bridge.compare.bounded_process import run_bounded
from bridge.hudi import SliceReader, TableQueries
from bridge.migration import rehearsal
from bridge.spark import line_of
from tests.conformance.tables import load
from tests.support.bundles import ON_3

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REAL = "real 1.2"


@pytest.fixture
def path(tables: Path) -> str:
    return str(next(load(tables, release="0.15.0", case="mor-plain-default")).folder / "table")


class Bundle:
    """Stands for the process of a bundle: it answers, refuses or fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.without_rows, self.answer, self.code, self.stderr = 0, "", 0, ""
        self.tasks: list[dict[str, Any]] = []
        self.never_ends = False
        monkeypatch.setattr("bridge.compare.released_process.run_bounded", self)

    def __call__(self, command: list[str], given: str, *others: Any) -> subprocess.CompletedProcess[str]:
        if self.never_ends:
            raise subprocess.TimeoutExpired(command, 3600)
        task = json.loads(given)
        self.tasks.append(task)
        if not self.answer and not self.code:
            self.write(task)
        return subprocess.CompletedProcess(command, self.code, self.answer or '{"rows": 1}', self.stderr)

    def write(self, task: dict[str, Any]) -> None:
        answer = TableQueries(task["path"]).snapshot()
        reader = SliceReader(answer.query)
        rows = pa.Table.from_batches([batch for one in answer.slices for batch in reader.read(one)])
        Path(task["out"]).mkdir()
        pq.write_table(rows.slice(self.without_rows), Path(task["out"], "rows.parquet"))


@pytest.fixture
def bundle(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> Bundle:  # the session starts by real processes
    return Bundle(monkeypatch)


@ON_3
def test_what_a_bundle_shows_is_compared(path: str, spark: SparkSession, bundle: Bundle) -> None:
    bundle.without_rows = 1
    with compare_readers(HudiTable(spark, path, "1.2"), ["0.12", "1.1", REAL]) as found:
        assert [one.reader for one in found.results] == ["0.12", "1.1", REAL]
        assert found.results[0].refused
        assert found.results[1].agrees
        assert (found.results[2].only_left, found.results[2].total) == (1, 1)
        assert found.results[2].how == f"run: org.apache.hudi:hudi-spark{line_of().name}-bundle_2.12:1.2.0"
        (missing,) = found.collect(REAL)
        assert missing.kind == "only-left"
        assert found.collect("1.1") == []
        assert "Hudi 1.2 itself 1 row" in found.verdict
    (task,) = bundle.tasks
    assert task["conf"]["spark.jars.packages"].endswith(":1.2.0")
    assert not Path(task["out"]).exists()


@ON_3
def test_what_a_bundle_refuses_and_what_cannot_run(path: str, spark: SparkSession, bundle: Bundle) -> None:
    bundle.answer = json.dumps({"error": "x\nCaused by: java.lang.ClassCastException: Integer is no Long\n\tat y"})
    with compare_readers(HudiTable(spark, path, "1.2"), [REAL]) as found:
        assert str(found.results[0].refused).endswith("refuses the table: ClassCastException: Integer is no Long")
        assert not found.success
    bundle.answer, bundle.code, bundle.stderr = (
        "",
        1,
        "lines\nunresolved dependency: org.apache.hudi#x;1.2.0: not found",
    )
    with compare_readers(HudiTable(spark, path, "1.2"), [REAL]) as found:
        assert "unresolved dependency" in str(found.results[0].not_run)
        assert found.success
        assert "not run, the process with org.apache.hudi" in found.to_report().warnings[0]

    bundle.never_ends = True
    with compare_readers(HudiTable(spark, path, "1.2"), [REAL]) as found:
        assert "did not end in 60 minutes and was stopped; read a copy" in str(found.results[0].not_run)


FAILURES = (
    "java.io.IOException: No space left on device",
    "java.io.IOException: Disk quota exceeded",
    "java.io.FileNotFoundException: /x/y (Too many open files)",
    "java.lang.OutOfMemoryError: Java heap space",
    "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext.",
    "org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down",
    "java.lang.IllegalStateException: SparkContext has been shutdown",
    "java.net.UnknownHostException: bucket.storage",
    "java.net.ConnectException: Connection refused",
    "java.net.SocketTimeoutException: Read timed out",
    "com.amazonaws.SdkClientException: Unable to execute HTTP request: bucket.storage",
    "java.util.concurrent.TimeoutException: Futures timed out after [300 seconds]",
)
"""What says that the machine failed, or its network."""

STUB = """
class Py4JError(Exception):
    pass


class SparkSession:
    def parquet(self, out):
        if out == "gone":
            raise Py4JError("An error occurred while calling o1.parquet")
        if out != "out":
            raise ValueError(f"x\\nCaused by: {out}\\n\\tat y")
        return self

    master = appName = format = load = lambda self, text: self
    count = lambda self: 7
    getOrCreate = lambda self: self
    read = write = property(lambda self: self)


SparkSession.builder = SparkSession()
"""


def test_what_a_machine_fails_with_is_no_refusal_of_hudi(tmp_path: Path) -> None:
    (tmp_path / "pyspark").mkdir()
    (tmp_path / "pyspark" / "__init__.py").touch()
    (tmp_path / "pyspark" / "sql.py").write_text(STUB, "utf-8")

    def run(out: str) -> tuple[int, str]:
        ran = subprocess.run(
            [sys.executable, Path(readers.__file__).with_name("released_reader.py")],
            input=json.dumps({"path": "t", "out": out, "conf": {}}),
            env={"PYTHONPATH": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        if not ran.returncode:
            return 0, ran.stdout.strip()
        assert json.loads(ran.stdout) == {"ended": ran.stderr.strip()}
        return ran.returncode, ran.stderr.strip()

    assert run("out") == (0, '{"rows": 7}')
    code, answer = run("java.lang.ClassCastException: Integer is no Long")
    assert (code, reason_of(json.loads(answer)["error"])) == (0, "ClassCastException: Integer is no Long")
    for failure in FAILURES:
        assert run(failure) == (1, f"Caused by: {failure}")
    assert run("gone") == (1, "Java ended: An error occurred while calling o1.parquet")


def test_an_exception_of_java_without_a_cause_is_the_reason() -> None:
    alone = "An error occurred while calling o46.sql.\n: org.apache.hudi.HoodieIOException: no properties\n\tat x.Y"
    assert reason_of(alone) == "HoodieIOException: no properties"
    assert reason_of(f"{alone}\nCaused by: java.io.EOFException: torn\n\tat x.Z") == "EOFException: torn"


def test_both_scripts_tell_a_failed_machine_from_a_refusal_alike() -> None:
    """They import nothing of this project, so each has the text of its own."""

    def parts(script: Path) -> dict[str, str | None]:
        text = script.read_text("utf-8")
        named = {
            one.targets[0].id if isinstance(one, ast.Assign) else one.name: ast.get_source_segment(text, one)
            for one in ast.parse(text).body
            if isinstance(one, ast.FunctionDef)
            or (isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name))
        }
        return {name: named[name] for name in ("_NO_REFUSAL", "_LOST", "_failure_here")}

    steps = Path(rehearsal.__file__).with_name("released_steps.py")
    assert parts(Path(readers.__file__).with_name("released_reader.py")) == parts(steps)


def test_what_a_script_says_of_its_end_comes_before_what_java_logs_last(
    spark: SparkSession, bundle: Bundle, tmp_path: Path
) -> None:
    bundle.code, bundle.answer = 1, '{"ended": "Caused by: java.io.IOException: Disk quota exceeded"}'
    bundle.stderr = "INFO ShutdownHookManager: Deleting directory /x/spark-1"
    with pytest.raises(NotRunError, match=r"ended \(IOException: Disk quota exceeded\); free some of the disk"):
        run_released(spark, "org:bundle:1", tmp_path / "x.py", {}, way_out="")


@ON_3
def test_a_full_disk_is_told_with_a_way_out(path: str, spark: SparkSession, bundle: Bundle) -> None:
    bundle.code, bundle.stderr = 1, "Caused by: java.io.IOException: No space left on device"
    with compare_readers(HudiTable(spark, path, "1.2"), [REAL]) as found:
        assert "IOException: No space left on device" in str(found.results[0].not_run)
        assert "; free some of the disk" in str(found.results[0].not_run)


STARTS_ANOTHER = """
import pathlib, subprocess, sys, time
started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
pathlib.Path("pid").write_text(str(started.pid))
print(sys.stdin.read(), flush=True)
time.sleep(float(sys.argv[1]))
started.kill()
"""


def test_a_program_that_takes_too_long_ends_with_what_it_started(tmp_path: Path) -> None:
    def run(seconds: str, limit: float) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", STARTS_ANOTHER, seconds]
        return run_bounded(command, "given", str(tmp_path), os.environ, limit)

    assert run("0", 60).stdout == "given\n"
    (tmp_path / "pid").unlink()
    for limit in (3, 15, 45):  # two interpreters have to start, which a busy machine does slowly
        with pytest.raises(subprocess.TimeoutExpired):
            run("60", limit)
        if (tmp_path / "pid").exists():
            break
    state = Path("/proc", (tmp_path / "pid").read_text(), "stat")
    for _ in range(50):
        if not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the process that it started is alive")


def test_hudi_rs_where_it_is_not_installed(path: str, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with compare_readers(HudiTable(spark, path, "0.15"), ["hudi-rs"]) as found:
        assert "pip install 'hudi-payload-bridge[hudi-rs]'" in str(found.results[0].not_run)
        assert found.verdict.startswith("Not checked: no other reader ran")


def test_hudi_rs_reads_the_table(path: str, tables: Path, spark: SparkSession) -> None:
    pytest.importorskip("hudi", reason="the package hudi is not installed")
    with compare_readers(HudiTable(spark, path, "0.15"), ["hudi-rs"]) as found:
        assert found.results[0].agrees, found.collect("hudi-rs")
        assert found.results[0].how.startswith("run: hudi-rs 0.")
    refused = str(next(load(tables, release="0.15.0", case="mor-plain-postgres")).folder / "table")
    with compare_readers(HudiTable(spark, refused, "0.15"), ["hudi-rs"]) as found:
        assert "hudi-rs refuses the table" in str(found.results[0].refused)
