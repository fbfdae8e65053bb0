"""Damage in a table: counted slice by slice, with the smallest example; what is in order is not reported."""

from __future__ import annotations

import collections
import json
import shutil
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from bridge import MergeFailedError, find_damage
from bridge.cli import main
from bridge.hudi import SliceReader, SliceSymptoms, SymptomKind, TableQueries, slice_symptoms
from bridge.hudi.slice_versions import GroupVersions
from bridge.migration.damage_search import _settings
from payloads import HudiRelease
from payloads.release import releases
from tests.conformance.tables import load, rows_of
from tests.support.made_table import FIRST, MadeTable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def path_of(tables: Path, release: str, case: str) -> str:
    return str(next(load(tables, release=release, case=case)).folder / "table")


def symptoms(path: str) -> dict[tuple[str, str], tuple[int, str, str]]:
    """Return count, smallest key and file of each symptom, read in this process."""
    opened = TableQueries(path)
    opened = opened.read_by(find_damage(path).reader)
    answer = opened.snapshot()
    scan = SliceSymptoms(*_settings(opened, answer)[0])
    found: dict[tuple[str, str], list[Any]] = collections.defaultdict(lambda: [0, "~", ""])
    for one in (symptom for each in answer.slices for symptom in scan.of(each)):
        so_far = found[one.kind.value, one.about]
        so_far[0] += one.number
        so_far[1:] = min(so_far[1:], [one.key, one.file])
    return {about: (count, key, file) for about, (count, key, file) in found.items()}


@pytest.mark.parametrize(
    ("release", "case"),
    [("1.2.0", "mor-order-by-decimal"), ("1.2.0", "mor-op-delete-dms"), ("1.0.2", "mor-order-by-timestamp")],
)
def test_a_sound_table_has_none(tables: Path, release: str, case: str) -> None:
    assert symptoms(path_of(tables, release, case)) == {}


def test_rows_that_other_releases_show_differently(tables: Path) -> None:
    found = symptoms(path_of(tables, "0.15.0", "mor-plain-postgres"))
    count, key, file = found["differs", "1.2"]
    assert (count, key) == (30, "k001")
    assert ".log." in file


def test_ordering_values_of_two_types(tables: Path) -> None:
    """The field was promoted from int to bigint: 1.x refuses to compare the two, as real Hudi does."""
    found = symptoms(path_of(tables, "1.2.0", "mor-schema-promoted-ordering-default"))
    assert "unreadable" in {kind for kind, _ in found}
    assert ("other-type", "ts: int64 in the table, int32 in a file") in found


@pytest.mark.parametrize("release", releases(since="0.14"))
def test_an_upsert_above_a_delete_without_an_ordering_value(tmp_path: Path, release: HudiRelease) -> None:
    """As after an SQL DELETE: real 1.0.2 fails on it (`sql-default-mor`), and releases before and after do not."""
    table = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long"})
    table.base("g", pa.table({"id": ["a", "b"], "part": ["p", "p"], "ts": [1, 2]}))
    table.deletes("g", "p", ["a"], 1)
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 3}], 2)
    for version in range(3):
        table.commit(version)
    opened = TableQueries(str(tmp_path / "t"), release)
    if release is HudiRelease.V1_0:
        with pytest.raises(MergeFailedError, match=r"'a'.* ordering values of type int and long can't be compared"):
            rows_of(opened.snapshot())
    else:
        assert {(row["id"], row["ts"]) for row in rows_of(opened.snapshot())} == {("a", 3), ("b", 2)}
    assert ("unreadable", "1.0") in symptoms(str(tmp_path / "t"))


def test_a_column_that_is_no_text_marks_nothing(tables: Path) -> None:
    opened = TableQueries(path_of(tables, "1.0.2", "mor-schema-nested-added-default"))
    answer = opened.snapshot()
    (readers, ordering, _), _ = _settings(opened, answer)
    scan = SliceSymptoms(readers, ordering, [("note", "D")])
    assert "live-delete" not in {one.kind.value for each in answer.slices for one in scan.of(each)}


