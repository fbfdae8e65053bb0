"""Tables of which no row can be read: each verb says so, and why; none takes them for sound or empty ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge import Severity, find_damage
from bridge.cli import main
from bridge.migration import inspect_tables
from payloads import HudiRelease
from tests.hudi.damaged import COLUMNS, change_property
from tests.support.made_table import MadeTable, instant

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from pyspark.sql import SparkSession

NO_FIELDS = '{"type": "record", "name": "r", "fields": []}'
SCHEMAS = [
    '"string"',
    "[]",
    '["null", "string"]',
    '{"type": "array", "items": "string"}',
    '{"type": "enum", "name": "e", "symbols": ["A"]}',
    '{"type": "record", "name": "r"}',
    NO_FIELDS,
    "no JSON",
]
MODEL = "org.apache.hudi.common.model."
SHORT = [SCHEMAS[0], NO_FIELDS, ""]


@pytest.fixture
def table(tmp_path: Path) -> MadeTable:
    """A table that merge-into takes, of one base file and one log."""
    made = MadeTable(tmp_path / "table", COLUMNS)
    made.base("g", pa.table({"id": ["a", "b"], "part": ["p"] * 2, "ts": [1, 1]}))
    made.commit()
    made.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1)
    made.commit(1)
    change_property(made.path, "hoodie.compaction.payload.class", f"{MODEL}OverwriteWithLatestAvroPayload")
    change_property(made.path, "hoodie.table.precombine.field", "")
    return made


def damage(path: Path, schema: str) -> str:
    """Give each commit another schema, or none, and the files, which a reader asks then, none either."""
    for number in (0, 1):
        file = path / ".hoodie" / f"{instant(number)}.deltacommit"
        said = json.loads(file.read_text())
        said["extraMetadata"] = {"schema": schema} if schema else {}
        file.write_text(json.dumps(said))
    if schema in {"", NO_FIELDS}:
        return "schema"
    return f"{path}/.hoodie/{instant(1)}.deltacommit can't be read: it has no valid table schema"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def only(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the one finding about rows that could not be read."""
    (one,) = [each for each in found if each.get("example", {}).get("kind") == "unread"]
    return one


@pytest.mark.parametrize("schema", [*SCHEMAS, ""])
@pytest.mark.parametrize("words", [("inspect",), ("inspect", "--slices", "0"), ("plan", "--to", "1.2")])
def test_inspect_and_plan_have_a_finding(table: MadeTable, words: tuple[str, ...], schema: str) -> None:
    why = damage(table.path, schema)
    verb, *options = words
    result = run(verb, table.path, *options, "--output", "json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    found = only(report["results"][0]["warnings"])
    assert found["severity"] == "refused"
    assert found["text"].startswith("no row of the table can be read (")
    assert why in found["text"]
    assert any(why in warning for warning in report["warnings"])
    assert "no findings" not in report["verdict"]
    assert "same rows" not in report["verdict"]


def test_a_sound_table_has_no_such_finding(table: MadeTable) -> None:
    assert [one.kind for one in find_damage(str(table.path)).damage] == []


@pytest.mark.parametrize("schema", SHORT)
@pytest.mark.parametrize("verb", ["snapshot", "history", "diff", "explain", "replay", "simulate", "compare-readers"])
def test_verbs_that_read_rows_refuse(spark: SparkSession, table: MadeTable, verb: str, schema: str) -> None:
    why = damage(table.path, schema)
    given: dict[str, tuple[object, ...]] = {
        "diff": (table.path, "--against", table.path),
        "explain": ("--table", table.path, "--row", "id=a"),
        "replay": ("--table", table.path, "--to", "1.2"),
        "simulate": ("--table", table.path),
    }
    result = run(verb, *given.get(verb, (table.path,)))
    assert result.exit_code == 3, result.output
    assert why in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("schema", SHORT)
@pytest.mark.parametrize("verb", ["merge-into", "migrate", "migrate --script", "migrate --apply-to-copy", "rehearse"])
def test_verbs_that_write_refuse(spark: SparkSession, table: MadeTable, tmp_path: Path, verb: str, schema: str) -> None:
    why = damage(table.path, schema)
    batch, out = tmp_path / "batch.parquet", tmp_path / "out"
    pq.write_table(pa.table({"id": ["a"], "part": ["p"], "ts": [3]}), batch)
    before = sorted(table.path.rglob("*"))
    given: dict[str, tuple[object, ...]] = {
        "merge-into": (table.path, "--incoming", batch, "--payload", "OverwriteWithLatestAvroPayload"),
        "migrate": ("--table", table.path, "--to", "1.2", "--out", out),
        "migrate --script": ("--table", table.path, "--to", "1.2", "--script", out),
        "migrate --apply-to-copy": ("--table", table.path, "--to", "1.2", "--apply-to-copy", out),
        "rehearse": (table.path, "--to", "1.2", "--copy", out),
    }
    result = run(verb.partition(" ")[0], *given[verb])
    assert result.exit_code == 3, result.output
    assert why in result.stderr
    assert not out.exists()
    assert sorted(table.path.rglob("*")) == before


@pytest.mark.parametrize("schema", SHORT)
def test_a_fleet_has_a_line_for_it(table: MadeTable, schema: str) -> None:
    why = damage(table.path, schema)
    (one,) = inspect_tables(str(table.path.parent), HudiRelease.latest()).tables
    assert (one.severity, why in str(one.failure)) == (Severity.NOT_CHECKED, True)
