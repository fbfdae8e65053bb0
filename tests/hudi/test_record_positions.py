"""Record positions in log blocks: which rows of the base file the log names, as Hudi reads them from 1.0 on."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from bridge.hudi import DamagedFileError, UnmergedTableError
from bridge.hudi.log_blocks import HeaderKey, read_blocks
from bridge.hudi.record_positions import positions_of
from tests.hudi.damaged import COLUMNS, change_property, rewrite, rows, sides
from tests.support.made_table import FIRST, MadeTable, positions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

KEY = "_hoodie_record_key"
BASE = f"g_0-0-0_{FIRST}.parquet"


def test_record_positions_of_recorded_logs_are_read(tables: Path) -> None:
    """Each entry of a delete block has one, and so each of these headers some."""
    headers = []
    for path in tables.rglob("p?/.*.log.*"):
        with pa.OSFile(str(path)) as stream:
            try:
                headers += [one.header.get(HeaderKey.RECORD_POSITIONS) for one in read_blocks(stream, path.name)]
            except DamagedFileError:
                continue
    found = [len(positions_of(text)) for text in headers if text]
    assert len(found) > 100
    assert min(found) > 0


def test_record_positions_are_read() -> None:
    assert positions_of(positions(0, 7, 4000)).tolist() == [0, 7, 4000]


@pytest.mark.parametrize("text", ["", "AAAA", "!", base64.b64encode(struct.pack("<qiI", 1, 0, 7)).decode()])
def test_record_positions_that_are_damaged_are_an_error(tmp_path: Path, text: str) -> None:
    table = MadeTable(tmp_path / "table", COLUMNS)
    table.base("g", pa.table({"id": ["a"], "part": ["p"], "ts": [1]}))
    table.commit()
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1, positions=text or "x")
    table.commit(1)
    with pytest.raises(DamagedFileError, match="its record positions can't be read: "):
        rows(table.path)


@pytest.fixture(params=["DefaultHoodieRecordPayload", "PartialUpdateAvroPayload"])
def named(request: pytest.FixtureRequest, tmp_path: Path) -> MadeTable:
    """A base file of the keys a, b and c, and a log that updates b and deletes c by their positions."""
    table = MadeTable(tmp_path / "table", COLUMNS)
    change_property(table.path, "hoodie.compaction.payload.class", f"org.apache.hudi.common.model.{request.param}")
    table.base("g", pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": [1, 1, 1]}))
    table.commit()
    table.log("g", "p", [{"id": "b", "part": "p", "ts": 2}], 1, positions=positions(1))
    table.commit(1)
    assert [row["ts"] for row in rows(table.path)] == [1, 1, 2]
    assert sides(table.path) == (3, 1)
    return table


def test_a_row_whose_key_is_empty_is_known_by_its_position(named: MadeTable) -> None:
    rewrite(named.path / "p" / BASE, lambda found: found.set_column(2, KEY, pa.array(["a", "", ""])))
    assert [(row[KEY], row["ts"]) for row in rows(named.path)] == [("a", 1), ("", 1), ("b", 2)]
    named.log("g", "p", [{"id": "b", "part": "p", "ts": 3}], 2, positions=positions(1))
    named.commit(2)
    assert [(row[KEY], row["ts"]) for row in rows(named.path)] == [("a", 1), ("", 1), ("b", 3)]


def test_a_row_without_key_is_an_error(named: MadeTable) -> None:
    rewrite(named.path / "p" / BASE, lambda found: found.set_column(2, KEY, pa.array(["a", None, "c"])))
    with pytest.raises(DamagedFileError, match=f"{BASE} has rows without a record key"):
        rows(named.path)


def test_a_row_of_another_file_is_replaced_by_its_position(named: MadeTable) -> None:
    """The size of the file, which is another one, is told."""
    rewrite(named.path / "p" / BASE, lambda found: found.set_column(2, KEY, pa.array(["a", "d", "b"])))
    assert [(row[KEY], row["ts"]) for row in rows(named.path)] == [("a", 1), ("b", 1), ("b", 2)]
    with pytest.raises(UnmergedTableError, match="other keys in the rows that its log names by position"):
        sides(named.path)
    named.log("g", "p", [{"id": "b", "part": "p", "ts": 0}], 2, positions=positions(1))
    named.commit(2)
    assert [(row[KEY], row["ts"]) for row in rows(named.path)] == [("a", 1), ("b", 1), ("b", 2)]


@pytest.mark.parametrize("by", [rows, sides])
def test_a_row_that_two_blocks_name_by_different_keys_is_an_error(named: MadeTable, by: Callable[[Path], Any]) -> None:
    """Real 1.2.0 merges the two as one row; by key they are two, of which the older one came back in silence."""
    named.log("g", "p", [{"id": "c", "part": "p", "ts": 3}], 2, positions=positions(2))
    named.commit(2)
    named.log("g", "p", [{"id": key, "part": "p", "ts": 4} for key in ("a", "x")], 3, positions=positions(0, 1))
    named.commit(3)
    with pytest.raises(DamagedFileError, match=r"log\.3.* names row 1 of the base file as 'x', .* before it as 'b'"):
        by(named.path)


def test_rows_that_a_base_file_lacks_come_from_the_log(named: MadeTable) -> None:
    rewrite(named.path / "p" / BASE, lambda found: found.slice(0, 1))
    assert [(row[KEY], row["ts"]) for row in rows(named.path)] == [("a", 1), ("b", 2)]
    with pytest.raises(UnmergedTableError, match="has 1 rows, and its log names the one at position 1"):
        sides(named.path)


@pytest.mark.parametrize("by_position", [True, False])
def test_a_key_that_a_base_file_has_twice_merges_in_python_alone(tmp_path: Path, *, by_position: bool) -> None:
    """Without positions the first row takes the update, with them each row that is named."""
    table = MadeTable(tmp_path / "table", COLUMNS)
    table.base("g", pa.table({"id": ["a", "b", "b", "c", "c"], "part": ["p"] * 5, "ts": [1] * 5}), rows_a_group=2)
    table.commit()
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1, positions=positions(0) if by_position else "")
    table.commit(1)
    assert sides(table.path) == (5, 1)
    table.log("g", "p", [{"id": "b", "part": "p", "ts": 2}], 2, positions=positions(1) if by_position else "")
    table.commit(2)
    assert sorted(row["ts"] for row in rows(table.path)) == [1, 1, 1, 2, 2]
    with pytest.raises(UnmergedTableError, match=f"{BASE} has the key 'b' more than once"):
        sides(table.path)


def test_a_block_has_a_position_for_each_record(named: MadeTable) -> None:
    named.log("g", "p", [{"id": key, "part": "p", "ts": 3} for key in "ab"], 2, positions=positions(0))
    named.commit(2)
    with pytest.raises(DamagedFileError, match="it has 2 records, but positions of 1"):
        rows(named.path)


@pytest.mark.parametrize(
    "containers", [[], [(0, 0, [0, 7])], [(0, 2, [1]), (3, 1, [9])], [(0, 1, [*range(0, 10000, 2)])]]
)
def test_record_positions_of_several_bitmaps(containers: list[tuple[int, int, list[int]]]) -> None:
    data, expected = struct.pack("<q", len(containers)), []
    for high, key, low in containers:
        data += struct.pack("<IIIHHI", high, 12346, 1, key, len(low) - 1, 16)
        bits = bytearray(8192)
        for one in low:
            bits[one // 8] |= 1 << one % 8
        data += struct.pack(f"<{len(low)}H", *low) if len(low) <= 4096 else bytes(bits)
        expected += [(high << 32) + (key << 16) + one for one in low]
    assert positions_of(base64.b64encode(data).decode()).tolist() == expected


def test_record_positions_of_runs() -> None:
    runs = struct.pack("<qIIBHHHHHHH", 1, 0, 12347, 1, 0, 7, 2, 3, 2, 100, 4)
    assert positions_of(base64.b64encode(runs).decode()).tolist() == [3, 4, 5, 100, 101, 102, 103, 104]
