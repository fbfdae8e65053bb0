"""What is recorded: the cases of a file and of histories, and what is kept of a table's properties."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.conformance.record import main
from tests.conformance.record_cases import load_cases
from tests.conformance.record_table import history_of, properties, reason, save
from tests.support import HISTORIES, MERGES, OPERATIONS, SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.record_cases import Case


def the(cases: list[Case], folder: str) -> Case:
    (found,) = [case for case in cases if case.folder == folder]
    return found


@pytest.mark.parametrize("release", ["0.15.0", "1.0.2", "1.2.0"])
def test_a_history_is_the_case_that_it_was_recorded_from(tmp_path: Path, release: str) -> None:
    for folder in ("late-partial-update-mor", "order-by-decimal-cow", "mysql-mor"):
        recorded = json.loads(gzip.decompress((HISTORIES / release / folder / "history.json.gz").read_bytes()))
        case = the(load_cases(HISTORIES, release, None), folder)
        save(tmp_path / folder, history_of(case, release))
        again = json.loads(gzip.decompress((tmp_path / folder / "history.json.gz").read_bytes()))
        same = again.keys() - {"commits"}
        assert {name: again[name] for name in same} == {name: recorded[name] for name in same}
        batches = [list(batch.rows) for batch in case.batches]
        assert batches[: len(recorded["commits"])] == [commit["incoming"] for commit in recorded["commits"]]


def test_batches_that_one_release_refused_are_taken_from_another() -> None:
    case = the(load_cases(HISTORIES, "1.1.1", "1.2.0"), "order-by-date-mor")
    assert (len(case.batches), case.compact_after) == (5, (3,))
    assert the(load_cases(HISTORIES, "1.1.1", "1.2.0"), "mysql-cow").ordering == "_event_bin_file,_event_pos"
    assert the(load_cases(HISTORIES, "1.1.1", "0.15.0"), "mysql-cow").ordering == "_event_seq"


RECORDED = [
    *((folder, release) for folder in (SETTINGS, OPERATIONS) for release in ("0.15.0", "1.0.2", "1.1.1", "1.2.0")),
    *((MERGES, release) for release in ("0.14.0", "0.15.0", "1.0.2", "1.1.1", "1.2.0")),
]


@pytest.mark.parametrize(("folder", "release"), RECORDED, ids=lambda value: getattr(value, "name", value))
def test_every_recorded_table_is_a_case_of_a_file(folder: Path, release: str) -> None:
    cases = load_cases(folder / "cases.json", release, None)
    for path in (folder / release).iterdir():
        case = the(cases, path.name)
        recorded = json.loads(gzip.decompress((path / "history.json.gz").read_bytes()))
        assert {name: recorded[name] for name in history_of(case, release)} == history_of(case, release) | {
            "commits": recorded["commits"]
        }
        refused = {one["statement"] for one in recorded.get("refused", ())}
        written = [one for one in enumerate(case.batches, start=1) if one[1].statement not in refused]
        for (number, batch), commit in zip(written, recorded["commits"], strict=False):
            assert commit.get("statement") == batch.statement
            assert (commit["incoming"], commit.get("operation", "upsert")) == (list(batch.rows), batch.operation)
            assert number in case.compact_after or not commit["compacted_inline"]


def test_the_properties_that_concern_merging(tmp_path: Path) -> None:
    (tmp_path / ".hoodie").mkdir()
    lines = [
        "#Updated at 2025",
        "hoodie.table.version=9",
        "hoodie.table.name=recorded",
        "hoodie.record.merge.property.a=b\\:c=d",
        "hoodie.table.checksum=1",
    ]
    (tmp_path / ".hoodie" / "hoodie.properties").write_text("\n".join(lines))
    assert properties(tmp_path) == {"hoodie.table.version": "9", "hoodie.record.merge.property.a": "b:c=d"}


def test_a_case_that_is_not_there_is_an_error_of_the_command_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(HISTORIES), str(tmp_path), "--release", "1.2.0", "--case", "none-such"])
    assert (result.exit_code, "no such case" in result.output) == (2, True)


def test_a_refusal_keeps_the_exceptions_and_no_path(tmp_path: Path) -> None:
    table = tmp_path / "default-cow"
    error = RuntimeError(
        f"o1.save\n: a.SomeException: at {table}/p0/x.log\n\tat a.B\nCaused by: b.OtherException: {'x' * 999}"
    )
    first, second = reason(error, table).splitlines()
    assert first == ": a.SomeException: at default-cow/p0/x.log"
    assert second.startswith("Caused by: b.OtherException: xxx")
    assert len(second) < 999
