"""Copies of tables to damage, and what is read of them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from bridge.hudi import TableQueries
from bridge.hudi.slice_sides import SliceSides
from tests.conformance.tables import load, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

COLUMNS = {"id": "string", "part": "string", "ts": "long"}


def copied(tables: Path, tmp_path: Path, release: str, case: str) -> Path:
    (recorded,) = load(tables, release, case)
    return Path(shutil.copytree(recorded.folder / "table", tmp_path / "table"))


def rows(path: Path, release: str = "1.2") -> list[dict[str, Any]]:
    return rows_of(TableQueries(str(path), release).snapshot())


def sides(path: Path, release: str = "1.2") -> tuple[int, int]:
    """Read base files and logs as engines on frames take them; return how many rows and versions they have."""
    answer = TableQueries(str(path), release).snapshot()
    reader = SliceSides(answer.query)
    slices = [(number, found) for number, found in enumerate(answer.slices) if found.data_logs]
    stored, logged = (
        sum(batch.num_rows for each in slices for batch in read(*each)) for read in (reader.stored, reader.logged)
    )
    return stored, logged


def altered(path: Path, release: str = "1.2") -> list[str]:
    return [str(one) for one in TableQueries(str(path), release).listings.altered_files()]


def change_property(path: Path, name: str, value: str) -> str:
    """Give a property another value; return the file as it was."""
    file = path / ".hoodie/hoodie.properties"
    text = file.read_text()
    lines = [line for line in text.splitlines() if not line.startswith(f"{name}=")]
    file.write_text("\n".join([*lines, f"{name}={value}", ""]))
    return text


def rewrite(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Write the rows of a base file again, changed."""
    pq.write_table(change(pq.read_table(path, partitioning=None)), path)
