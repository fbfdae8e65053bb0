"""The paths that every key can take: where they lead, which of them disagree on how many keys, and the page of it."""

from __future__ import annotations

import dataclasses
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import Batches, MergePlan, TableType, all_paths, redacted
from bridge.cli import main
from bridge.explain import Tracer, paths_view
from bridge.explain import traced_paths as tracing
from bridge.merge import MergePoint, RecordMerge
from bridge.programs import PathEnding, PathKind, standard_paths
from bridge.programs.path_search import Change, PathSearch, history_of
from tests.bridge.programs.test_path_search import SCHEMA, random_versions, row
from tests.support.plans import plan_of

if TYPE_CHECKING:
    from pathlib import Path as File

    from pyspark.sql import DataFrame, SparkSession

    from bridge.report import View

COW, MOR = TableType
FOUR = {MergePoint.COMBINE_INPUT, MergePoint.UPSERT, MergePoint.COMPACT, MergePoint.SNAPSHOT}
NON_DEFAULTS = "OverwriteNonDefaultsWithLatestAvroPayload"
FAILS = "tests.bridge.programs.test_path_search:FailsOnStoredRows"


def searched(payload: str, release: str, versions: list[tuple[int, dict[str, Any]]], **settings: Any) -> Any:
    merge = RecordMerge(plan_of(payload, release, **settings), SCHEMA)
    search, history = PathSearch(merge), history_of(versions, merge)
    found = search.paths(history)
    return found, search.standard(history, found)


def test_there_are_three_tables_and_three_ways_to_write_each() -> None:
    words = [one.words for one in standard_paths(TableType)]
    assert len(set(words)) == 9
    assert words[:3] == [f"copy-on-write, {one}" for one in ("batches as given", "a commit per version", "one commit")]
    assert words[6] == "merge-on-read, compacted, batches as given"
    assert len(standard_paths([MOR])) == 6


@pytest.mark.parametrize(
    ("table", "commits", "compact_after"),
    [(0, (1, 2, 1), ()), (1, (1, 1, 1, 1), ()), (2, (4,), ()), (6, (1, 2, 1), (1, 2, 3)), (8, (4,), (1,))],
)
def test_a_standard_path_of_a_key(table: int, commits: tuple[int, ...], compact_after: tuple[int, ...]) -> None:
    path = standard_paths(TableType)[table].of([1, 4, 4, 9])
    assert (path.commits, path.compact_after) == (commits, compact_after)


@pytest.mark.parametrize("settings", [{}, {"combine_before_upsert": False}, {"inserts_to": "log"}])
@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", NON_DEFAULTS])
def test_versions_meet_where_a_path_says(payload: str, settings: dict[str, Any]) -> None:
    """At these merge points and no others, over the traces of some keys."""
    plan = plan_of(payload, "0.15", **settings)
    for path in standard_paths(TableType):
        seen: set[MergePoint] = set()
        for seed in range(8):
            versions = random_versions(5, seed)
            taken = path.of([batch for batch, _ in versions])
            typed = dataclasses.replace(plan, table_type=path.table_type)
            tracer = Tracer(typed, SCHEMA, commits=len(taken.commits), compact_after=taken.compact_after)
            numbers = itertools.chain.from_iterable([at] * size for at, size in enumerate(taken.commits, start=1))
            trace = tracer.trace([(at, dict(record)) for at, (_, record) in zip(numbers, versions, strict=True)])
            seen |= {call.point for call in trace.calls} & FOUR
        assert seen == set(path.points(plan)), path.words


def test_each_standard_path_ends_with_one_of_the_answers() -> None:
    found, ends = searched(NON_DEFAULTS, "0.15", random_versions(4, 7))
    assert [number for number, _ in ends] == [1, 1, 3, 2, 2, 3, 1, 1, 3]
    assert {seen for _, seen in ends} == {PathEnding.ROW}
    assert found.kind is PathKind.VALUES
    assert found.change is Change.TABLE_TYPE


def test_a_key_that_is_missing_on_some_paths() -> None:
    versions = [(1, row(10, "Oslo")), (2, row(20, None, deleted=True)), (3, row(15, "Pisa"))]
    found, ends = searched("DefaultHoodieRecordPayload", "1.2", versions)
    assert found.kind is PathKind.MISSING
    assert found.change is Change.TABLE_TYPE
    assert [seen.value for _, seen in ends][:4] == ["row", "row", "nothing", "nothing"]


