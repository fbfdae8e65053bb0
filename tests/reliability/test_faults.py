"""A command that is ended or whose Java is killed leaves nothing half written, and says why in one sentence."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

from bridge.spark import staged_folder
from tests.reliability.faults import Command, members, wait

pytestmark = [pytest.mark.java, pytest.mark.slow]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_command_that_is_ended_leaves_nothing(tmp_path, name):
    command = Command(tmp_path)
    with command.running() as process:
        wait(command.started.exists)
        assert list((tmp_path / "out").glob(".payload-bridge-*"))
        process.send_signal(getattr(signal, name))
        code, stderr, left = command.ended(process)
    assert (code, left) == (3, [])
    assert stderr.strip().splitlines() == ["error: stopped before the end; nothing was written"]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_a_command_that_is_ended_at_any_moment_leaves_nothing(tmp_path, seed):
    draw = random.Random(seed)  # noqa: S311 (no secret)
    command = Command(tmp_path, rows=8)
    with command.running() as process:
        time.sleep(draw.uniform(0, 12))
        process.send_signal(draw.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT]))
        code, stderr, left = command.ended(process)
    assert left in ([], ["rows"])
    assert "Traceback" not in stderr or code < 0  # a signal before the first line of the program is Python's own
    assert (code == 0) == (left == ["rows"])


@pytest.mark.long
@pytest.mark.parametrize("killed", [True, False], ids=["a killed executor", "speculation"])
def test_tasks_that_run_again_change_no_row(tmp_path, killed):
    """The row counts are checked by the command, which counts a task twice that it runs again."""
    again = ("spark.speculation=true", "spark.speculation.interval=50ms", "spark.speculation.minTaskRuntime=50ms")
    again += ("spark.speculation.multiplier=1.0", "spark.speculation.quantile=0.1", "spark.sql.adaptive.enabled=false")
    confs = [f"--conf={one}" for one in (*(() if killed else again), "spark.sql.shuffle.partitions=8")]
    command = Command(tmp_path, rows=24, more=("--master", "local-cluster[2,2,1024]", *confs, "--output", "json"))
    work = Path(pyspark.__file__).parent / "work"
    before = set(work.glob("*"))
    try:
        with command.running() as process:
            wait(command.started.exists)
            if killed:
                executors = [one for one, line in members(process.pid).items() if "CoarseGrainedExecutor" in line]
                os.kill(executors[0], signal.SIGKILL)
            code, stderr, left = command.ended(process)
    finally:
        for folder in {*work.glob("*")} - before:
            shutil.rmtree(folder)
    assert (code, left) == (0, ["rows"]), stderr
    found = pq.read_table(tmp_path / "out" / "rows")["id"].to_pylist()
    assert sorted(found, key=int) == [str(one) for one in range(24)]


def test_a_killed_java_is_told_in_one_sentence(tmp_path):
    command = Command(tmp_path)
    with command.running() as process:
        wait(command.started.exists)
        (java,) = (number for number, line in members(process.pid).items() if "org.apache.spark.deploy" in line)
        os.kill(java, signal.SIGKILL)
        code, stderr, left = command.ended(process)
    assert (code, left) == (3, [])
    lost = "error: Spark's Java process has ended: it was killed, or there was no memory left; give it more "
    assert stderr == f"{lost}(--conf spark.driver.memory=8g), and run it again\n"


def test_what_a_killed_command_leaves_goes_with_the_next_one(tmp_path):
    command = Command(tmp_path)
    with command.running() as process:
        wait(command.started.exists)
        process.kill()
        wait(lambda: process.poll() is not None)
    (left,) = (tmp_path / "out").iterdir()
    assert left.name.startswith(".payload-bridge-")
    with staged_folder(tmp_path / "out") as own:
        assert list((tmp_path / "out").iterdir()) == [own]
        with staged_folder(tmp_path / "out") as other:  # a run that goes on keeps its folder
            assert sorted((tmp_path / "out").iterdir()) == sorted([own, other])
    assert not any((tmp_path / "out").iterdir())
