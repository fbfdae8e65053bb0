"""Logs in columns: records are read as they are one by one, and a comparison decides what the calls decide."""

from __future__ import annotations

import dataclasses
import shutil
import struct
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.engines import KIND
from bridge.engines.python import RecordReader
from bridge.errors import MergeFailedError
from bridge.hudi import SliceReader, TableQueries, base_files, log_columns, log_folder, row_calls, slice_merge
from bridge.hudi.avro_columns import NotColumnarError, can_be_columns, record_batches
from bridge.hudi.files import TableFiles
from bridge.hudi.log_folder import LogFolder
from bridge.hudi.row_calls import RowCalls
from bridge.hudi.schema_evolution import arrow_of
from bridge.hudi.slice_query import Commits
from bridge.hudi.slice_versions import DELETE, GroupVersions
from bridge.merge import LastOfGreatest, LogRule, PairMerge
from payloads import SENTINEL
from payloads.avro import decode, encode, parse_schema
from payloads.rules import DeleteTests, MergeRule
from tests.conformance.tables import difference, load, rows_of
from tests.support.made_table import MadeTable, instant, positions
from tests.support.user_payloads import Newest

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.hudi import Answer, FileSlice
    from payloads.avro import Record

KINDS = {
    "s": ["null", "string"],
    "i": ["int", "null"],
    "l": "long",
    "f": ["null", "float"],
    "d": "double",
    "o": ["null", "boolean"],
    "b": ["null", "bytes"],
    "t": ["null", {"type": "long", "logicalType": "timestamp-micros"}],
    "y": ["null", {"type": "int", "logicalType": "date"}],
    "m": ["null", {"type": "fixed", "name": "m5", "size": 5, "logicalType": "decimal", "precision": 10, "scale": 2}],
}
SCHEMA = parse_schema(
    {"type": "record", "name": "r", "fields": [{"name": name, "type": kind} for name, kind in KINDS.items()]}
)
LONG = st.integers(-(2**63), 2**63 - 1)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "s": st.none() | st.text(max_size=200),
            "i": st.none() | st.integers(-(2**31), 2**31 - 1),
            "l": LONG,
            "f": st.none() | st.floats(width=32, allow_nan=False),
            "d": st.floats(allow_nan=False),
            "o": st.none() | st.booleans(),
            "b": st.none() | st.binary(max_size=20),
            "t": st.none() | st.integers(-(2**50), 2**50),
            "y": st.none() | st.integers(-100_000, 100_000),
            "m": st.none() | st.integers(-(10**10) + 1, 10**10 - 1).map(lambda n: n.to_bytes(5, "big", signed=True)),
        }
    ),
    max_size=8,
)


def content(rows: list[Record]) -> bytes:
    records = [encode(SCHEMA, row) for row in rows]
    return struct.pack(">ii", 3, len(rows)) + b"".join(struct.pack(">i", len(r)) + r for r in records)


def read(data: bytes) -> list[Record]:
    reader = RecordReader(SCHEMA, arrow_of(SCHEMA))
    return [row for batch in record_batches(data, SCHEMA, arrow_of(SCHEMA)) for row in reader.rows(batch)]


@given(ROWS)
def test_columns_hold_what_was_written(rows: list[Record]) -> None:
    assert can_be_columns(SCHEMA)
    assert read(content(rows)) == rows