def test_a_key_that_fails_on_some_paths() -> None:
    found, ends = searched(FAILS, "0.15", [(1, row(1, "Oslo")), (2, row(2, "Rome"))])
    assert found.kind is PathKind.FAILING
    assert [seen for _, seen in ends][:3] == [PathEnding.ERROR, PathEnding.ERROR, PathEnding.ROW]


def test_a_compaction_may_be_the_least_change() -> None:
    versions = [(1, row(10, "Oslo")), (2, row(20, None, deleted=True)), (3, row(15, "Pisa"))]
    merge = RecordMerge(plan_of(release="1.2"), SCHEMA)
    assert PathSearch(merge, [MOR]).paths(history_of(versions, merge)).change is Change.COMPACTION


def test_an_answer_that_was_not_followed_has_a_number_of_its_own() -> None:
    """Of a payload whose states can't be told apart, more are reached than are followed."""
    found, ends = searched("tests.bridge.programs.test_path_search:Counts", "0.15", random_versions(12, 0))
    assert not found.is_complete
    assert max(number for number, _ in ends) <= len(found.answers) + 9


# -- on Spark

COLUMNS = "_pb_commit int, part string, id string, ts bigint, city string, _hoodie_is_deleted boolean"


def feed(spark: SparkSession) -> DataFrame:
    """Return a key that keeps its row on every path, five that lose it on some, and two with other values."""
    rows: list[tuple[Any, ...]] = [(1, "p", "same", 1, "Oslo", False), (2, "p", "same", 2, "Rome", False)]
    for at in range(5):
        part = [None, "q"][at % 2]
        rows += [(1, part, f"k{at}", 10, "Oslo", False), (2, part, f"k{at}", 20, None, True)]
        rows += [(3, part, f"k{at}", 15, "Pisa", False)]
    return spark.createDataFrame(rows, COLUMNS)


PLAN = MergePlan(payload="DefaultHoodieRecordPayload", release="1.2", key="id", partition="part", ordering="ts")


def test_groups_of_paths_that_end_alike(spark: SparkSession) -> None:
    with all_paths(Batches.by(feed(spark), "_pb_commit"), PLAN) as found:
        paths = found.disagreements
        assert paths.kinds == {PathKind.MISSING: 5, PathKind.FAILING: 0, PathKind.VALUES: 0}
        assert paths.changes == {Change.TABLE_TYPE: 5, Change.COMPACTION: 0, Change.COMMITS: 0}
        assert [(group.name, len(group.paths)) for group in paths.groups] == [("A", 4), ("B", 5)]
        assert paths.groups[0].differing == [(0, 0, 0), (5, 0, 0)]
        one, other = itertools.islice(found.collect(), 2)
        assert one.standard is not None
        assert paths.groups_of(one.number, one.standard) == ["A"]
        assert paths.groups_of(other.number, one.standard) == ["B"]
        html = found._repr_html_()
        assert "Paths that disagree" in html
        assert "merge-on-read, batches as given" in html
        for limit in (2, 1000):
            check_page(paths_view(found, limit), limit)


def check_page(view: View, limit: int) -> None:
    assert view.headline == "On Hudi 1.2, 5 of 6 keys depend on how they are written"
    assert [figure.value for figure in view.figures] == ["5", "0", "0"]
    assert [(cause.title, cause.keys) for cause in view.causes] == [("Table type", 5)]
    assert [path for path, _ in view.causes[0].example] == [
        "copy-on-write, batches as given",
        "merge-on-read, batches as given",
    ]
    (chart,) = view.charts
    assert [(bar.label, tuple(bar.parts), bar.out_of) for bar in chart.bars] == [
        ("(none)", (3, 0, 0), 3),
        ("q", (2, 0, 0), 2),
    ]
    assert view.keys is not None
    assert (len(view.keys.rows), view.keys.total) == (min(limit, 5), 5)
    assert ("a sample" in view.keys.note) == (limit < 5)
    for one in view.keys.rows:
        assert one["paths"] == ["A-B"]
        assert [answer["groups"] for answer in one["answers"]] == [["A"], ["B"]]
        story = one["story"]
        rows = {version["label"]: version["row"] for version in story["versions"]} | {"no row": None}
        ends = [rows[side["end"]] for side in story["sides"]]
        assert ends == [answer["row"] and list(answer["row"].values()) for answer in one["answers"]]
        assert [side["name"] for side in story["sides"]] == [answer["path"] for answer in one["answers"]]
        assert all(sum(call["parts"] for call in side["calls"]) == 1 for side in story["sides"])