def test_a_log_block_whose_schema_is_no_json(tmp_path: Path) -> None:
    table = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "long"})
    table.base("g", pa.table({"id": ["a"], "part": ["p"], "ts": [1]}))
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1)
    table.commit()
    table.commit(1)
    (log,) = (tmp_path / "t/p").glob(".*.log.*")
    log.write_bytes(log.read_bytes().replace(b'{"type"', b'["type"', 1))
    assert {kind for kind, _ in symptoms(str(tmp_path / "t"))} == {"unreadable"}


@pytest.mark.parametrize("as_parquet", [True, False])
@pytest.mark.parametrize("kind", ["string", "long"])
def test_rows_that_are_compared_by_another_rows_text(tmp_path: Path, kind: str, as_parquet: bool) -> None:  # noqa: FBT001 (an example)
    """Real Hudi from 1.0.2 on shows "010" and "020" in place of "050", if "090" is the last row of their block."""
    table = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": kind})
    first = pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": ["050"] * 3})
    table.base("g", first if kind == "string" else first.set_column(2, "ts", pa.array([50] * 3)))
    table.commit()
    values = ["010", "020", "090"] if kind == "string" else [10, 20, 90]
    logged = [{"id": key, "part": "p", "ts": value} for key, value in zip("abc", values, strict=True)]
    table.log("g", "p", logged, 1, as_parquet=as_parquet)
    table.commit(1)
    table.log("g", "p", logged[2:], 2, as_parquet=as_parquet)
    table.commit(2)
    found = {about: one for about, one in symptoms(str(tmp_path / "t")).items() if about[0] == "shared-ordering"}
    log = f".g_{FIRST}.log.1_0-0-0"
    assert found == ({("shared-ordering", "ts"): (2, "a", log)} if as_parquet and kind == "string" else {})


