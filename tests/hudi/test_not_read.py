"""What is not read is refused by name, with what to do; what is passed over is told."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from click.testing import CliRunner

from bridge import find_damage
from bridge.cli import main
from bridge.hudi import HudiTableError, SliceReader, TableQueries
from tests.support.made_table import FIRST, MadeTable

if TYPE_CHECKING:
    from pathlib import Path

FIRST_UPGRADE = "first upgrade the table with Hudi 0.12 to 0.15, by a write or with hudi-cli"
KEYLESS = (
    "Such a table stores no record key, so a write by 0.14 or later that names one is refused (apache/hudi#19723): "
    "upgrade it with 0.12 or 0.13, or with hudi-cli. The upgrade does not store the ordering field either "
    "(apache/hudi#19738): pass it in each write"
)
VERSIONS = {
    "0": f"it is that of Hudi 0.5 or older; {FIRST_UPGRADE}. {KEYLESS}",
    "1": f"it is that of Hudi 0.6 to 0.8; {FIRST_UPGRADE}. {KEYLESS}",
    "2": f"it is that of Hudi 0.9; {FIRST_UPGRADE}",
    "4": f"it is that of Hudi 0.11; {FIRST_UPGRADE}",
    "7": "it is that of an upgrade to Hudi 1.0 that did not end; finish it with Hudi 1.0",
    "10": "it is that of Hudi 1.3; read it with that release",
    "12": "there is no such table version",
}


def made(folder: Path, **properties: str) -> MadeTable:
    table = MadeTable(folder, {"id": "string", "part": "string", "ts": "long"}, **properties)
    table.base("f", pa.table({"id": ["a"], "part": ["p"], "ts": [1]}))
    table.commit()
    return table


@pytest.mark.parametrize("version", VERSIONS)
def test_another_table_version_is_named_with_what_to_do(tmp_path: Path, version: str) -> None:
    made(tmp_path / "t", version=version)
    path = str(tmp_path / "t")
    told = f"hoodie.table.version={version!r} can't be read: {VERSIONS[version]} "
    never = "leave the file as it is, since an edited version makes Hudi misread the table"
    with pytest.raises(HudiTableError) as failure:
        TableQueries(path)
    assert told in str(failure.value)
    assert never in str(failure.value)
    for words in (["inspect", path], ["plan", path, "--to", "1.2"], ["migrate", "--table", path, "--to", "1.2"]):
        result = CliRunner().invoke(main, words)
        assert result.exit_code == 3, result.output
        assert told in result.stderr
        assert never in result.stderr


@pytest.mark.parametrize("kind", ["LANCE", "HFILE"])
def test_a_table_of_another_base_file_format_is_named(tmp_path: Path, kind: str) -> None:
    made(tmp_path / "t", base_file_format=kind)
    with pytest.raises(HudiTableError, match=f"has {kind} base files, but only PARQUET and ORC are supported"):
        TableQueries(str(tmp_path / "t"))


@pytest.mark.parametrize("kind", ["lance", "hfile"])
def test_a_base_file_of_another_format_is_named(tmp_path: Path, kind: str) -> None:
    made(tmp_path / "t")
    name = f"f_0-0-0_{FIRST}"
    (tmp_path / f"t/p/{name}.parquet").rename(tmp_path / f"t/p/{name}.{kind}")
    answer = TableQueries(str(tmp_path / "t")).snapshot()
    with pytest.raises(HudiTableError, match=rf"{name}\.{kind} is a base file in {kind.upper()}, but only PARQUET"):
        list(SliceReader(answer.query).read(answer.slices[0]))


def test_files_of_change_data_are_passed_over_and_told(tmp_path: Path) -> None:
    made(tmp_path / "t")
    (tmp_path / f"t/p/.f_{FIRST}.log.1_0-0-0.cdc").write_bytes(b"change data")
    path = str(tmp_path / "t")
    (finding,) = (one for one in find_damage(path).findings if "change data" in one.text)
    assert "1 file of change data (.cdc) ignored, such as .f_" in finding.text
    answer = TableQueries(path).snapshot()
    assert sum(batch.num_rows for batch in SliceReader(answer.query).read(answer.slices[0])) == 1
    with pytest.raises(HudiTableError, match="cdc queries are not supported"):
        TableQueries(path).incremental("0", form="cdc")


DATE = {"type": "int", "logicalType": "date"}


@pytest.mark.parametrize(
    ("kind", "path", "release", "question", "told"),
    [
        (DATE, "2024/03/15", "1.2", "snapshot", "part is a date, so Hudi 1.2 fails to read the table"),
        (DATE, "2024/03/15", "1.1", "read_optimized", "part is a date, so Hudi 1.1 fails to read the table"),
        (DATE, "part=2024/03/15", "1.0", "snapshot", "part is a date, so Hudi 1.0 fails to read the table"),
        (DATE, "2024/03/15", "0.15", "read_optimized", "part is a date, so Hudi 0.15 fails to read the table"),
        ("bytes", "a/b", "1.2", "snapshot", "part is a bytes, so Hudi 1.2 fails to read the table"),
        ("long", "1/2", "1.2", "snapshot", "part is a long, so Hudi 1.2 fails to read the table"),
        (DATE, "2024/03/15", "0.15", "snapshot", ""),  # it has the values of the files
        (DATE, "2024-03-15", "1.2", "snapshot", ""),
        ("string", "2024/03/15", "1.2", "snapshot", ""),
    ],
)
def test_a_path_with_slashes_is_a_text(  # noqa: PLR0913, PLR0917 (a table, a question and its answer)
    tmp_path: Path, kind: Any, path: str, release: str, question: str, told: str
) -> None:
    table = MadeTable(tmp_path / "t", {"id": "string", "part": kind, "ts": "long"})
    table.base("f", pa.table({"id": ["a"], "part": [path], "ts": [1]}))
    table.commit()
    queries = TableQueries(str(tmp_path / "t"), release)
    with pytest.raises(HudiTableError, match=told) if told else contextlib.nullcontext():
        getattr(queries, question)()


def test_a_path_that_does_not_tell_the_values_of_its_columns(tmp_path: Path) -> None:
    table = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long"}, partition_fields="part,ts")
    table.base("f", pa.table({"id": ["a"], "part": ["x/y/1"], "ts": [1]}))
    table.commit()
    with pytest.raises(HudiTableError, match="'x/y/1' does not determine the values of part, ts, so Hudi refuses"):
        TableQueries(str(tmp_path / "t")).snapshot()
