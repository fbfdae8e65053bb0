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
THEIRS = """class Newest:
    def __init__(self, record, ordering_value):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record
"""
_PROGRAM = """
import sys
sys.path.append(sys.argv[1])
from bridge import MergePlan, append, combine_input, compact, replay, simulate, snapshot, upsert
from bridge.spark import SessionOptions, session_of
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
"""


def run(servers: Servers) -> None:
    """Run the program."""
    program = [sys.executable, "-c", _PROGRAM, str(ROOT), servers.connect]
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(servers.folder)}
    done = subprocess.run(
        program, cwd=servers.folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
