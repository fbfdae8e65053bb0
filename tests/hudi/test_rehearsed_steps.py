"""What comes after the upgrade in a rehearsal: batches, compaction, downgrade, a mode or a class; and parts of tables.

Here something else stands for the bundle; `python -m tests.rehearse --write 2` runs the real one.
"""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as sf

from bridge import HudiTable, InputError, PlanError, RehearsalOutcome, TablePart, rehearse, replay
from bridge.hudi import TableProperties
from bridge.migration import Predictions, next_of, rehearsal, rehearsal_predictions, steps_of
from bridge.migration.rehearsal_bundle import write_bundle
from bridge.migration.rehearsal_steps import StepResult, StepTask
from bridge.redaction import redacted
from bridge.spark import PySparkException
from payloads import HudiRelease
from tests.hudi.test_rehearsal import Bundle, bundle, checksums, path  # noqa: F401 (fixtures)
from tests.rehearse import is_recorded, restore_times
from tests.support.spark_errors import SparkError

if TYPE_CHECKING:
    from collections.abc import Callable
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
        assert found.outcome is RehearsalOutcome.AS_PREDICTED, found.verdict
        assert found.verdict.endswith(
            "; the rows after write of batch 1, compaction, downgrade to table version 6 are as predicted, too."
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
        assert found.outcome is RehearsalOutcome.NOT_AS_PREDICTED
        assert "but after the compaction 1 row of the copy is not as predicted" in found.verdict
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
        assert found.verdict.startswith(
            "REFUSED BY HUDI: Hudi 1.2 upgraded the copy, but refused the write of batch 1: "
        )
    assert (tmp_path / "copy-not-as-predicted.zip").exists()


def test_a_mode_or_a_class(
    path: Path,  # noqa: F811
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[Any] = []
    simulate = rehearsal_predictions.simulate_commits

    def counting(*given: Any, **named: Any) -> DataFrame:
        calls.append(given)
        return simulate(*given, **named)

    monkeypatch.setattr(rehearsal_predictions, "simulate_commits", counting)
    with (path / ".hoodie" / "hoodie.properties").open("a") as stored:
        stored.write("hoodie.index.type=BLOOM\n")
    table = HudiTable(spark, str(path), "0.15")
    key = table.snapshot().select("id", "part").first()
    assert key is not None
    late = written(spark, table, {**key.asDict(), "qty": 6, "_event_lsn": LATE, "_change_operation_type": "u"})

    then = next_of(table, "commit_time_ordering", None, [late], None)
    predicted = Predictions(table, V1_2, then)
    assert predicted.properties["hoodie.record.merge.mode"] == "COMMIT_TIME_ORDERING"
    assert [row.qty for row in predicted.written(1).where(f"id = '{key.id}'").collect()] == [6]
    predicted.written(1)
    assert len(calls) == 1  # of all batches, whatever is asked
    predicted.close()
    steps = steps_of(table, V1_2, predicted, then, tmp_path)
    assert [step.do for step in steps] == ["script", "write", "compaction"]
    assert "COMMIT_TIME_ORDERING" in (tmp_path / "migration.py").read_text("utf-8")
    assert steps[1].needs["options"]["hoodie.index.type"] == "BLOOM"

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
        (("BY_TIME", None, None), True, "mode BY_TIME: there is no such merge mode"),
        (("EVENT_TIME_ORDERING", "AWSDmsAvroPayload", None), True, "leave out mode or payload"),
        ((None, "com.example.Own", None), True, "is not in the released bundle"),
        ((None, "AWSDmsAvroPayload", None), False, "add batches"),
        ((None, None, {"a": "b"}), False, "add batches"),
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


@pytest.mark.parametrize("generator", ["TimestampBasedKeyGenerator", "CustomKeyGenerator"])
def test_batches_into_formatted_partitions_are_not_predicted(generator: str, path: Path, spark: SparkSession) -> None:  # noqa: F811
    batch = written(spark, HudiTable(spark, str(path), "0.15"))
    with (path / ".hoodie" / "hoodie.properties").open("a") as stored:
        stored.write(f"hoodie.table.keygenerator.class=org.apache.hudi.keygen.{generator}\n")
    table = HudiTable(spark, str(path), "0.15")
    with pytest.raises(PlanError, match="formats its partition values, and writes to such a table are not predicted"):
        next_of(table, None, None, [batch], None)
    with pytest.raises(PlanError, match="formats its partition values, and writes to such a table are not predicted"):
        replay(table, to="1.2", batches=[batch])
    assert next_of(table, None, None, None, None).batches is None


def test_a_custom_key_generator_may_format_nothing() -> None:
    custom = {"hoodie.table.keygenerator.type": "CUSTOM", "hoodie.table.partition.fields": "a:SIMPLE,b:simple"}
    assert not TableProperties(custom).formats_partitions
    assert TableProperties(custom | {"hoodie.table.partition.fields": "a:SIMPLE,b:TIMESTAMP"}).formats_partitions
    assert TableProperties(custom | {"hoodie.table.partition.fields": "a,b"}).formats_partitions


def test_what_writes_something_else_than_is_predicted(path: Path, spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    table = HudiTable(spark, str(path), "0.15")
    batch = written(spark, table)

    def steps(frame: DataFrame, props: dict[str, str]) -> object:
        then = next_of(table, None, None, [frame], props)
        return steps_of(table, V1_2, Predictions(table, V1_2, then), then, tmp_path)

    for option in (
        "hoodie.datasource.write.operation=insert",
        "hoodie.datasource.write.recordkey.field=part",
        "hoodie.datasource.write.partitionpath.field=id",
        "hoodie.table.name=other",
        "hoodie.compact.inline=true",
        "hoodie.datasource.write.payload.class=org.example.Own",
        "hoodie.write.record.merge.mode=COMMIT_TIME_ORDERING",
    ):
        with pytest.raises(PlanError, match=f"the option {option} would change what is written"):
            steps(batch, dict([option.split("=")]))
    with pytest.raises(PlanError, match="has 'more' as int, and the table lacks it"):
        steps(batch.withColumn("more", sf.lit(1)), {})
    with pytest.raises(PlanError, match="has 'qty' as double, and the table has it as "):
        steps(batch.withColumn("qty", sf.col("qty").cast("double")), {})


class Kept:
    """Stands for rows that Spark keeps, of which nothing can be counted."""

    def __init__(self, error: Exception) -> None:
        self.error, self.is_freed = error, False

    def groupBy(self, _: str) -> object:  # noqa: N802 (Spark's name)
        raise self.error

    def unpersist(self) -> None:
        self.is_freed = True


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SparkError("Job aborted: ExecutorLostFailure (executor 1 exited)"), None),
        (SparkError("Traceback\nbridge.errors.MergeFailedError: Own failed (key id='a'): no"), "Own failed"),
        (InputError("a batch does not fit"), "a batch does not fit"),
    ],
)
def test_only_an_error_of_this_package_is_a_predicted_refusal(
    error: Exception, expected: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = Kept(error)
    monkeypatch.setattr(rehearsal, "compared_with", lambda *_: None)
    monkeypatch.setattr(rehearsal, "kept", lambda _: rows)
    read = SimpleNamespace(parquet=lambda _: None)
    table: Any = SimpleNamespace(spark=SimpleNamespace(read=read), is_merge_on_read=False)
    predictions: Any = SimpleNamespace(properties={}, reader=None, written=lambda *_, **__: None)
    taken = StepResult(StepTask("write", "write of batch 1", {}), tmp_path, None, 1.0)
    change: Any = SimpleNamespace(refused=None)
    judged = rehearsal._Judged(table, predictions, taken, 0)
    if expected is None:
        with pytest.raises(PySparkException, match="ExecutorLost"):
            judged.step(change)
    else:
        assert str(judged.step(change).expected).startswith(expected)
    assert rows.is_freed


def archived(tmp_path: Path, to_json: Callable[[], str]) -> Any:
    """Return what stands for a rehearsal of a table in `tmp_path`, which has a commit with a value."""
    place = tmp_path / "table" / ".hoodie"
    (place / ".temp" / "city=secret").mkdir(parents=True)
    (place / ".temp" / "city=secret" / "20240101000000000.marker").touch()
    (place / "hoodie.properties").write_text("a=b\n", "utf-8")
    (place / "20240101000000000.commit").write_text('{"minValue": "secret"}', "utf-8")
    own = SimpleNamespace(path=str(place.parent), release="0.15")
    copied = SimpleNamespace(path=place.parent)
    return SimpleNamespace(table=own, copied=copied, to_json=to_json, program="x", to="1.2", steps=(), deviations=None)


def test_where_values_are_hidden_the_archive_has_no_commits(tmp_path: Path) -> None:
    place = tmp_path / "found.zip"
    with redacted("city"):
        write_bundle(archived(tmp_path, lambda: "{}"), tmp_path, place)
    with zipfile.ZipFile(place) as archive:
        read = {name: archive.read(name).decode() for name in archive.namelist()}
    properties = {"copy/.hoodie/hoodie.properties", "table/.hoodie/hoodie.properties"}
    assert read.keys() == {"report.json", "about.json", "instants.txt", *properties}
    assert read["instants.txt"] == "20240101000000000.commit\n"
    assert "secret" not in str(read)


def test_an_archive_that_is_not_written_to_its_end_leaves_the_older_one(tmp_path: Path) -> None:
    def fails() -> str:
        msg = "No space left on device"
        raise OSError(msg)

    place = tmp_path / "found.zip"
    place.write_bytes(b"older")
    with pytest.raises(OSError, match="No space"):
        write_bundle(archived(tmp_path, fails), tmp_path, place)
    assert place.read_bytes() == b"older"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["found.zip", "table"]


def test_recorded_tables_get_times_and_their_own_errors_are_told_apart(tmp_path: Path) -> None:
    timeline = tmp_path / ".hoodie"
    timeline.mkdir()
    for name in ("20240101000001250.deltacommit.requested", "20240101000001250.deltacommit", "hoodie.properties"):
        (timeline / name).touch()
        os.utime(timeline / name, (1, 1))
    restore_times(tmp_path)
    times = {one.name.partition(".")[2]: one.stat().st_mtime for one in timeline.iterdir()}
    assert times == {
        "deltacommit.requested": pytest.approx(1704067201.250, abs=1e-5),
        "deltacommit": pytest.approx(1704067201.251, abs=1e-5),
        "properties": 1,
    }
    answers = {"refused": {"as_of 3": "x.HoodieIOException: No block 7 in /a\nCaused by: y.TimeTravelException: no 20"}}
    assert is_recorded(answers, "TimeTravelException: no 31 (at the read)")
    assert not is_recorded(answers, "HoodieIOException: No block 9 (at the read)")
    assert not is_recorded({}, "TimeTravelException: no 31")


def test_a_part_of_a_table(
    path: Path,  # noqa: F811
    spark: SparkSession,
    bundle: Bundle,  # noqa: F811
    tmp_path: Path,
) -> None:
    (path / ".hoodie" / ".hoodie.properties.crc").write_bytes(b"crc\0")  # Hadoop checks the file by it
    before, table = checksums(path), HudiTable(spark, str(path), "0.15")
    rows = table.snapshot(where="part = 'p0'").count()
    with rehearse(table, "1.2", tmp_path / "copy", part=TablePart(("p0",))) as found:
        assert found.outcome is RehearsalOutcome.AS_PREDICTED
        assert (found.rows, found.path) == (rows, str(path))
        assert json.loads(found.to_json())["plan"]["table"] == str(path)
    assert {one.name for one in (tmp_path / "copy").iterdir()} == {".hoodie", "p0"}
    assert not (tmp_path / "copy" / ".hoodie" / ".hoodie.properties.crc").exists()  # the part has other properties
    with rehearse(table, "1.2", tmp_path / "copy", overwrite=True, part=TablePart(file_groups=2)) as found:
        assert found.outcome is RehearsalOutcome.AS_PREDICTED
    groups = {one.name.split("_")[0] for one in (tmp_path / "copy").rglob("p*/*.parquet")}
    assert len(groups) == 2
    with pytest.raises(InputError, match="has no files in the partition p8; it has p0, "):
        rehearse(table, "1.2", tmp_path / "copy", overwrite=True, part=TablePart(("p8",)))
    assert checksums(path) == before
    assert sorted(one.name for one in tmp_path.iterdir()) == ["copy", "table"]
