"""A table that is written while it is read: a query shows one instant, whatever completes or is cleaned meanwhile."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from bridge.hudi import HudiTableError, TableQueries
from tests.conformance.tables import Recorded, difference, load, rows_of

if TYPE_CHECKING:
    from pathlib import Path

CASES = [
    ("0.15.0", "mor-compacted-postgres"),
    ("1.2.0", "mor-late-compaction-partial"),
    ("1.2.0", "cow-clustered-default"),
]


@pytest.fixture(params=CASES, ids="-".join)
def recorded(request: pytest.FixtureRequest, tables: Path, tmp_path: Path) -> Recorded:
    release, case = request.param
    (found,) = load(tables, release=release, case=case)
    shutil.copytree(found.folder / "table", tmp_path / "table")
    return found._replace(folder=tmp_path)


def take_away(recorded: Recorded, aside: Path) -> str:
    """Move what the last commit wrote aside, as if it had not begun; return the commit before it."""
    table = recorded.folder / "table"
    timeline = TableQueries(str(table)).timeline
    before, last = timeline.commits[-2:]
    names = {name for written in timeline.written([last]).values() for name in written}
    for path in list(table.rglob("*")):
        if path.is_file() and (path.name in names or path.name.startswith(last.requested)):
            place = aside / path.relative_to(table)
            place.parent.mkdir(parents=True, exist_ok=True)
            path.rename(place)
    return before.requested


def test_a_commit_that_lands_meanwhile_does_not_show(recorded: Recorded, tmp_path: Path) -> None:
    table, aside = recorded.folder / "table", tmp_path / "aside"
    before = take_away(recorded, aside)
    expected = recorded.answers["as_of"][before]
    planned = TableQueries(str(table), recorded.release).snapshot()
    opened = TableQueries(str(table), recorded.release)
    shutil.copytree(aside, table, dirs_exist_ok=True)
    assert difference(expected, rows_of(planned)) == ""
    assert difference(expected, rows_of(opened.snapshot())) == ""
    now = TableQueries(str(table), recorded.release).snapshot()
    assert difference(recorded.answers["snapshot"], rows_of(now)) == ""


def test_a_file_that_is_cleaned_meanwhile_is_named(recorded: Recorded) -> None:
    answer = TableQueries(str(recorded.folder / "table"), recorded.release).snapshot()
    found = next(one for one in answer.slices if one.base_file)
    (recorded.folder / "table" / found.path_of(str(found.base_file))).unlink()
    with pytest.raises(HudiTableError, match=rf"{found.base_file} can't be opened: .*; it may have been cleaned since"):
        rows_of(answer)
