"""A table that real Hudi writes by a layout, and its answers, in the form of the recorded tables."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

from bridge.hudi import TableQueries
from tests.conformance.record_table import reason
from tests.conformance.tables import Recorded, json_rows, without_meta
from tests.live.steps import SCHEMA_ON_READ

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.live.layouts import Layout
    from tests.live.steps import Step

_MOST_INSTANTS = 4
_QUERY = "hoodie.datasource.query.type"
_BEGIN = "hoodie.datasource.read.begin.instanttime"
_END = "hoodie.datasource.read.end.instanttime"


def record(spark: SparkSession, layout: Layout, folder: Path, release: str) -> Recorded:
    """Write a table to `folder`, and note there what the release's readers answer."""
    table = folder / "table"
    written = _Written(spark, layout, table, f"live_{folder.name.replace('-', '_')}"[:60])
    refused_steps = written.run()
    expected: dict[str, Any] = {
        "hudi_version": release,
        "case": layout.name,
        "table_type": layout.table_type,
        "options": layout.options,
        "steps": [{"do": step.do, "options": step.options, "sql": step.sql} for step in layout.steps],
        "refused_steps": refused_steps,
        "table_version": None,
    }
    if (table / ".hoodie/hoodie.properties").exists():
        expected |= _answers(spark, table, release, layout.options)
    (folder / "expected.json.gz").write_bytes(gzip.compress(json.dumps(expected, default=str).encode(), mtime=0))
    return Recorded(folder, folder.name, expected)


class _Written:
    """Runs the steps of a layout."""

    def __init__(self, spark: SparkSession, layout: Layout, table: Path, name: str) -> None:
        self._spark = spark
        self._layout = layout
        self._table = table
        self._name = name
        self._saved = ""

    def run(self) -> list[str]:
        """Run all steps; return what real Hudi refused of them."""
        refused = []
        for step in self._layout.steps:
            try:
                self._step(step)
            except Exception as error:  # noqa: BLE001 (whatever Hudi refuses, the table goes on)
                refused.append(f"{step.do} {step.sql}: {reason(error, self._table)[:300]}")
        self._spark.sql(f"drop table if exists {self._name}")
        for name in SCHEMA_ON_READ:
            self._spark.conf.unset(name)
        return refused

    def _step(self, step: Step) -> None:
        if step.do == "sql":
            self._sql(step.sql)
        elif step.do == "crash":
            last = self._last_file()
            (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
            last.unlink()
        else:
            self._write(step)

    def _write(self, step: Step) -> None:
        columns = step.columns or self._layout.columns
        ddl = ", ".join(f"`{name}` {kind}" for name, kind in columns.items())
        rows = [tuple(row.get(name) for name in columns) for row in step.rows]
        options = self._layout.options | step.options | {"hoodie.datasource.write.operation": step.do}
        options["hoodie.table.name"] = self._name
        if step.do == "delete_partition":
            options["hoodie.datasource.write.partitions.to.delete"] = self._first_partition()
        frame = self._spark.createDataFrame(rows, ddl).coalesce(1)
        frame.write.format("hudi").options(**options).mode("append").save(str(self._table))

    def _sql(self, statement: str) -> None:
        if "hoodie.schema.on.read.enable" in self._layout.options:
            for name, text in SCHEMA_ON_READ.items():
                self._spark.conf.set(name, text)
        self._spark.sql(f"create table if not exists {self._name} using hudi location '{self._table}'")
        if "LAST" in statement:
            last = self._last_file().name.partition(".")[0].partition("_")[0]
            self._saved = last if "savepoint" in statement else self._saved
            statement = statement.replace("LAST", last)
        self._spark.sql(statement.replace("NAME", self._name).replace("SAVED", self._saved)).collect()

    def _last_file(self) -> Path:
        """Return the file of the last completed commit."""
        folder = self._table / ".hoodie"
        folder = folder / "timeline" if (folder / "timeline").exists() else folder
        done = [path for path in folder.iterdir() if path.name.endswith(("commit",)) and path.name[0].isdigit()]
        return max(done, key=lambda path: path.name)

    def _first_partition(self) -> str:
        found = sorted(path.parent for path in self._table.rglob(".hoodie_partition_metadata"))
        return str(found[0].relative_to(self._table))


def _answers(spark: SparkSession, table: Path, release: str, written: Mapping[str, str]) -> dict[str, Any]:
    ours = TableQueries(str(table), release)
    properties, commits = ours.properties, ours.timeline.commits
    refused: dict[str, str] = {}

    def ask(question: str, options: Mapping[str, str]) -> list[dict[str, Any]] | None:
        try:
            found = rows_of(spark.read.format("hudi").options(**options).load(str(table)))
        except Exception as error:  # noqa: BLE001 (whatever Hudi refuses is an answer)
            refused[question] = reason(error, table) or type(error).__name__
            return None
        return found if properties.has_meta_fields else without_meta(found)

    moments = [c.completed or c.requested for c in commits] if properties.has_completion_times else []
    moments = moments or [commit.requested for commit in commits]
    chosen = commits[:: max(1, len(commits) // _MOST_INSTANTS)]
    begins = sorted({"000", *sorted(moments)[:: max(1, len(moments) // _MOST_INSTANTS)]})
    spans = [f"{begins[0]} {max(moments)}", f"{begins[-2]} {begins[-1]}"] if len(begins) > 1 else []
    found: dict[str, Any] = {
        "table_version": properties.version,
        "properties": dict(properties.stored),
        "snapshot": ask("snapshot", {}),
        "read_optimized": ask("read_optimized", {_QUERY: "read_optimized"}),
        "as_of": {c.requested: ask(f"as_of {c.requested}", {"as.of.instant": c.requested}) for c in chosen},
        "incremental": {begin: ask(f"incremental {begin}", {_QUERY: "incremental", _BEGIN: begin}) for begin in begins},
        "incremental_until": {
            span: ask(
                f"incremental_until {span}",
                {_QUERY: "incremental", _BEGIN: span.split()[0], _END: span.split()[1]},
            )
            for span in spans
        },
    }
    if "hoodie.schema.on.read.enable" in written:
        found["snapshot_schema_on_read"] = ask("snapshot_schema_on_read", {"hoodie.schema.on.read.enable": "true"})
    return found | {"refused": refused}


def rows_of(frame: DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame as the recorded tables have them, by Arrow, which keeps every value as it is."""
    collect: Callable[[], Any] = frame._collect_as_arrow  # collect() makes local times of timestamps
    return [row for batch in collect() for row in json_rows(batch)]
