"""Release 1.3, a preview: rows as apache/hudi#19322 expects them, and each form of each report says what it is."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner

from bridge import MergePlan, PlanError, inspect, plan_migration, simulate
from bridge.cli import main
from bridge.config import MergeConfigError, created_properties
from bridge.config.table_type import TableType
from payloads import HudiRelease
from payloads.release import PREVIEW_NOTE

NAME = "OracleDebeziumAvroPayload"
COLUMNS = "id int, v1 bigint, v2 bigint, v3 bigint, _changed_columns string, _event_ordering string"
MERGED = ("--payload", NAME, "--key", "id", "--ordering", "_event_ordering")
FORMS = (".html", ".json", ".md", ".xml")


def stored(table_type=TableType.MERGE_ON_READ, **options):
    """What a table of the class stores."""
    named = {"hoodie.datasource.write.payload.class": f"org.apache.hudi.common.model.debezium.{NAME}", **options}
    found = created_properties(named, table_type, HudiRelease.V1_3)
    return {"hoodie.table.name": "t", "hoodie.table.recordkey.fields": "id", **found}


def properties_file(folder):
    file = folder / "hoodie.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in stored().items()))
    return file


def event(at, values, changed):
    return (1, *values, changed, f"{0:020}.{at:020}")


def sequences():
    """Draw an insert and updates of some columns, the others sent as -999; with the row that they add up to."""
    chance = random.Random(20260719)  # noqa: S311 (drawn anew each time, the same)
    for _ in range(4):
        row = [chance.randint(1, 1000) for _ in range(3)]
        events = [event(100, row, None)]
        for at in range(2, chance.randint(4, 6)):
            listed = [n for n in range(3) if chance.random() < 0.5] or [chance.randrange(3)]
            sent = [chance.randint(2000, 3000) if n in listed else -999 for n in range(3)]
            row = [sent[n] if n in listed else row[n] for n in range(3)]
            events.append(event(at * 100, sent, ",".join(f"v{n + 1}" for n in listed)))
        yield events, tuple(row)


@pytest.mark.spark
@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_each_path_of_a_table_gives_the_row_that_the_changes_add_up_to(spark, table_type):
    plan = MergePlan(payload=NAME, release="1.3", key="id", ordering="_event_ordering", table_type=table_type)
    for events, expected in sequences():
        one_each = [[one] for one in events]
        cut = [[events[0]], events[1:]]
        ways = [
            (one_each, ()),
            (cut, ()),
            ([events], ()),
            *([(one_each, (2,)), (cut, (2,))] if table_type == "mor" else []),
        ]
        for batches, compact_after in ways:
            frames = [spark.createDataFrame(batch, COLUMNS) for batch in batches]
            with simulate(frames, plan, compact_after=compact_after) as found:
                (row,) = json.loads(found.to_json())["results"][-1]["snapshot"]
            assert (row["v1"], row["v2"], row["v3"]) == expected, (batches, compact_after)


# -- the mark


@pytest.fixture
def batches(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    names = [column.split()[0] for column in COLUMNS.split(", ")]
    for number, one in enumerate((event(100, (1, 2, 3), None), event(200, (9, -1, -1), "v1"))):
        (folder / f"{number}.jsonl").write_text(json.dumps(dict(zip(names, one, strict=True))))
    return folder


VERBS = {
    "simulate": ("simulate", "--batches", "{days}", *MERGED, "--release", "1.3"),
    "all paths": ("simulate", "--batches", "{days}", *MERGED, "--release", "1.3", "--all-paths"),
    "explain": ("explain", "--batches", "{days}", *MERGED, "--release", "1.3", "--row", "1"),
    "replay": ("replay", "--batches", "{days}", *MERGED, "--from", "1.3", "--to", "1.3"),
    "merge": (
        "merge",
        "upsert",
        "--stored",
        "{days}/0.jsonl",
        "--incoming",
        "{days}/1.jsonl",
        *MERGED,
        "--release",
        "1.3",
    ),
    "inspect": ("inspect", "{properties}"),
    "plan": ("plan", "{properties}", "--to", "1.3"),
    "payloads": ("payloads", NAME),
    "a mode": ("payloads", "EVENT_TIME_ORDERING/FILL_UNCHANGED"),
}
WITH_SPARK = ("simulate", "all paths", "explain", "replay", "merge")


def said(text):
    return PREVIEW_NOTE[4:] in " ".join(text.split())


@pytest.mark.spark
@pytest.mark.parametrize("verb", VERBS)
def test_each_form_of_a_report_says_that_nothing_was_compared(verb, batches, tmp_path, spark):
    names = {"days": batches, "properties": properties_file(tmp_path)}
    words = [word.format(**names) for word in VERBS[verb]]
    for output in ("text", "json", "markdown"):
        found = CliRunner().invoke(main, [*words, "--output", output])
        assert found.exit_code in {0, 1}, found.output
        assert said(found.stdout.replace("\\", "")), (verb, output, found.stdout)
    for form in FORMS:
        page = tmp_path / f"report{form}"
        CliRunner().invoke(main, [*words, "--report", str(page), "--overwrite"])
        assert said(page.read_text().replace("\\", "")), (verb, form)


@pytest.mark.spark
def test_a_result_in_python_says_so_too(spark):
    plan = MergePlan(payload=NAME, release=HudiRelease.V1_3, key="id", ordering="_event_ordering")
    with simulate([spark.createDataFrame([event(1, (1, 2, 3), None)], COLUMNS)], plan) as found:
        assert "1.3 (preview), not compared with a release" in repr(found)
        assert said(found._repr_html_())
        assert said(found.to_json())
    assert "1.3 (preview)" in repr(plan)
    looked = inspect(stored())
    assert "not compared with a release" in repr(looked)
    assert said(looked.to_json())


# -- what is known, and nothing else


def test_the_properties_of_a_new_table_are_those_of_the_source():
    found = stored(**{"hoodie.datasource.write.precombine.field": "ts"})
    prefix = "hoodie.record.merge.property."
    assert found["hoodie.record.merge.mode"] == "EVENT_TIME_ORDERING"
    assert found["hoodie.table.partial.update.mode"] == "FILL_UNCHANGED"
    assert found["hoodie.table.ordering.fields"] == "_event_ordering"
    assert found["hoodie.table.legacy.payload.class"].endswith(NAME)
    assert found[f"{prefix}hoodie.write.partial.update.changed.fields"] == "_changed_columns"
    assert found[f"{prefix}hoodie.write.partial.update.unavailable.value"] == "__debezium_unavailable_value"
    assert found[f"{prefix}hoodie.payload.delete.field"] == "_change_operation_type"
    assert found[f"{prefix}hoodie.payload.delete.marker"] == "d"
    assert found[f"{prefix}hoodie.write.partial.update.retain.fields"].split(",") == [
        *("_event_scn", "_event_commit_scn", "_event_ordering", "_debezium_metadata", "_change_operation_type"),
        *("_upstream_event_processed_ts_ms", "db_shard_source_partition", "_event_origin_ts_ms", "_hoodie_is_deleted"),
    ]


def test_a_table_that_only_the_preview_knows_is_read_under_it():
    assert inspect(stored()).config.release is HudiRelease.V1_3
    planned = plan_migration(stored(), "1.3")
    assert (planned.before, planned.behaviours) == (planned.after, ())
    for release in ("1.2", "1.1"):
        with pytest.raises(MergeConfigError, match=rf"FILL_UNCHANGED, which Hudi {release} does not know"):
            plan_migration(stored(), release)
    with pytest.raises(MergeConfigError, match=r"Hudi 1\.1 does not know"):
        inspect(stored(), release="1.1")


@pytest.mark.parametrize("version", ["6", "8", "9"])
def test_other_tables_are_refused_under_the_preview(version):
    table = {"hoodie.table.version": version, "hoodie.table.type": "MERGE_ON_READ", "hoodie.table.name": "t"}
    with pytest.raises(
        MergeConfigError, match=r"of Hudi 1\.3 \(preview\) only tables of version 9 .*; choose release 1\.2"
    ):
        inspect(table, release="1.3")
    with pytest.raises(MergeConfigError, match=r"choose release 1\.2"):
        plan_migration(table, "1.3")


@pytest.mark.spark
@pytest.mark.parametrize(
    "settings",
    [{"payload": "DefaultHoodieRecordPayload"}, {"merger": "EVENT_TIME_ORDERING"}, {"merger": "COMMIT_TIME_ORDERING"}],
)
def test_other_classes_and_modes_are_refused_under_the_preview(spark, settings):
    frames = [spark.createDataFrame([event(1, (1, 2, 3), None)], COLUMNS)]
    with pytest.raises(Exception, match=r"1\.3 \(preview\)") as refused:
        simulate(frames, MergePlan(release="1.3", key="id", ordering="_event_ordering", **settings)).to_report()
    assert "1.2" in str(refused.value) or isinstance(refused.value, PlanError)


@pytest.mark.java
def test_a_statement_and_laws_are_refused_under_the_preview(batches):
    statement = batches.parent / "m.sql"
    statement.write_text("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v1 = s.v1")
    words = [
        "simulate",
        "--batches",
        str(batches),
        *MERGED,
        "--release",
        "1.3",
        "--operation",
        f"2=sql_merge:{statement}",
    ]
    found = CliRunner().invoke(main, words)
    assert "refuses an UPDATE of some columns" in found.stderr, found.output
    found = CliRunner().invoke(main, ["verify", NAME, "--release", "1.3"])
    assert "laws are not checked under Hudi 1.3 (preview)" in found.stderr


@pytest.mark.spark
def test_data_with_the_words_of_the_preview_is_not_marked(tmp_path, spark):
    folder = tmp_path / "days"
    folder.mkdir()
    for number, word in enumerate(("FILL_UNCHANGED", HudiRelease.V1_3.value)):
        row = {"id": word, "ts": number, "FILL_UNCHANGED": word}
        (folder / f"{number}.jsonl").write_text(json.dumps(row) + "\n" + json.dumps(row | {"id": "a"}))
    merged = ("--payload", "DefaultHoodieRecordPayload", "--key", "id", "--ordering", "ts")
    page = tmp_path / "page.html"
    words = ["explain", "--batches", str(folder), *merged, "--release", "1.2", "--row", HudiRelease.V1_3.value]
    found = CliRunner().invoke(main, [*words, "--report", str(page)])
    assert HudiRelease.V1_3.value in found.stdout, found.output
    assert not said(found.stdout)
    assert not said(page.read_text())
    plan = MergePlan(payload="DefaultHoodieRecordPayload", release="1.2", key="id", ordering="ts")
    with simulate([spark.createDataFrame([(HudiRelease.V1_3.value, 1)], "id string, ts int")], plan) as found:
        assert "not compared" not in repr(found)
