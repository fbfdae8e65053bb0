"""The archive that a rehearsal leaves where its prediction is wrong: all that is needed to report and repeat it."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import operator
import platform
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark
from pyspark.sql import functions as sf

from bridge.migration.part_copy import group_of
from bridge.pipeline import LEFT, RIGHT
from bridge.redaction import current
from bridge.spark import META_COLUMNS, local_path, quoted_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.migration.rehearsal_report import RehearsalReport

_NAME: Final = "hudi-payload-bridge"
_METADATA: Final = ".hoodie"
_INSTANT: Final = re.compile(r"\d{14,17}[._]")
_MOST_BYTES: Final = 256 << 20
"""Data files are left out from this size on, uncompressed."""


def bundle_path(copy: Path) -> Path:
    """Return the file that the archive of a copy becomes."""
    return copy.with_name(f"{copy.name}-not-as-predicted.zip")


def write_bundle(found: RehearsalReport, folder: Path, place: Path) -> None:
    """Write an archive with the report, both tables' properties, and what the rows that are off were made of.

    `report.json` is the report with all rows, `about.json` has versions and settings; `table/` has the timeline and the
    file groups of the rows that are off, `copy/` the properties of the copy, `given/` the batches and the script. Where
    values are hidden, all that there is of both tables are their properties, and the names of the instants: commits
    have statistics of columns, and paths of partitions.

    An older archive stays until the new one is complete.

    Args:
        found: a rehearsal whose verdict is NOT AS PREDICTED.
        folder: where its batches and its script are.
        place: the file.
    """
    partial = place.with_name(f"{place.name}.part")
    try:
        _write(found, folder, partial)
        partial.replace(place)
    finally:
        partial.unlink(missing_ok=True)


def _write(found: RehearsalReport, folder: Path, place: Path) -> None:
    hides = current().is_active
    table, copy = Path(local_path(found.table.path)), found.copied.path
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
        archive.writestr("report.json", found.to_json())
        archive.writestr("about.json", json.dumps(_about(found, with_data=not hides), indent=2))
        archive.write(copy / _METADATA / "hoodie.properties", "copy/.hoodie/hoodie.properties")
        own = [table / _METADATA / "hoodie.properties"]
        if hides:
            archive.writestr("instants.txt", "".join(f"{name}\n" for name in _instants(table / _METADATA)))
        else:
            timeline = (table / _METADATA).rglob("*")
            own = [path for path in timeline if "metadata" not in path.relative_to(table).parts]
            own += _data_files(found, table)
            for path in folder.glob("batch-*/*.parquet"):
                archive.write(path, Path("given", path.relative_to(folder)))
            for path in folder.glob("*.py"):
                archive.write(path, Path("given", path.name))
        for path in own:
            if path.is_file():
                archive.write(path, Path("table", path.relative_to(table)))


def _about(found: RehearsalReport, *, with_data: bool) -> dict[str, object]:
    try:
        own = importlib.metadata.version(_NAME)
    except importlib.metadata.PackageNotFoundError:
        own = "not installed"
    return {
        _NAME: own,
        "python": platform.python_version(),
        "pyspark": pyspark.__version__,
        "bundle": found.program,
        "from": str(found.table.release),
        "to": found.to,
        "steps": [step.name for step in found.steps],
        "with_data": with_data,
    }


def _instants(metadata: Path) -> list[str]:
    """Return the names of the files of the active timeline."""
    files = [*metadata.glob("*"), *metadata.glob("timeline/*")]
    return sorted(path.name for path in files if path.is_file() and _INSTANT.match(path.name))


def _data_files(found: RehearsalReport, table: Path) -> list[Path]:
    """Return the files of the file groups that hold the rows that are off, up to a size."""
    deviations = found.deviations
    if deviations is None:
        return []
    names = found.table.identity
    keys = deviations.select(*(sf.coalesce(sf.col(LEFT)[name], sf.col(RIGHT)[name]).alias(name) for name in names))
    held = found.table.versions(all_slices=False).alias("held")
    same = (sf.col(f"held.{quoted_name(name)}").eqNullSafe(sf.col(f"off.{quoted_name(name)}")) for name in names)
    joined = held.join(keys.distinct().alias("off"), functools.reduce(operator.and_, same), "leftsemi")
    rows = joined.select(META_COLUMNS[3], "_pb_file").distinct().collect() if names else []
    groups = {(row[0], group_of(row[1])) for row in rows}
    files = sorted(_files_of(table, groups))
    return files if sum(path.stat().st_size for path in files) < _MOST_BYTES else []


def _files_of(table: Path, groups: set[tuple[str, str]]) -> Iterator[Path]:
    for partition in {partition for partition, _ in groups}:
        for path in (table / partition).iterdir():
            if path.name.startswith(".hoodie_partition") or (partition, group_of(path.name)) in groups:
                yield path
