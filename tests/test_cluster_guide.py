"""The page "On a cluster": its formula is what Spark counts, and its Python runs; tests.cluster runs its commands."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as sf

from bridge import MergePlan, upsert
from tests.support.folders import GUIDE
from tests.support.guide_pages import BLOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (GUIDE / "cluster.md").read_text(encoding="utf-8")
PLAN = MergePlan(payload="DefaultHoodieRecordPayload", release="0.15", key="id", ordering="ts")


def run(*blocks: str, **names: Any) -> dict[str, Any]:
    for block in blocks:
        exec(compile(block, "cluster.md", "exec"), names)  # noqa: S102 (our own example)
    return names


def python_of_page(word: str) -> str:
    (found,) = (text for kind, text in BLOCK.findall(PAGE) if kind == "py" and word in text)
    return str(found)


def nodes(plan: Any) -> Iterator[Any]:
    yield plan
    children = plan.children()
    for at in range(children.size()):
        yield from nodes(children.apply(at))


def shuffled(frame: Any) -> tuple[int, int]:
    """Run a query; return the bytes of its shuffle before and after compression."""
    query = frame._jdf.queryExecution()
    query.toRdd().count()
    (exchange,) = (one for one in nodes(query.executedPlan()) if one.nodeName() == "Exchange")
    metrics = exchange.metrics()
    return metrics.apply("dataSize").value(), metrics.apply("shuffleBytesWritten").value()


@pytest.mark.parametrize("columns", [2, 40])
def test_a_shuffle_moves_what_the_formula_says_at_three_sizes(spark: Any, columns: int) -> None:
    formula = run(python_of_page("def shuffle_bytes"))["shuffle_bytes"]
    ratios = []
    for rows in (4_000, 16_000, 64_000):
        number = sf.col("id")
        stored, incoming = (
            spark.range(0, size, 1, 2).select(
                sf.format_string("key-%09d", number).alias("id"),
                (number % 1000).alias("ts"),
                sf.sha2(number.cast("string"), 256).alias("name"),
                *(sf.hash(number, sf.lit(at)).alias(f"c{at}") for at in range(columns - 1)),
            )
            for size in (rows * 3 // 4, rows // 4)
        )
        size, compressed = shuffled(upsert(stored, incoming, dataclasses.replace(PLAN, engine="python")))
        assert size == pytest.approx(formula(rows, columns, [13, 64]), rel=0.15)
        ratios.append(compressed / size)
    assert ratios == pytest.approx([ratios[0]] * 3, rel=0.15)


def test_the_example_of_10_billion_rows_is_what_the_formula_says() -> None:
    formula = run(python_of_page("def shuffle_bytes"))["shuffle_bytes"]
    each = formula(1, 12, [24] * 8)
    assert f"{each} bytes a row, {each * 1e10 / 1e12:.1f} TB" in re.sub(r"\s+", " ", PAGE)


def test_any_session_merges(spark: Any, tmp_path: Any) -> None:
    for day in (1, 2):
        spark.range(3).selectExpr("CAST(id AS STRING) id", f"{day}L ts").write.parquet(
            str(tmp_path / "days" / str(day))
        )
    block = python_of_page("getOrCreate").replace("upsert(", "merged = upsert(").replace("days", f"{tmp_path}/days")
    found = run("from pyspark.sql import SparkSession", block, upsert=upsert, plan=PLAN)
    assert found["merged"].where("ts = 2").count() == 3
