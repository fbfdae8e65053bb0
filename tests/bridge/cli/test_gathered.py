"""What the driver gathers: rows of reports alone, however many rows the data has and differ."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from pyspark.sql import DataFrame

from bridge.cli import main
from bridge.report import report as report_module

KEYS = 400
MOST = 30

# The later version of each key has the smaller ordering value, so every key differs.
VERBS = {
    "replay": ("replay", "--from", "1.2", "--to", "COMMIT_TIME_ORDERING"),
    "simulate": ("simulate", "--table-type", "both"),
    "all paths": ("simulate", "--all-paths"),
    "migrate": ("migrate", "--from", "0.15", "--to", "COMMIT_TIME_ORDERING", "--accept-differences"),
    "merge": ("merge", "combine-input"),
}


@pytest.fixture
def days(tmp_path):
    for day in (1, 2):
        rows = [json.dumps({"id": f"k{key:03}", "ts": 5 - day, "day": day}) for key in range(KEYS)]
        (tmp_path / f"{day}.jsonl").write_text("\n".join(rows))
    return tmp_path


@pytest.fixture
def gathered(monkeypatch):
    """Return how many rows each query gave to the driver."""
    found = []

    def counted(collect):
        def counting(frame, *more):
            rows = collect(frame, *more)
            found.append(len(rows))
            return rows

        return counting

    for name in ("collect", "toPandas", "tail", "take"):
        monkeypatch.setattr(DataFrame, name, counted(getattr(DataFrame, name)))
    monkeypatch.setattr(report_module, "MOST", MOST)
    return found


@pytest.mark.parametrize(
    ("verb", "sample"),
    [
        *((verb, None) for verb in VERBS),
        ("replay", 7),
        *(pytest.param(verb, 7, marks=pytest.mark.long) for verb in VERBS if verb != "replay"),
    ],
)
def test_the_driver_gathers_rows_of_the_report_alone(spark, days, gathered, verb, sample):
    name, *words = VERBS[verb]
    payload = "OverwriteWithLatestAvroPayload" if verb == "all paths" else "DefaultHoodieRecordPayload"
    plan = ("--payload", payload, "--key", "id", "--ordering", "ts", "--output", "json")
    data = ("--incoming", days / "1.jsonl") if name == "merge" else ("--batches", days)
    limit = () if sample is None else ("--sample", sample)
    result = CliRunner().invoke(main, list(map(str, [name, *words, *data, *plan, *limit])))
    assert result.exit_code in {0, 1}, result.output
    most = MOST if sample is None else sample
    # A key that depends on the path has two answers at least.
    assert max(gathered) <= 2 * most
    said = result.stdout + result.stderr
    has_list = name != "migrate" and json.loads(result.stdout)["results"]
    assert not has_list or f"only the first {most}" in said or f"{most} of {KEYS}" in said
    assert json.loads(result.stdout)["verb"] == name
