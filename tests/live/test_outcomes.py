"""What commands make of answers that differ: which are Hudi's own mistake, and how many refusals are too many."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from bridge.hudi import TableQueries
from tests.conformance.tables import Recorded, rows_of
from tests.live.damage.outcomes import is_wrong, outcome
from tests.live.damage.readers import HANGS, functions
from tests.live.mixed_up import keys_mixed_up
from tests.support.made_table import MadeTable, instant

if TYPE_CHECKING:
    from pathlib import Path

KEY = "_hoodie_record_key"


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    """Write a table whose log has a Parquet block with text ordering values; return what it has by these."""
    table = MadeTable(tmp_path / "table", {"id": "string", "part": "string", "ts": "string"})
    table.base("g", pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": ["050"] * 3}))
    table.commit()
    logged = [{"id": key, "part": "p", "ts": text} for key, text in zip("abc", ("010", "020", "090"), strict=True)]
    table.log("g", "p", logged, 1, as_parquet=True)
    table.commit(1)
    return sorted(rows_of(TableQueries(str(tmp_path / "table"), "1.2").snapshot()), key=lambda row: str(row[KEY]))


@pytest.mark.parametrize(
    ("theirs", "question", "release", "mixed_up"),
    [
        ("010 020 090", "snapshot", "1.2.0", ["a", "b"]),
        ("050 020 090", "snapshot", "1.2.0", ["b"]),
        ("010 020 050", "snapshot", "1.2.0", []),  # the last row of the block is compared by its own value
        ("010 020", "snapshot", "1.2.0", []),
        ("010 020 090", "read_optimized", "1.2.0", []),
        ("010 020 090", "snapshot", "0.15.0", []),
        ("010 020 090", "as_of 1", "1.2.0", []),
    ],
)
def test_answers_that_hudi_mixed_up(  # noqa: PLR0913, PLR0917 (an example)
    tmp_path: Path, rows: list[dict[str, Any]], theirs: str, question: str, release: str, mixed_up: list[str]
) -> None:
    assert [row["ts"] for row in rows] == ["050", "050", "090"]
    answer = [row | {"ts": text} for row, text in zip(rows, theirs.split(), strict=False)]
    answers = {"hudi_version": release, "snapshot": answer, "read_optimized": answer}
    assert keys_mixed_up(Recorded(tmp_path, "made", answers), question) == mixed_up


ROWS = {"rows": [{"_hoodie_commit_time": "1", KEY: "a"}]}
OTHER = {"rows": [{"_hoodie_commit_time": "1", KEY: "b"}]}
FAILS = {"refused": "java.io.EOFException"}
REFUSED = {"refused": "TABLE/p/a.parquet can't be read: it ends too early", "is_sentence": True}
INTERNAL = {"refused": "'NoneType' object has no attribute 'get'", "is_sentence": False}
VERSION = {"refused": "TABLE has no hoodie.table.version", "is_sentence": True}
HANGING = {"refused": HANGS}
SOUND: dict[str, Any] = {"warnings": []}
DAMAGED = {"warnings": ["p/a.parquet is missing"]}


@pytest.mark.parametrize(
    ("theirs", "ours", "inspect", "found"),
    [
        (ROWS, ROWS | SOUND, {}, "equal"),
        (ROWS, ROWS | DAMAGED, {}, "equal"),
        (ROWS, OTHER | SOUND, {}, "silent"),
        (ROWS, OTHER | DAMAGED, {}, "warned"),
        (FAILS, ROWS | SOUND, {}, "silent"),
        (FAILS, ROWS | DAMAGED, {}, "warned"),
        (FAILS, REFUSED, {}, "refused by both"),
        (FAILS, REFUSED, DAMAGED, "refused by both"),
        (FAILS, REFUSED, SOUND, "silent"),
        (ROWS, REFUSED, {}, "refused by us alone"),
        (OTHER, REFUSED, {}, "refused where Hudi shows other rows than were written"),
        (ROWS, VERSION, {}, "refused as another version"),
        (FAILS, INTERNAL, {}, "tracebacks"),
        (ROWS, ROWS | SOUND, INTERNAL, "tracebacks"),
        (ROWS, ROWS | SOUND, REFUSED, "equal"),
        (ROWS, HANGING, {}, "hangs"),
        (ROWS, ROWS | SOUND, HANGING, "hangs"),
        (HANGING, OTHER | SOUND, {}, "without an answer of Hudi"),
    ],
)
def test_outcomes_of_damage(theirs: dict[str, Any], ours: dict[str, Any], inspect: dict[str, Any], found: str) -> None:
    named, _ = outcome(theirs, ours | {"inspect": inspect}, ROWS["rows"])
    assert named == found
    is_one_of_the_four = found in {"refused by us alone", "silent", "hangs", "tracebacks"}
    assert is_wrong(collections.Counter({"equal": 7, found: 1})) is is_one_of_the_four


def test_a_sound_table_and_one_of_which_no_row_is_read(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    path = tmp_path / "table"
    sound = functions(path, "1.2")
    assert len(sound["rows"]) == len(rows)
    assert [one.partition(":")[0] for one in sound["inspect"]["warnings"]] == ["shared-ordering", "late"]
    (path / f".hoodie/{instant(1)}.deltacommit").write_text('{"extraMetadata": {"schema": "7"}}')
    unread = functions(path, "1.2")
    assert unread["is_sentence"]
    assert {one.partition(":")[0] for one in unread["inspect"]["warnings"]} == {"unread"}