def test_a_flipped_byte_is_read_as_record_by_record_or_not_at_all() -> None:
    row = {"s": "ünï", "i": 300, "l": -1, "f": 1.5, "d": 0.25, "o": True, "b": b"\x00", "t": 1, "y": 2}
    rows = [row | {"m": (-225).to_bytes(5, "big", signed=True)}] * 2
    whole = content(rows)
    length = len(encode(SCHEMA, rows[0]))
    read_at_all = 0
    for place in range(8, len(whole)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = bytearray(whole)
            damaged[place] ^= mask
            try:
                found = read(bytes(damaged))
            except NotColumnarError:
                continue
            read_at_all += 1
            starts = (12, 16 + length)
            assert repr(found) == repr([decode(SCHEMA, bytes(damaged[at : at + length])) for at in starts])
    assert read_at_all > 100


@pytest.mark.parametrize(
    "kind", [{"type": "array", "items": "int"}, ["null", "int", "string"], {"type": "map", "values": "int"}]
)
def test_other_types_are_read_record_by_record(kind: object) -> None:
    assert not can_be_columns(parse_schema({"type": "record", "name": "r", "fields": [{"name": "x", "type": kind}]}))


def columns_of(reader: SliceReader, found: FileSlice) -> object:
    with reader.folder.blocks(found) as blocks:
        return reader.folder.columns(found, blocks)


COMPARED = ("mor-plain-default", "mor-marker", "mor-plain-commit", "mor-order-by-string")


@pytest.mark.parametrize("case", COMPARED)
def test_a_comparison_decides_as_the_calls_do(tables: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for recorded in load(tables, case=case):
        answer = TableQueries(str(recorded.folder / "table"), recorded.release).snapshot()
        logs = [found for found in answer.slices if found.data_logs]
        reader = SliceReader(answer.query)
        assert all(columns_of(reader, found) is not None for found in logs)
        by_columns = rows_of(answer)
        with monkeypatch.context() as patched:
            patched.setattr(LogFolder, "columns", lambda *_: None)
            assert difference(rows_of(answer), by_columns) == ""


def test_rows_that_no_comparison_decides_are_merged_by_the_calls(
    tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Base files whose ordering values are null."""
    recorded = next(iter(load(tables, case="mor-plain-default")))
    table = shutil.copytree(recorded.folder / "table", tmp_path / "table")
    for path in table.rglob("*.parquet"):
        rows = pq.read_table(path)
        at = rows.schema.get_field_index("ts")
        pq.write_table(
            rows.set_column(at, rows.schema.field(at), pa.nulls(len(rows), rows.schema.field(at).type)), path
        )
    answer = TableQueries(str(table), recorded.release).snapshot()
    called = noted_calls(monkeypatch)
    by_columns = rows_of(answer)
    assert called["pairs"] > 1
    monkeypatch.setattr(LogFolder, "columns", lambda *_: None)
    assert difference(rows_of(answer), by_columns) == ""


def noted_calls(patch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count the keys that are merged record by record."""
    called = {"pairs": 0, "singles": 0}
    pairs, singles = RowCalls.pairs, RowCalls.singles

    def noted_pairs(*arguments: Any) -> Any:
        called["pairs"] += len(arguments[4])
        return pairs(*arguments)

    def noted_singles(*arguments: Any) -> Any:
        called["singles"] += len(arguments[2])
        return singles(*arguments)

    patch.setattr(RowCalls, "pairs", noted_pairs)
    patch.setattr(RowCalls, "singles", noted_singles)
    return called


class Varied(Newest):
    """Its own row, the stored one, that one edited, a new row, none or SENTINEL, by the number in its row."""

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        number = 0 if self.record is None else self.record["qty"] or 0
        if number % 6 == 1:
            return current
        if number % 6 == 2:
            current["name"] = f"{current['name']} edited"
            return current
        if number % 6 == 3:
            return {**current, "name": "made"}
        return (self.record, None, SENTINEL)[number % 3]

    def get_insert_value(self, schema: Any) -> Any:
        if self.record is None:
            return None
        number = self.record["qty"] or 0
        return (self.record, {**self.record, "name": "made"}, None)[number % 3]


BY_CALLS = {
    "0.15.0": ("mor-log-only-compacted", "mor-plain-default", "mor-plain-postgres", "mor-rollback-partial"),
    "1.0.2": ("mor-order-by-timestamp", "mor-rollback-default", "mor-version-6-by-1.x-partial"),
    "1.2.0": ("mor-compacted-partial", "mor-log-only-plain", "mor-plain-partial"),
}


@pytest.mark.parametrize("release", BY_CALLS)
def test_single_rows_are_merged_as_folded_ones_are(tables: Path, release: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_files, "_ROWS", 3)
    monkeypatch.setattr(slice_merge, "_WINDOW", 2000)  # bytes: some batches
    called = noted_calls(monkeypatch)
    for case in BY_CALLS[release]:
        for recorded in load(tables, release, case):
            own = case.endswith(("partial", "postgres"))
            payload = None if own else f"{__name__}:Varied"
            answer = TableQueries(str(recorded.folder / "table"), release, payload=payload).snapshot()
            if own:
                assert difference(recorded.answers["snapshot"], rows_of(answer)) == "", case
            without_base = [dataclasses.replace(found, base_file=None) for found in answer.slices]
            for asked in (answer, answer._replace(slices=without_base)):
                by_columns = rows_of(asked)
                with monkeypatch.context() as patched:
                    patched.setattr(LogFolder, "columns", lambda *_: None)
                    assert difference(rows_of(asked), by_columns) == "", case
    assert min(called.values()) > 5


def test_a_failure_names_the_key_of_its_row(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_calls, "_ROWS", 3)
    recorded = next(iter(load(tables, "0.15.0", "mor-plain-default")))
    answer = TableQueries(str(recorded.folder / "table"), "0.15", payload=f"{__name__}:FailsForOdd").snapshot()
    with pytest.raises(MergeFailedError, match="ValueError: k") as caught:
        rows_of(answer)
    (key,) = caught.value.key.values()
    assert f"ValueError: {key};" in caught.value.reason


@pytest.mark.parametrize("case", ["mor-plain-default", "mor-appended-blocks-partial", "mor-no-meta-default"])
def test_versions_in_columns_are_those_of_records(tables: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With rows of deletes, whose other columns are those of the version before."""
    recorded = next(iter(load(tables, "0.15.0", case)))
    answer = TableQueries(str(recorded.folder / "table"), "0.15").snapshot()

    def versions() -> list[Any]:
        reader = GroupVersions(answer.query)
        return [row for found in answer.slices for batch in reader.read([found]) for row in batch.to_pylist()]

    by_columns = versions()
    assert {row["_pb_kind"] for row in by_columns} == {"base", "data", "delete"}
    positions = [row["_pb_seq"] for row in by_columns]
    assert positions == [number for found in answer.slices for number in range(_count(answer, found))]
    monkeypatch.setattr(LogFolder, "_columnar", lambda *_: None)
    monkeypatch.setattr(log_folder, "_ROWS", 3)
    assert versions() == by_columns


def _count(answer: Any, found: Any) -> int:
    return sum(batch.num_rows for batch in GroupVersions(answer.query).read([found]))


FIELDS = {"id": "string", "part": "string", "ts": "long", "name": "string"}


@pytest.mark.parametrize("in_first", [3, 1])
@pytest.mark.parametrize("payload", [None, "tests.support.user_payloads:ByTime"])
def test_a_log_has_a_row_for_each_position_of_a_key(tmp_path: Path, payload: str | None, in_first: int) -> None:
    """A base file has a key twice, of two commits. The update comes too late for one, and the other is filtered out."""

    def row(key: str, ts: int, name: str) -> Record:
        return {"id": key, "part": "p", "ts": ts, "name": name}

    table = MadeTable(tmp_path / "t", FIELDS)
    stored = [row("a", 5, "first"), row("a", 5, "second"), row("b", 5, "b")]
    table.base("g", pa.Table.from_pylist(stored), commits=[0, 1, 0])
    logged, blocks = [row("a", 3, "logged"), row("a", 3, "logged"), row("b", 3, "b")], b""
    for part in (range(in_first), range(in_first, 3)):  # Hudi begins a block where one is full
        if part:
            table.log("g", "p", [logged[at] for at in part], 2, positions=positions(*part))
            (file,) = (tmp_path / "t/p").glob(".*.log.*")
            blocks += file.read_bytes()
            file.write_bytes(blocks)
    for version in range(3):
        table.commit(version)
    queries = TableQueries(str(tmp_path / "t"), "1.2", payload=payload)

    def shown(answer: Answer) -> list[str]:
        return sorted(one["name"] for one in rows_of(answer))

    assert shown(queries.snapshot()) == ["b", "first", "second"]
    whole = queries.snapshot()
    commits = Commits(frozenset({instant(1), instant(2)}))
    assert shown(whole._replace(query=dataclasses.replace(whole.query, commits=commits))) == ["b", "logged", "second"]


@pytest.mark.parametrize("case", ["mor-plain-default", "mor-plain-postgres", "mor-key-bigint"])
def test_a_query_opens_each_log_once(tables: Path, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On object storage each opening is a request, and each header another."""
    opened: list[str] = []
    open_ = TableFiles.open
    monkeypatch.setattr(TableFiles, "open", lambda own, path: (opened.append(path), open_(own, path))[1])
    recorded = next(iter(load(tables, "0.15.0", case)))
    answer = TableQueries(str(recorded.folder / "table"), "0.15").snapshot()
    assert rows_of(answer)
    logs = [path for path in opened if ".log." in path]
    assert sorted(logs) == sorted(found.path_of(name) for found in answer.slices for name in found.data_logs)


class FailsForOdd(Newest):
    """Fails for keys with an odd number, with the key as its message."""

    def combine_and_get_update_value(self, current: Any, schema: Any) -> Any:
        if self.record is not None and int(current["_hoodie_record_key"][-1]) % 2:
            raise ValueError(current["_hoodie_record_key"])
        return self.record


def test_rows_that_do_not_fit_into_one_batch_are_left_to_the_calls(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = next(iter(load(tables, case="mor-plain-default")))
    answer = TableQueries(str(recorded.folder / "table"), recorded.release).snapshot()
    expected = rows_of(answer)
    monkeypatch.setattr(log_columns, "_together", list)
    reader = SliceReader(answer.query)
    assert None in [columns_of(reader, found) for found in answer.slices if found.data_logs]
    assert difference(expected, rows_of(answer)) == ""


@pytest.mark.parametrize(("column", "decided"), [("l", True), ("d", False), (None, True)])
def test_columns_decide_where_they_compare_as_java_does(column: str | None, *, decided: bool) -> None:
    rule = LogRule(LastOfGreatest(column), PairMerge(MergeRule(), SCHEMA, None, marks=False), DeleteTests())
    assert log_columns.decides(rule, SCHEMA) is decided


def test_the_deletes_of_every_log_say_what_identifies_their_rows(tmp_path: Path) -> None:
    """A path that is not the text of a partition column: both blocks begin at the first byte of their files."""
    table = MadeTable(tmp_path, {"id": "string", "part": "string", "ts": "long"}, partition_fields="ts")
    table.base("g", pa.table({"id": ["a", "b"], "part": ["p", "p"], "ts": [7, 8]}))
    table.commit()
    for version, key in enumerate(("a", "b"), start=1):
        table.deletes("g", "p", [key], version)
        table.commit(version)
    answer = TableQueries(str(tmp_path), "0.15").snapshot()
    batches = GroupVersions(answer.query).read(answer.slices)
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [(row["id"], row["ts"]) for row in rows if row[KIND] == DELETE] == [("a", 7), ("b", 8)]
