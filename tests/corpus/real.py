"""Writes tables of the corpus with the real Hudi of a release, and notes what it answers; `tests.corpus` runs it."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bridge.spark.small_input import INTERPRETED, JAVA_OPTIONS
from payloads import HudiRelease
from tests.conformance.record_table import history_of, session, write
from tests.corpus.shapes import SHAPES, TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from tests.conformance.record_cases import Case

FEW_FILES = {
    "hoodie.embed.timeline.server": "false",
    "hoodie.upsert.shuffle.parallelism": "1",
    "hoodie.insert.shuffle.parallelism": "1",
    "hoodie.clean.automatic": "false",
    "hoodie.archive.automatic": "false",
    "hoodie.index.type": "SIMPLE",
    "hoodie.simple.index.parallelism": "1",
}
SETTINGS = {
    **INTERPRETED,
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_THROWN = re.compile(r"^(?:Caused by: |.*?: )?((?:[\w$]+\.)+[\w$]*(?:Exception|Error)\b.*)$")
_LONGEST = 400


@click.command(help=__doc__)
@click.argument("release")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--jars", required=True, help="Those of the classes, separated by commas.")
@click.option("--table", "tables", multiple=True, required=True, help="NAME-TYPE, such as FillsStored-mor.")
@click.option("--seed", default=0)
def main(release: str, folder: Path, jars: str, tables: Sequence[str], seed: int) -> None:
    """Write a history of each table below FOLDER/RELEASE."""
    spark = session(release, SETTINGS | {"spark.jars": jars})
    try:
        for label in tables:
            name, _, table_type = label.rpartition("-")
            if table_type not in TYPES:
                msg = f"{label} is no table"
                raise click.UsageError(msg)
            case = SHAPES[name].case(table_type, HudiRelease.parse(release), seed)
            history = written(spark, case, release)
            place = folder / release / label
            place.mkdir(parents=True, exist_ok=True)
            (place / "history.json").write_text(json.dumps(history, ensure_ascii=False), encoding="utf-8")
            click.echo(f"{release} {label}: {len(history['commits'])} commits, {history['seconds']} s")
    finally:
        spark.stop()


def written(spark: SparkSession, case: Case, release: str) -> dict[str, Any]:
    """Write the batches of a table until Hudi refuses one, and return its history."""
    began = time.monotonic()
    work = Path(tempfile.mkdtemp(prefix="corpus-"))
    history = history_of(case, release)
    try:
        for number in range(1, len(case.batches) + 1):
            try:
                history["commits"].append(write(spark, case, work / "table", number, FEW_FILES))
            except Exception as error:  # noqa: BLE001 (whatever Hudi refuses is an answer)
                history["error"] = thrown(str(error)) or f"{type(error).__name__}: {error}"[:_LONGEST]
                rows, compacts = case.batches[number - 1].rows, number in case.compact_after
                history["refused"] = {"incoming": rows, "compacted_inline": compacts}
                break
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return history | {"seconds": round(time.monotonic() - began, 1)}


def thrown(text: str) -> str:
    """Return the exceptions of Java's stack traces, a line each, the outermost first."""
    found = dict.fromkeys(match[1][:_LONGEST] for line in text.splitlines() if (match := _THROWN.match(line.strip())))
    return "\n".join(found)


if __name__ == "__main__":
    main()
