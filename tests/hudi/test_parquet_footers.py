"""A base file whose footer is damaged is read where Java's reader reads it, as `tests.live.damage.footers` recorded."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from bridge.hudi import DamagedFileError, SliceSymptoms, TableQueries
from bridge.hudi.parquet_footers import FooterError, check_footer, open_parquet
from bridge.migration.damage_search import _settings
from tests.hudi.damaged import copied, rows
from tests.live.damage.footers import ANSWERS, mutations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORDED = {one["file"]: (base64.b64decode(one["data"]), one["answers"]) for one in json.loads(ANSWERS.read_text())}
OF_LISTS = {"base file": set[int](), "every type": {5190, 5552, 10592}}
"""Mutations by which a list has more values in the footer than in its pages."""


def answered(name: str, answer: str) -> Iterator[tuple[int, bytes]]:
    """Give the mutations, with their numbers, of which Java reads all rows, `1`, or not, `0`."""
    data, answers = RECORDED[name]
    for number, (changed, found) in enumerate(zip(mutations(data), answers, strict=True)):
        if found == answer:
            yield number, changed


def is_read(data: bytes) -> bool:
    try:
        with open_parquet(pa.BufferReader(data)) as parquet:
            parquet.read()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return False
    return True


def is_refused(data: bytes) -> bool:
    """Whether the footer alone is a reason not to read a file."""
    length = int.from_bytes(data[-8:-4], "little")
    try:
        check_footer(data[-8 - length : -8], len(data))
    except FooterError:
        return True
    return False


@pytest.mark.parametrize("name", RECORDED)
def test_what_java_does_not_read_is_not_read(name: str) -> None:
    found = [number for number, data in answered(name, "0") if number not in OF_LISTS[name] and is_read(data)]
    assert found == []


@pytest.mark.parametrize("name", RECORDED)
def test_no_footer_that_java_reads_is_refused(name: str) -> None:
    assert [number for number, data in answered(name, "1") if is_refused(data)] == []


@pytest.mark.xfail(strict=True, reason="how many values a list has is in the pages alone, which are not looked at")
def test_the_values_of_lists_are_counted() -> None:
    assert [
        number for number, data in answered("every type", "0") if number in OF_LISTS["every type"] and is_read(data)
    ] == []


def test_a_damaged_footer_is_told_in_a_sentence(tables: Path, tmp_path: Path) -> None:
    """Its first flipped bit that Java's reader fails on and Arrow's does not: a column of no repetition."""
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    data, _ = RECORDED["base file"]
    (file,) = (one for one in path.rglob("*.parquet") if one.read_bytes() == data)
    file.write_bytes(data[:2041] + bytes([data[2041] ^ 1]) + data[2042:])
    told = f"^{file} can't be read: its footer does not say whether _hoodie_commit_seqno may be null; restore the file"
    with pytest.raises(DamagedFileError, match=told):
        rows(path)
    opened = TableQueries(str(path))
    answer = opened.snapshot()
    scan = SliceSymptoms(*_settings(opened, answer)[0])
    (one,) = (each for found in answer.slices for each in scan.of(found) if each.kind == "unreadable")
    assert one.file == file.name
    assert str(file) in one.reason


@pytest.mark.parametrize(("release", "is_read"), [("0.15", False), ("1.2", True)])
def test_a_text_that_the_footer_calls_bytes(tables: Path, tmp_path: Path, release: str, *, is_read: bool) -> None:
    path = copied(tables, tmp_path, "0.15.0", "mor-plain-default")
    before = rows(path, release)
    data, _ = RECORDED["base file"]
    (file,) = (one for one in path.rglob("*.parquet") if one.read_bytes() == data)
    file.write_bytes(data[:2219] + bytes([data[2219] ^ 0xFF]) + data[2220:])
    if is_read:
        assert rows(path, release) == before
        return
    with pytest.raises(DamagedFileError, match=f"{file} has bytes in name, a text in the table; restore the file"):
        rows(path, release)