@pytest.mark.parametrize(
    ("values", "others"),
    [
        (["010", None, "090"], ["a", "b"]),
        (["010", "020", None], ["a", "b"]),
        ([None, "020", None], ["b"]),
        ([None, None, None], []),
        ([], []),
    ],
)
def test_parquet_blocks_with_null_ordering_values_or_no_row(
    tmp_path: Path, values: list[str | None], others: list[str]
) -> None:
    table = MadeTable(tmp_path / "t", {"id": "string", "part": "string", "ts": "string"})
    table.base("g", pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": ["050"] * 3}))
    table.commit()
    logged = [{"id": key, "part": "p", "ts": value} for key, value in zip("abc", values, strict=False)]
    table.log("g", "p", logged, 1, as_parquet=True)
    table.commit(1)
    answer = TableQueries(str(tmp_path / "t")).snapshot()
    (found,) = answer.slices
    met = slice_symptoms.shared_orderings(SliceReader(answer.query), found, ["ts"])
    assert [key for _, _, keys in met for key in keys.to_pylist()] == others


class TestRows:
    """A copy-on-write table whose base file is written again by hand."""

    @pytest.fixture
    def path(self, tables: Path, tmp_path: Path) -> Path:
        shutil.copytree(path_of(tables, "0.15.0", "cow-plain-default"), tmp_path / "table")
        return tmp_path / "table"

    def changed(self, path: Path, column: str, value: Any) -> str:
        """Set a column of the first row of every base file of the snapshot; return the smallest key."""
        keys = []
        for one in TableQueries(str(path)).snapshot().slices:
            file = path / one.path_of(str(one.base_file))
            rows = pq.read_table(file)
            if not rows.num_rows:
                continue
            values = [value, *rows.column(column).to_pylist()[1:]]
            kind = rows.schema.field(column)
            pq.write_table(
                rows.set_column(rows.schema.get_field_index(column), kind, [pa.array(values, kind.type)]), file
            )
            keys.append(rows.column("_hoodie_record_key")[0].as_py())
        return str(min(keys))

    def test_a_flagged_delete_that_is_alive(self, path: Path) -> None:
        key = self.changed(path, "_hoodie_is_deleted", value=True)
        found = symptoms(str(path))
        assert found["live-delete", "_hoodie_is_deleted=true"][1] == key

    def test_a_null_ordering_value(self, path: Path) -> None:
        key = self.changed(path, "ts", value=None)
        assert symptoms(str(path))["null-ordering", "ts"][1] == key


@pytest.mark.parametrize(
    ("case", "kind", "about"),
    [
        ("0.15.0/mor-pending-compaction-default", "pending", "compaction"),
        ("1.2.0/mor-pending-compaction-partial", "pending", "compaction"),
        ("1.0.2/cow-pending-clustering-default", "pending", "clustering"),
        ("0.15.0/mor-crashed-last-default", "open", "deltacommit"),
        ("1.2.0/mor-crashed-first", "open", "deltacommit"),
    ],
)
def test_what_the_timeline_left_open(tables: Path, case: str, kind: str, about: str) -> None:
    found = find_damage(path_of(tables, *case.split("/")))
    one = next(one for one in found.damage if (one.kind, one.about) == (kind, about))
    assert one.number == 1
    assert one.file
    assert found.read == 0 < found.slices


def test_cases_of_merging_are_counted(tables: Path) -> None:
    """Late rows, ties, deletes and nulls in logs: as many keys as a look at the versions of each key says."""
    path = path_of(tables, "1.2.0", "mor-plain-partial")
    opened = TableQueries(path).read_by("1.1")
    answer = opened.snapshot()
    scan = SliceSymptoms(*_settings(opened, answer, HudiRelease.latest())[0], with_cases=True)
    found = collections.Counter()
    for one in (symptom for each in answer.slices for symptom in scan.of(each)):
        found[one.kind.value] += one.number
    expected: dict[str, set[str]] = collections.defaultdict(set)
    reader = GroupVersions(answer.query)
    for each in answer.slices:
        last: dict[str, Any] = {}
        for row in (row for batch in reader.read([each]) for row in batch.to_pylist()):
            key = row["_hoodie_record_key"]
            if row["_pb_kind"] == "delete":
                expected["delete"].add(key)
                continue
            before, last[key] = last.get(key), row
            if before is not None and None not in {before["ts"], row["ts"]}:
                expected["tie" if row["ts"] == before["ts"] else "late" if row["ts"] < before["ts"] else "later"].add(
                    key
                )
            if before is not None and any(
                row[name] is None is not before[name] for name in row if not name.startswith("_")
            ):
                expected["null-value"].add(key)
    assert {kind: len(expected[kind]) for kind in ("late", "tie", "delete", "null-value")} == {
        kind: found[kind] for kind in ("late", "tie", "delete", "null-value")
    }
    assert found["late"] > 0 < found["null-value"]


def test_a_plan_counts_on_the_rows(tables: Path, spark: SparkSession) -> None:
    path = path_of(tables, "0.15.0", "mor-plain-postgres")
    result = CliRunner().invoke(main, ["plan", path, "--to", "1.2", "--output", "json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["results"][0]
    (differs,) = (one for one in found["evidence"]["found"] if one["kind"] == "differs")
    assert (differs["about"], differs["number"]) == ("1.2", 30)
    late = next(one["number"] for one in found["evidence"]["found"] if one["kind"] == "late")
    assert {one["keys"] for one in found["behaviours"] if one["about"] == "late rows"} <= {late}
    text = CliRunner().invoke(main, ["plan", path, "--to", "1.2", "--slices", "0"]).stdout
    assert "Evidence in the timeline" in " ".join(text.split())


def test_inspect_warns(tables: Path, spark: SparkSession) -> None:
    path = path_of(tables, "0.15.0", "mor-plain-postgres")
    result = CliRunner().invoke(main, ["inspect", path, "--output", "json"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)["results"][0]
    assert found["damage"]["slices_read"] == found["damage"]["slices"]
    (one,) = (one for one in found["damage"]["found"] if (one["kind"], one["about"]) == ("differs", "1.2"))
    assert (one["number"], one["key"]) == (30, "k001")
    warning = next(one for one in found["warnings"] if "Hudi 1.2 shows 30 rows differently" in one["text"])
    assert warning["example"] == one
    assert "k001 in " in warning["text"]
    hidden = CliRunner().invoke(main, ["inspect", path, "--slices", "1", "--redact", "all"])
    assert hidden.exit_code == 0, hidden.output
    assert "k001" not in hidden.output
    assert f"in 1 of {found['damage']['slices']} file slices" in " ".join(hidden.output.split())
    assert SymptomKind.DIFFERS in hidden.stdout
