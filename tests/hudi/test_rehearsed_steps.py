"""What comes after the upgrade in a rehearsal: batches, compaction, downgrade, a mode or a class; and parts of tables.

Here something else stands for the bundle; `python -m tests.rehearse --write 2` runs the real one.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bridge import HudiTable, InputError, PlanError, RehearsalVerdict, TablePart, rehearse
from bridge.migration import Predictions, next_of, steps_of
from payloads import HudiRelease
from tests.hudi.test_rehearsal import Bundle, bundle, checksums, path  # noqa: F401 (fixtures)

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

V1_2 = HudiRelease.V1_2
LATE, NEWEST = -1_000, 10_000


def written(spark: SparkSession, table: HudiTable, *rows: dict[str, Any]) -> DataFrame:
    """Return a batch; columns that are not named are null."""
    names = table.columns.fieldNames()
    return spark.createDataFrame([tuple(row.get(name) for name in names) for row in rows], table.columns).coalesce(1)


def test_writes_compaction_and_downgrade(
    path: Path,  # noqa: F811
    spark: SparkSession,
    bundle: Bundle,  # noqa: F811
    tmp_path: Path,
) -> None:
    table = HudiTable(spark, str(path), "0.15")
    shown = bundle.upgraded(str(shutil.copytree(path, tmp_path / "shown")))
    first, second = shown.to_pylist()[:2]
    update = {"id": first["id"], "part": first["part"], "qty": 5, "_event_lsn": NEWEST, "_change_operation_type": "u"}
    late = {"id": second["id"], "part": second["part"], "qty": 6, "_event_lsn": LATE, "_change_operation_type": "u"}
    new = {"id": "new", "part": "p0", "qty": 7, "_event_lsn": 1, "_change_operation_type": "c"}
    batch = written(spark, table, update, late, new)

    # Table version 9 orders by _event_lsn: the update replaces its row, the late one is dropped.
    real = pa.Table.from_pylist([update, *shown.to_pylist()[1:], new], shown.schema)
    bundle.answers = dict.fromkeys(("write", "compaction", "downgrade"), real)
    with rehearse(table, "1.2", tmp_path / "copy", batches=[batch], downgrade=True) as found:
        assert [step.name for step in found.steps] == [
            "upgrade",
            "write of batch 1",
            "compaction",
            "downgrade to table version 6",
        ]
        assert found.verdict is RehearsalVerdict.AS_PREDICTED, found.sentence
        assert found.sentence.endswith(
            "; and so are the rows after write of batch 1, compaction, downgrade to table version 6."
        )
        assert found.bundle is None
    (copied,) = bundle.tasks[-1]["tables"]
    assert [step["do"] for step in copied["steps"]] == ["upgrade", "write", "compaction", "downgrade"]
    options = copied["steps"][1]["options"]
    assert options["hoodie.datasource.write.recordkey.field"] == "id"
    assert "hoodie.datasource.write.payload.class" not in options

    # A bundle whose compaction takes the late row is not as predicted, and leaves what a report needs.
    wrong = pa.Table.from_pylist([update, late, *shown.to_pylist()[2:], new], shown.schema)
    bundle.answers = {"write": real, "compaction": wrong}
    with rehearse(table, "1.2", tmp_path / "copy", overwrite=True, batches=[batch]) as found:
        assert found.verdict is RehearsalVerdict.NOT_AS_PREDICTED
        assert "after the compaction 1 row of the copy are others than predicted" in found.sentence
        report = found.to_report()
        assert found.bundle == tmp_path / "copy-not-as-predicted.zip"
    assert [one["key"]["id"] for one in report.results if one["about"] == "prediction"] == [second["id"]]
    assert [step["as_predicted"] for step in report.statistics["steps"]] == [True, True, False]
    with zipfile.ZipFile(tmp_path / "copy-not-as-predicted.zip") as archive:
        names = archive.namelist()
        about = json.loads(archive.read("about.json"))
        assert json.loads(archive.read("report.json"))["statistics"]["verdict"] == "NOT AS PREDICTED"
        (place,) = (name for name in names if name.startswith("given/batch-1/"))
        assert pq.read_table(pa.BufferReader(archive.read(place)))["id"].to_pylist() == [
            update["id"],
            late["id"],
            "new",
        ]
    assert about["steps"] == ["upgrade", "write of batch 1", "compaction"]
    assert {"table/.hoodie/hoodie.properties", "copy/.hoodie/hoodie.properties"} < {*names}
    own = [name for name in names if name.endswith(".parquet") and name.startswith("table/")]
    assert 0 < len(own) < len([*path.rglob("*.parquet")])

    # Refused in between: the error belongs to the step.
    bundle.error, bundle.fails_at = "x\nCaused by: org.apache.X: no", "write"
    with rehearse(table, "1.2", tmp_path / "copy", overwrite=True, batches=[batch]) as found:
        assert found.sentence.startswith("REFUSED BY HUDI: Hudi 1.2 upgraded the copy, but not the write of batch 1: ")


def test_a_mode_or_a_class(path: Path, spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    table = HudiTable(spark, str(path), "0.15")
    key = table.snapshot().select("id", "part").first()
    assert key is not None
    late = written(spark, table, {**key.asDict(), "qty": 6, "_event_lsn": LATE, "_change_operation_type": "u"})

    then = next_of(table, "commit_time_ordering", None, [late], None)
    predicted = Predictions(table, V1_2, then)
    assert predicted.properties["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert [row.qty for row in predicted.written(1).where(f"id = '{key.id}'").collect()] == [6]
    steps = steps_of(table, V1_2, predicted, then, tmp_path)
    assert [step.do for step in steps] == ["script", "write", "compaction"]
    assert "COMMIT_TIME_ORDERING" in (tmp_path / "migration.py").read_text("utf-8")

    then = next_of(table, None, "PostgresDebeziumAvroPayload", [late], None)
    predicted = Predictions(table, V1_2, then)
    assert [row.qty for row in predicted.written(1).where(f"id = '{key.id}'").collect()] != [6]
    (tmp_path / "passed").mkdir()
    steps = steps_of(table, V1_2, predicted, then, tmp_path / "passed", downgrade=True)
    assert [step.do for step in steps] == ["write", "compaction", "downgrade"]
    passed = steps[0].needs["options"]["hoodie.datasource.write.payload.class"]
    assert passed == "org.apache.hudi.common.model.debezium.PostgresDebeziumAvroPayload"


@pytest.mark.parametrize(
    ("given", "with_batch", "words"),
    [
        (("CUSTOM", None, None), True, "which the bundle does not have"),
        (("EVENT_TIME_ORDERING", "AWSDmsAvroPayload", None), True, "name one of the two"),
        ((None, "com.example.Own", None), True, "is not in the released bundle"),
        ((None, "AWSDmsAvroPayload", None), False, "add its batch"),
        ((None, None, {"a": "b"}), False, "add the batch"),
    ],
)
def test_settings_that_contradict_each_other(
    given: tuple[Any, Any, Any],
    with_batch: bool,  # noqa: FBT001 (a parameter of the test)
    words: str,
    path: Path,  # noqa: F811
    spark: SparkSession,
) -> None:
    table = HudiTable(spark, str(path), "0.15")
    mode, payload, props = given
    with pytest.raises(PlanError, match=words):
        next_of(table, mode, payload, [written(spark, table)] if with_batch else None, props)


def test_a_part_of_a_table(
    path: Path,  # noqa: F811
    spark: SparkSession,
    bundle: Bundle,  # noqa: F811
    tmp_path: Path,
) -> None:
    before, table = checksums(path), HudiTable(spark, str(path), "0.15")
    rows = table.snapshot(where="part = 'p0'").count()
    with rehearse(table, "1.2", tmp_path / "copy", part=TablePart(("p0",))) as found:
        assert found.verdict is RehearsalVerdict.AS_PREDICTED
        assert (found.rows, found.path) == (rows, str(path))
        assert json.loads(found.to_json())["plan"]["table"] == str(path)
    assert {one.name for one in (tmp_path / "copy").iterdir()} == {".hoodie", "p0"}
    with rehearse(table, "1.2", tmp_path / "copy", overwrite=True, part=TablePart(file_groups=2)) as found:
        assert found.verdict is RehearsalVerdict.AS_PREDICTED
    groups = {one.name.split("_")[0] for one in (tmp_path / "copy").rglob("p*/*.parquet")}
    assert len(groups) == 2
    with pytest.raises(InputError, match="has no files in the partition p8; it has p0, "):
        rehearse(table, "1.2", tmp_path / "copy", overwrite=True, part=TablePart(("p8",)))
    assert checksums(path) == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "table"]
