"""Small inputs: `auto` leaves them to the python engine where the sizes of all sides are known, and says so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import MergePlan
from bridge.cli import main
from bridge.engines.native.size import few_bytes, file_bytes
from bridge.pipeline import choice_of
from bridge.pipeline.point_run import POINTS, PointRun
from bridge.programs import EngineName
from tests.bridge.engines.generated import MERGER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from bridge.engines import Choice

ROWS = "id string, part string, ts bigint, v string"
LOG = f"{ROWS}, _pb_commit bigint, _pb_seq bigint, _pb_kind string, _pb_ordering struct<type:string,value:string>"
STORED = [("a", "p", 1, "old"), ("b", "p", 5, "stays"), ("c", "p", 1, "goes"), ("e", "p", 1, "alone")]
BATCH = [("a", "p", 2, "first"), ("a", "p", 3, "new"), ("b", "p", 2, "late"), ("c", "p", 1, "tie"), ("d", "p", 1, "in")]
KEYS = {"key": "id", "partition": "part", "ordering": "ts"}
RULES = {
    "event time": {"merger": "EVENT_TIME_ORDERING", "release": "1.2"},
    "a payload of 0.15": {"payload": "DefaultHoodieRecordPayload", "release": "0.15"},
    "a partial update": {"payload": "PartialUpdateAvroPayload", "release": "1.2"},
}
LIMITS = {name: f"bridge.engines.native.size.{name}" for name in ("_SMALL_BYTES", "_SMALL_BYTES_TO_FILL")}
WHY = "not native: the inputs are small files"


@pytest.fixture(scope="module")
def files(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    log = [(*row, 1, number, "data", None) for number, row in enumerate(BATCH)]
    for name, rows, columns in (("stored", STORED, ROWS), ("incoming", BATCH, ROWS), ("log", log, LOG)):
        spark.createDataFrame(rows, columns).coalesce(1).write.parquet(str(folder / name))
    return folder


@pytest.fixture(params=["parquet", ""], ids=["V1", "V2"])
def sources(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[None]:
    """Read by Spark's first and by its second interface, which estimates sizes by the columns that are read."""
    name = "spark.sql.sources.useV1SourceList"
    before = spark.conf.get(name)
    spark.conf.set(name, request.param)
    yield
    spark.conf.set(name, before)


def frames_of(point: str, folder: Path, spark: SparkSession) -> dict[str, DataFrame]:
    return {name: spark.read.parquet(str(folder / name)) for name in POINTS[point][0]}


def plan_of(rule: str = "event time", **settings: Any) -> MergePlan:
    return MergePlan(**RULES[rule] | KEYS | settings)


def chosen(point: str, frames: dict[str, DataFrame], plan: MergePlan) -> tuple[Choice, PointRun]:
    """Return which engine is told for frames, and the run, which is planned for that engine."""
    newer, stored = frames[POINTS[point][0][-1]], [frames["stored"]] if "stored" in frames else []
    told = choice_of(point.replace("-", "_"), plan, newer, *stored)
    run = PointRun(point, frames, plan)
    has_python = "InArrow" in run.outcomes._jdf.queryExecution().executedPlan().toString()
    assert has_python is (told.engine is EngineName.PYTHON), "what is told is what runs"
    return told, run


def rows_of(run: PointRun) -> list[str]:
    results = run.split(run.outcomes).items()
    return sorted(f"{name} {row}" for name, frame in results for row in frame.drop("_pb_seq").collect())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("point", POINTS)
def test_small_files_go_to_python_and_larger_ones_are_merged_natively_to_the_same_rows(
    spark: SparkSession, files: Path, monkeypatch: pytest.MonkeyPatch, point: str, rule: str
) -> None:
    frames, plan = frames_of(point, files, spark), plan_of(rule)
    small, in_python = chosen(point, frames, plan)
    assert (small.engine, small.why[: len(WHY)]) == (EngineName.PYTHON, WHY)
    size = sum(file_bytes(frame) or 0 for frame in frames.values())
    own, other = reversed(LIMITS.values()) if rule == "a partial update" else LIMITS.values()
    monkeypatch.setattr(own, size)
    monkeypatch.setattr(other, 0)
    assert chosen(point, frames, plan)[0].engine is EngineName.PYTHON
    monkeypatch.setattr(own, size - 1)
    assert all(few_bytes(frame) for frame in frames.values()) is (len(frames) > 1), "each alone would be small"
    monkeypatch.setattr(other, size)
    large, natively = chosen(point, frames, plan)
    assert large[:2] == (EngineName.NATIVE, "the rule runs as Spark expressions")
    assert rows_of(in_python) == rows_of(natively)


@pytest.mark.usefixtures("sources")
@pytest.mark.parametrize("point", POINTS)
def test_the_limit_is_one_of_all_sides_with_their_control_columns_or_without(
    spark: SparkSession, files: Path, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    frames = frames_of(point, files, spark)
    size = sum(file_bytes(frame) or 0 for frame in frames.values())
    for limit, expected in ((size, EngineName.PYTHON), (size - 1, EngineName.NATIVE)):
        for name in LIMITS.values():
            monkeypatch.setattr(name, limit)
        assert chosen(point, frames, plan_of())[0].engine is expected


@pytest.mark.parametrize("point", POINTS)
def test_what_has_no_known_size_is_merged_natively_and_so_is_what_is_asked_for(
    spark: SparkSession, files: Path, point: str
) -> None:
    frames = frames_of(point, files, spark)
    assert chosen(point, frames, plan_of(engine="native"))[0].engine is EngineName.NATIVE
    for name, frame in frames.items():
        in_memory = spark.createDataFrame(frame.collect(), frame.schema)
        assert chosen(point, {**frames, name: in_memory}, plan_of())[0].engine is EngineName.NATIVE


def test_a_merger_of_columns_stays_native(spark: SparkSession, tmp_path: Path) -> None:
    for name in ("stored", "incoming"):
        rows = spark.createDataFrame([("a", 1, None)], "id string, v int, op string")
        rows.coalesce(1).write.parquet(str(tmp_path / name))
    plan = plan_of(merger=MERGER, partition=(), ordering=())
    assert chosen("upsert", frames_of("upsert", tmp_path, spark), plan)[0].engine is EngineName.NATIVE


def test_a_frame_that_is_not_small_spares_the_question_for_the_others(
    monkeypatch: pytest.MonkeyPatch, spark: SparkSession, files: Path
) -> None:
    asked: list[DataFrame] = []
    monkeypatch.setattr("bridge.engines.native.size.file_bytes", asked.append)
    newer, stored = (spark.read.parquet(str(files / name)) for name in ("incoming", "stored"))
    choice_of("upsert", plan_of(), newer, stored)
    assert asked == [newer]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("engine", ["auto", "native"])
def test_merge_names_the_engine_and_the_reason(files: Path, engine: str) -> None:
    given = ["--stored", str(files / "stored"), "--incoming", str(files / "incoming"), "--key", "id"]
    given += ["--partition", "part", "--ordering", "ts", "--mode", "EVENT_TIME_ORDERING", "--engine", engine]
    result = CliRunner().invoke(main, ["merge", "upsert", *given, "--output", "json"])
    told = json.loads(result.output)["plan"]["ran"]
    assert told["engine"] == ("python" if engine == "auto" else "native")
    assert told["why"].startswith(WHY) is (engine == "auto")
