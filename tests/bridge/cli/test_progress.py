"""Long work shows how far it is, says in Spark's pages what it does, and ends at Ctrl-C without a trace."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import MergePlan, upsert
from bridge.cli import main
from bridge.cli.progress import Pace, Watch
from bridge.spark import RunJobs, Running, described

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("now", "seconds", "words"),
    [
        (Running("", 1, 4, 0, None, 1), 10, "1 of 4 tasks, 30 s left"),
        (Running("", 0, 4, 0, None, 1), 10, "10 s so far"),
        (Running("", 0, 4, 70, None, 1), 10, "70 rows, 7 rows/s"),
        (Running("", 2, 4, 3_000, 12_000, 1), 10, "2 of 4 tasks, 3,000 of 12,000 rows, 300 rows/s, 30 s left"),
        (Running("", 1, 3, 5_000, None, 1), 100, "1 of 3 tasks, 5,000 rows, 50 rows/s, 3 min left"),
        (Running("", 2, 4, 10, 1_000_000, 1), 1, "2 of 4 tasks, 10 of 1,000,000 rows, 10 rows/s, 27 h 46 min left"),
    ],
)
def test_the_words_of_progress(now, seconds, words):
    assert Pace(1, since=100, rows=0).words(now, 100 + seconds) == words


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(stream: io.StringIO, seen: list[Running | None], **seconds: float) -> str:
    """Show what a run does, which has `seen` its states one after the other."""
    states = iter(seen)
    done = threading.Event()

    def running() -> Running | None:
        found = next(states, None)
        if found is None:
            done.set()
        return found

    watch = Watch("replay", running, stream=stream, **seconds)
    watch.start()
    assert done.wait(10)
    watch.stop()
    return stream.getvalue()


def test_a_log_gets_a_line_from_time_to_time():
    states: list[Running | None] = [Running("keys that differ", at, 40, at * 10, 400, 1) for at in range(40)]
    lines = watched(io.StringIO(), states, after=0.01, every=0.1).splitlines()
    assert 2 <= len(lines) <= 12
    assert all(line.startswith("replay: keys that differ: ") and " of 400 rows" in line for line in lines)


def test_a_terminal_has_a_line_that_is_gone_at_the_end(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    states: list[Running | None] = [Running("keys", at, 30, at * 10, 300, 1) for at in range(30)]
    shown = watched(Terminal(), states, after=0.01)
    assert "of 300 rows" in shown
    assert shown.endswith("\x1b[2K")


def test_short_work_says_nothing():
    states: list[Running | None] = [Running("keys", at, 30, at, 300, 1) for at in range(10)]
    assert not watched(io.StringIO(), states, after=0.01)
    assert not watched(Terminal(), states[:2], after=60)


def slowly(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        time.sleep(0.6)
        yield batch


def test_descriptions_have_no_credentials(spark: SparkSession):
    with described(spark, "upsert of s3a://me:hunter2@bucket/days"):
        shown = spark.sparkContext.getLocalProperty("spark.job.description")
    assert shown == "upsert of s3a://***@bucket/days"


def test_jobs_of_a_run_are_seen_with_their_rows_and_cancelled(spark: SparkSession):
    frame = spark.range(0, 4000, 1, 4).repartition(4).mapInArrow(slowly, "id bigint")
    jobs = RunJobs(spark)
    seen: list[Running] = []

    def look() -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end and not any(one.tasks > 4 and one.rows for one in seen):
            found = jobs.running()
            seen.extend([found] if found else [])
            time.sleep(0.05)
        jobs.cancel()

    looking = threading.Thread(target=look)
    looking.start()
    with described(spark, "slow rows"), pytest.raises(Exception, match="cancelled"):
        frame.unionByName(frame).unionByName(frame).collect()
    looking.join()
    jobs.close()
    assert {one.what for one in seen} == {"slow rows"}
    assert any(0 < one.rows <= (one.of_rows or 0) for one in seen)
    assert jobs.running() is None
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None
    assert spark.range(3).count() == 3


@pytest.fixture
def days(spark: SparkSession, tmp_path: Path) -> Path:
    for number in (1, 2):
        frame = spark.range(5).selectExpr("cast(id as string) id", f"{number} ts", f"'v{number}' v")
        frame.coalesce(1).write.parquet(f"{tmp_path}/days/{number}")
    return tmp_path / "days"


def jobs_of(spark: SparkSession) -> list[Any]:
    found = spark.sparkContext._jsc.sc().statusStore().jobsList(None)
    return [found.apply(at) for at in range(found.size())]


def test_sparks_pages_say_what_a_job_does(spark: SparkSession, days: Path):
    last = max((job.jobId() for job in jobs_of(spark)), default=-1)  # Spark keeps the newest thousand alone
    words = ("--batches", days, "--payload", "OverwriteWithLatestAvroPayload", "--key", "id", "--ordering", "ts")
    for verb in (("replay", "--from", "0.15", "--to", "1.2"), ("simulate", "--table-type", "mor")):
        assert CliRunner().invoke(main, [*verb, *map(str, words)]).exit_code == 0
    said = [job.description() for job in jobs_of(spark) if job.jobId() > last]
    texts = {text.get() for text in said if text.isDefined()}
    assert "Hudi 0.15 and Hudi 1.2, copy-on-write: keys that differ after each commit" in texts
    assert any(text.endswith("Hudi 1.2, merge-on-read: the snapshot after each commit") for text in texts)


def test_plans_name_the_merge_point_and_the_side(spark: SparkSession):
    frame = spark.createDataFrame([("a", 1)], "id string, ts int")
    plan = MergePlan(payload="OverwriteWithLatestAvroPayload", release="0.15", key="id", ordering="ts", engine="python")
    text = upsert(frame, frame, plan)._jdf.queryExecution().toString()
    assert "upsert (OverwriteWithLatestAvroPayload, Hudi 0.15, cow)" in text


SLOW = """
import pathlib, time
class Slow:
    def __init__(self, record, ordering_value):
        self.record = record
    def preCombine(self, older):
        return self
    def combineAndGetUpdateValue(self, current, schema):
        pathlib.Path({started!r}).touch()
        time.sleep(120)
        return self.record
    def getInsertValue(self, schema):
        return self.record
