"""The functions of the API through a real Spark Connect server, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cluster.servers import Servers

ROOT = Path(__file__).parents[2]
# A module of the user: it travels alone, to where this project is not.
THEIRS = """class Newest:
    def __init__(self, record, ordering_value):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record


class NewestColumns:
    merging_strategy = "4f0a7f0e-6f0c-4b8e-8d5b-0e6a8d1c2b33"
    record_type = "SPARK"

    def merge_columns(self, older, newer, schema, props):
        return newer.column
"""
_PROGRAM = """
import json, sys, threading, time
sys.path.append(sys.argv[1])
from click.testing import CliRunner
from bridge import MergePlan, append, combine_input, compact, merge_frames, replay, simulate, snapshot, upsert
from bridge.cli import main
from bridge.spark import RunJobs, SessionOptions, session_of
from bridge.verify import verify
from payloads import HudiRelease
spark = session_of(SessionOptions(remote=sys.argv[2]))
columns = "id string, ts bigint, city string"
one, two = (spark.createDataFrame([("a", ts, city)], columns) for ts, city in ((1, "x"), (2, "y")))
plan = MergePlan(payload="their_payloads:Newest", release="0.15", key="id", ordering="ts")
newest = [("a", 2, "y")]

def rows(frame):
    return [tuple(row) for row in frame.select("id", "ts", "city").collect()]

assert rows(combine_input(one.union(two), plan)) == newest
assert rows(upsert(one, two, plan)) == newest
mor = MergePlan(payload="their_payloads:Newest", release="0.15", key="id", ordering="ts", table_type="mor")
stored, log = append(one, None, two, mor)
assert rows(snapshot(stored, log, mor)) == rows(compact(stored, log, mor)) == newest
assert simulate([one, two], plan).verdict.startswith("2 rows in 2 batches")
with replay([one, two], plan, "1.2") as found:
    assert found.is_equal, found.verdict
    assert [row_counts.rows_in for row_counts in found.row_counts.values()] == [{"incoming": 2}] * 2
with merge_frames("upsert", plan, stored=one, incoming=two) as found:
    assert found.row_counts.rows_in == {"stored": 1, "incoming": 1}
    assert (found.row_counts.rows_out, rows(found.rows)) == (1, newest)

settings = {"key": ("id",), "ordering": ("ts",), "laws": ("associativity", "commutativity"), "domains": ("data",)}
told = verify("their_payloads:NewestColumns", release=HudiRelease.parse("1.2"), examples=10, **settings).report
assert [result.verdict.value for result in told.results] == ["proved", "violated"], str(told)

for name, frame in (("one", one), ("two", two)):
    frame.write.parquet(f"{sys.argv[3]}/{name}")
sides = ["--stored", f"{sys.argv[3]}/one", "--incoming", f"{sys.argv[3]}/two", "--key", "id", "--ordering", "ts"]
words = ["merge", "upsert", *sides, "--payload", "their_payloads:Newest", "--release", "0.15", "--remote", sys.argv[2]]
told = CliRunner().invoke(main, [*words, "--out", f"{sys.argv[3]}/merged", "--output", "json"])
assert told.exit_code == 0, told.output
assert ("progress is not shown" in told.stderr) == (not hasattr(spark, "registerProgressHandler")), told.stderr
assert json.loads(told.stdout)["statistics"]["merged"] == 1, told.stdout

def slowly(batches):
    import time
    for batch in batches:
        time.sleep(60)
        yield batch

jobs, start = RunJobs(spark), time.monotonic()
threading.Timer(2, jobs.cancel).start()
try:
    spark.range(8).mapInArrow(slowly, "id bigint").collect()
except Exception as error:
    assert "cancel" in str(error).lower(), error
else:
    raise AssertionError("the job went on")
assert time.monotonic() - start < 50
jobs.close()
"""


def run(servers: Servers) -> None:
    """Run the program."""
    run_program(servers.connect, servers.folder)


def run_program(remote: str, folder: Path) -> None:
    """Run the program against a server; `folder` has the user's module."""
    program = [sys.executable, "-c", _PROGRAM, str(ROOT), remote, str(folder / "connected")]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        program, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
