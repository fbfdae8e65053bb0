"""Writes tables of the corpus with the real Hudi of a release and a generated merger; `tests.migrated` runs it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import click

from payloads import HudiRelease
from tests.conformance.record_table import session
from tests.corpus.real import SETTINGS, written
from tests.corpus.shapes import SHAPES


@click.command(help=__doc__)
@click.argument("release")
@click.argument("asked", type=click.File())
@click.argument("folder", type=click.Path(path_type=Path))
def main(release: str, asked, folder: Path) -> None:
    """Write the tables of a JSON list, each with jar, class, table type, seed and what differs in its shape."""
    tables = json.load(asked)
    jars = ",".join(dict.fromkeys(one["jar"] for one in tables))
    spark = session(release, SETTINGS | {"spark.jars": jars})
    try:
        for one in tables:
            shape = dataclasses.replace(SHAPES[one["class"]], **one["shape"])
            history = written(spark, shape.case(one["type"], HudiRelease.parse(release), one["seed"]), release)
            place = folder / release / f"{one['class']}-{one['type']}"
            place.mkdir(parents=True, exist_ok=True)
            (place / "history.json").write_text(json.dumps(history, ensure_ascii=False), encoding="utf-8")
    finally:
        spark.stop()


if __name__ == "__main__":
    main()
