"""Tasks over a table run where no other third-party packages are than those that the guide promises to suffice."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from bridge.hudi import TableQueries
from bridge.hudi.slice_tasks import read_slices, read_versions
from bridge.migration.damage_search import _scan, _settings
from tests.conformance.tables import load
from tests.test_imports import on_executor

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import pickle, sys
task, batch = pickle.loads(sys.stdin.buffer.read())
print(sum(found.num_rows for found in task([batch])))
"""


@pytest.mark.parametrize("task", ["read_slices", "read_versions", "scan"])
def test_tasks_over_a_table_run_on_executors(tables: Path, task: str) -> None:
    (recorded,) = load(tables, "0.15.0", "mor-compacted-postgres")
    opened = TableQueries(str(recorded.folder / "table"))
    answer = opened.snapshot()
    slices = [answer.slices] if task == "read_versions" else answer.slices
    batch = pa.record_batch({"slice": [pickle.dumps(one) for one in slices]})
    calls = {
        "read_slices": functools.partial(read_slices, answer.query),
        "read_versions": functools.partial(read_versions, answer.query),
        "scan": functools.partial(_scan, _settings(opened, answer)[0], with_cases=True),
    }
    found = on_executor(PROGRAM, pickle.dumps((calls[task], batch)))
    assert found.stderr == b""
    assert int(found.stdout) == sum(one.num_rows for one in calls[task]([batch]))