"""


@pytest.mark.slow
@pytest.mark.parametrize("verb", [pytest.param("merge", marks=pytest.mark.long), "replay"])
def test_ctrl_c_ends_the_jobs_and_leaves_nothing(days: Path, tmp_path: Path, verb: str):
    started = tmp_path / "started"
    (tmp_path / "slow_payload.py").write_text(SLOW.format(started=str(started)))
    (tmp_path / "out").mkdir()
    plan = ["--payload", "slow_payload:Slow", "--key", "id", "--ordering", "ts", "--out", f"{tmp_path}/out/rows"]
    inputs = {
        "merge": ["merge", "upsert", "--stored", f"{days}/1", "--incoming", f"{days}/2", "--release", "0.15"],
        "replay": ["replay", "--batches", f"{days}", "--from", "0.15", "--to", "1.2"],
    }
    words = [*inputs[verb], *plan, "--output", "json", "--report", f"{tmp_path}/out/report.html"]
    program = "import sys; from bridge.cli import main; main(sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        end = time.monotonic() + 120
        while not started.exists() and time.monotonic() < end and process.poll() is None:
            time.sleep(0.1)
        assert started.exists(), process.communicate(timeout=5)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to every process of the command
        stdout, stderr = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 3, stderr
    assert "error: stopped before the end; nothing was written" in stderr
    assert "Traceback" not in stderr
    assert json.loads(stdout)["error"] == "stopped before the end; nothing was written"
    assert list((tmp_path / "out").iterdir()) == []
