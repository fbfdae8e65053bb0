"""A table of version 9 whose partial update mode only the preview of 1.3 knows: which reader shows what of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.config import MergeConfigError
from bridge.hudi import TableQueries
from payloads import HudiRelease, PayloadBridgeError
from payloads.release import PREVIEW_NOTE
from tests.hudi.damaged import copied, rows

if TYPE_CHECKING:
    from pathlib import Path

CASE = "mor-plain-mysql"
MODE = (
    "hoodie.table.partial.update.mode=FILL_UNCHANGED\n"
    "hoodie.record.merge.property.hoodie.write.partial.update.changed.fields=_changed_columns\n"
)


@pytest.fixture
def previewed(tables: Path, tmp_path: Path) -> Path:
    """A recorded table with the mode; its rows list no changed columns, so that they merge by event time alone."""
    path = copied(tables, tmp_path, "1.2.0", CASE)
    file = path / ".hoodie" / "hoodie.properties"
    file.write_text(f"{file.read_text().rstrip()}\n{MODE}")
    return path


def test_rows_without_lists_are_those_of_event_time(previewed: Path, tables: Path, tmp_path: Path) -> None:
    (tmp_path / "as_recorded").mkdir()
    recorded = rows(copied(tables, tmp_path / "as_recorded", "1.2.0", CASE))
    assert TableQueries(str(previewed)).release is HudiRelease.V1_3
    found = rows(previewed, "1.3")
    assert len(found) == len(recorded) > 10
    assert found == recorded


def test_other_readers_are_refused(previewed: Path) -> None:
    for release in ("1.1", "1.2"):
        with pytest.raises(
            (MergeConfigError, PayloadBridgeError), match=rf"FILL_UNCHANGED, which Hudi {release} does not know"
        ):
            rows(previewed, release)


@pytest.mark.spark
@pytest.mark.parametrize("verb", ["inspect", "snapshot", "history", "explain", "diff", "compare-readers", "fleet"])
def test_reports_about_it_say_that_nothing_was_compared(previewed: Path, verb: str, spark: object) -> None:
    table = str(previewed)
    words = {
        "explain": [
            "explain",
            "--table",
            table,
            "--row",
            f"_hoodie_record_key={rows(previewed, '1.3')[0]['_hoodie_record_key']}",
        ],
        "diff": ["diff", table, "--against", table],
        "compare-readers": ["compare-readers", table, "--reader", "1.3"],
        "fleet": ["inspect", "--root", str(previewed.parent), "--release", "1.3"],
    }
    found = CliRunner().invoke(main, [*words.get(verb, [verb, table]), "--output", "json"])
    assert found.exit_code == 0, found.output
    assert PREVIEW_NOTE[4:] in json.loads(found.stdout)["verdict"]
