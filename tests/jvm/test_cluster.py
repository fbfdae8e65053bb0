from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bridge.spark.java import find_java
from tests.jvm import cluster_job

# The paths of this process alone: an environment variable would reach executors, too.
_START = "import runpy, sys; sys.path.append(sys.argv.pop(1)); runpy.run_module(sys.argv.pop(1), run_name='__main__')"
# A module of the user: it travels alone, to where this project is not.
_THEIRS = """class Newest:
    def __init__(self, record, ordering_value):
        self.record = record

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema):
        return {**self.record, "n": self.record["n"] + current["n"]}

    def get_insert_value(self, schema):
        return self.record
"""


@pytest.fixture(scope="module")
def answer(jar, tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "their_payloads.py").write_text(_THEIRS)
    root = Path(__file__).parents[2]
    environment = {
        **os.environ,
        "JAVA_HOME": str(find_java()),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_WORKER_DIR": str(folder / "work"),
    }
    # What the running session told its own gateway is not for this one, nor that its workers have this project.
    for name in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET", "SPARK_HOME", "PYTHONPATH", "SPARK_SUBMIT_OPTS"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-c", _START, str(root), cluster_job.__name__, str(jar)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[done.stderr.rfind("\nTraceback") :][:3000]
    return json.loads(done.stdout.splitlines()[-1])


def test_executors_get_the_classes(answer):
    assert answer["sum"] == 2 * sum(range(100))


def test_python_workers_call_the_classes_of_their_executor(answer):
    assert answer["called"] == answer["sum"]


def test_code_travels_to_executors_that_have_neither_this_project_nor_the_users_module(answer):
    assert answer["in_python"] == 2 * sum(range(100))


def test_a_failing_payload_says_why_and_fails_soon(answer):
    assert answer["failure"].startswith("com.acme.Examples$Throwing failed at upsert (key id='bad'): ")
    assert answer["seconds"] < 60


def test_a_key_with_more_data_than_memory_streams(answer):
    assert cluster_job.VERSIONS * cluster_job.BYTES_EACH > 512 * 2**20  # the heap of an executor
    assert answer["versions"] == [cluster_job.VERSIONS]