def test_every_answer_is_that_of_the_timeline_beside_it(spark: SparkSession) -> None:
    """Of payloads that fill and fail: the trace along a path ends as the search says."""
    rows = [
        (batch, "p", f"k{seed}", record["ts"], record["city"], record["_hoodie_is_deleted"])
        for seed in range(12)
        for batch, record in random_versions(4, seed)
    ]
    batches = Batches.by(spark.createDataFrame(rows, COLUMNS), "_pb_commit")
    for payload in (NON_DEFAULTS, "PartialUpdateAvroPayload"):
        plan = MergePlan(payload=payload, release="0.15", key="id", partition="part", ordering="ts")
        with all_paths(batches, plan) as found:
            keys = paths_view(found).keys
        assert keys is not None
        assert len(keys.rows) > 2
        for one in keys.rows:
            labels = {version["label"]: version["row"] for version in one["story"]["versions"]} | {"no row": None}
            ends = [labels[side["end"]] for side in one["story"]["sides"]]
            assert ends == [answer["row"] and list(answer["row"].values()) for answer in one["answers"]]


def test_paths_that_agree(spark: SparkSession) -> None:
    plan = MergePlan(merger="COMMIT_TIME_ORDERING", release="1.2", key="id", partition="part", ordering="ts")
    with all_paths(Batches.by(feed(spark), "_pb_commit"), plan) as found:
        report = found.to_report()
        assert [group.name for group in found.disagreements.groups] == ["A"]
        assert report.statistics["disagreements"] == []
        assert paths_view(found).headline == "On Hudi 1.2, no key of 6 keys depends on how it is written"


def test_hidden_values_are_hidden_in_timelines_too(spark: SparkSession) -> None:
    with redacted("city", "id"), all_paths(Batches.by(feed(spark), "_pb_commit"), PLAN) as found:
        keys = paths_view(found).keys
        assert keys is not None
        text = json.dumps(keys.rows)
        assert all(one["story"] is not None for one in keys.rows)
    for value in ("Oslo", "Pisa", '"k0"'):
        assert value not in text


def test_keys_with_many_versions_have_no_timeline(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "MOST_PATHS", 1)
    with all_paths(Batches.by(feed(spark), "_pb_commit"), PLAN) as found:
        keys = paths_view(found).keys
    assert keys is not None
    assert {len(one["story"]["sides"]) for one in keys.rows} == {1}


def test_the_command_line_writes_the_page_and_the_statistics(spark: SparkSession, tmp_path: File) -> None:
    for number, lines in enumerate(([("a", 10, False)], [("a", 20, True)], [("a", 15, False)]), start=1):
        rows = [{"id": name, "ts": ts, "_hoodie_is_deleted": gone} for name, ts, gone in lines]
        (tmp_path / f"{number}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    words = ["simulate", "--all-paths", "--batches", str(tmp_path), "--payload", "DefaultHoodieRecordPayload"]
    words += [
        "--release",
        "1.2",
        "--key",
        "id",
        "--ordering",
        "ts",
        "--prop",
        "hoodie.parquet.small.file.limit=104857600",
    ]
    page = tmp_path / "page.html"
    done = CliRunner().invoke(main, [*words, "--output", "json", "--report", str(page)], catch_exceptions=False)
    assert done.exit_code == 1
    found = json.loads(done.stdout)
    statistics, (key,) = found["statistics"], found["results"]
    assert len(statistics["paths"]) == 9
    assert statistics["disagreements"] == [
        {"groups": ["A", "B"], "keys": 1, "kinds": {"missing": 1, "failing": 0, "values": 0}}
    ]
    assert (key["kind"], key["change"]) == ("missing", "table-type")
    assert [answer["groups"] for answer in key["answers"]] == [["A"], ["B"]]
    text = page.read_text("utf-8")
    assert "On Hudi 1.2, 1 of 1 key depends on how it is written" in text
    assert "Paths that disagree" in text
