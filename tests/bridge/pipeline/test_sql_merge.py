"""MERGE INTO as an operation: what is read, what is refused and why, and on Spark what the verbs make of statements.

That the rows are real Hudi's: `tests/data/histories-merge-into`, run by `tests/test_conformance_histories.py`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import (
    Batch,
    Batches,
    InputError,
    MergeFailedError,
    MergePlan,
    PlanError,
    SqlMerge,
    explain,
    replay,
    simulate,
)
from bridge.cli import main
from bridge.programs import (
    ClauseAction,
    Operations,
    WriteOperation,
    check_statement,
    operation_warnings,
)
from bridge.spark import PySparkException
from tests.conformance import in_process
from tests.conformance.histories import columns_of, load
from tests.conformance.in_process import statements_of, struct_of
from tests.conformance.spark_histories import plan_of
from tests.support import MERGES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from bridge.programs import MergeStatement

TABLE = ["id", "part", "ts", "name", "qty"]
SOURCE = [*TABLE, "flag"]
ON = "MERGE INTO db.t AS t USING s ON t.id = s.id AND t.part = s.part "
STAR = ON + "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
COLUMNS = "id string, part string, ts bigint, name string, qty int"
KEYS = "id string, part string, ts bigint"
WHOLE = "id = s.id, part = s.part, name = s.name, qty = s.qty"
MOVES = "hoodie.simple.index.update.partition.path"
ROWS = [("a", "x", 10, "Oslo", 1), ("b", "x", 10, "Rome", 1), ("c", "x", 10, "Bonn", None)]


def a_plan(**settings: Any) -> MergePlan:
    named = {"payload": "OverwriteWithLatestAvroPayload", "release": "0.15", "table_type": "cow", "ordering": "ts"}
    return MergePlan(key="id", partition="part", **{**named, **settings})


# -- reading


def test_clauses_are_tried_as_hudi_tries_them() -> None:
    text = f"""{ON} WHEN MATCHED AND s.flag = 'D' THEN DELETE
        WHEN MATCHED AND t.qty > 1 THEN UPDATE SET t.NAME = upper(s.name), ts = s.ts
        WHEN NOT MATCHED THEN INSERT (id, part, ts) VALUES (s.id, s.part, 1)"""  # noqa: S608 (a statement of a test)
    found = SqlMerge(text).parsed(SOURCE, TABLE)
    assert found.on == {"id": "`_pb_source`.`id`", "part": "`_pb_source`.`part`"}
    update, delete, insert, *rest = found.clauses
    assert (update.values, update.reads) == (
        {"name": "UPPER(`_pb_source`.`name`)", "ts": "`_pb_source`.`ts`"},
        ("qty",),
    )
    assert (delete.action, delete.condition) == (ClauseAction.DELETE, "`_pb_source`.`flag` = 'D'")
    assert insert.values == {"id": "`_pb_source`.`id`", "part": "`_pb_source`.`part`", "ts": "1"}
    assert [one.action for one in rest] == [ClauseAction.NOTHING] * 2
    assert found.reorders


def test_names_of_dbt_are_read() -> None:
    text = """merge into db.model as DBT_INTERNAL_DEST using model__dbt_tmp as DBT_INTERNAL_SOURCE
        on DBT_INTERNAL_SOURCE.id = DBT_INTERNAL_DEST.id
        when matched then update set * when not matched then insert *"""
    found = SqlMerge(text).parsed(SOURCE, TABLE)
    assert found.on == {"id": "`_pb_source`.`id`"}
    assert list(found.updates[0].values) == TABLE


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("SELECT 1", "not one MERGE INTO statement"),
        ("MERGE INTO", "can't be parsed"),
        (STAR + "; " + STAR, "not one MERGE INTO statement"),
        (ON + "WHEN NOT MATCHED BY SOURCE THEN DELETE", "WHEN NOT MATCHED BY SOURCE is not supported"),
        ("MERGE INTO t USING (SELECT * FROM x) s ON t.id = s.id WHEN MATCHED THEN DELETE", "the source is a subquery"),
        ("MERGE INTO t USING s ON t.id > s.id WHEN MATCHED THEN DELETE", "not an equality"),
        ("MERGE INTO t USING s ON t.id <=> s.id WHEN MATCHED THEN DELETE", "not an equality"),
        (
            "MERGE INTO t USING s ON t.id = upper(s.id) WHEN MATCHED THEN DELETE",
            "only with a column of the source",
        ),
        ("MERGE INTO t USING s ON t.id = s.id AND t.part = 'x' WHEN MATCHED THEN DELETE", "compares part only with"),
        ("MERGE INTO t USING s ON t.id = s.flag.code WHEN MATCHED THEN DELETE", "only with a column of the source"),
        (
            "MERGE INTO t USING s ON t.id = CAST(s.flag AS string) WHEN MATCHED THEN DELETE",
            "the source has a column id, which Hudi takes instead",
        ),
        ("MERGE INTO t USING s ON t.id = t.name WHEN MATCHED THEN DELETE", "a column of the table with the source"),
        (ON + "WHEN MATCHED AND id > 'a' THEN DELETE", "id is a column of both table and source"),
        (ON + "WHEN MATCHED AND s.none > 1 THEN DELETE", "there is no column s.none"),
        (ON + "WHEN MATCHED THEN UPDATE SET flag = 'x'", "flag is no column of the table"),
        (ON + "WHEN MATCHED THEN UPDATE SET qty = (SELECT 1)", "the subquery"),
        (ON + "WHEN MATCHED THEN UPDATE SET qty = 1, t.qty = 2", "qty is assigned twice"),
        (ON + "WHEN NOT MATCHED AND t.qty > 1 THEN INSERT *", "reads qty of the table"),
        (
            ON + "WHEN MATCHED THEN UPDATE SET * WHEN MATCHED AND s.qty > 1 THEN DELETE",
            "only the last WHEN MATCHED may",
        ),
    ],
)
def test_what_is_not_supported_is_named(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        SqlMerge(text).parsed(SOURCE, TABLE)


def test_the_first_update_names_the_ordering_value_that_the_source_lacks() -> None:
    text = ON + "WHEN MATCHED AND s.at > 1 THEN UPDATE SET ts = s.at WHEN MATCHED THEN UPDATE SET ts = s.seen, qty = 1"  # noqa: S608 (a statement of a test)
    resolved = SqlMerge(text).parsed(["id", "part", "at", "seen"], TABLE).resolved
    assert [(name, value.rpartition(".")[2]) for name, value in resolved.items()] == [("ts", "`at`")]


def test_a_star_needs_every_column() -> None:
    with pytest.raises(InputError, match=r"the source lacks name, qty; correct the statement"):
        SqlMerge(STAR).parsed(["id", "part", "ts"], TABLE)


# -- what Hudi refuses


def test_what_hudi_refused_is_refused_and_nothing_else() -> None:
    told, taken = [], 0
    for history in (one for one in load(MERGES) if one.upgrade is None):
        plan, table = plan_of(history), list(columns_of(history.schema_ddl))
        for statement in statements_of(history).values():
            check_statement(statement, 2, plan, table)
            taken += 1
        for text, ddl, rows, _ in history.refused:
            source = SOURCE if ddl is None else list(columns_of(ddl))
            if rows is not None:
                continue  # refused by its rows, which `tests.conformance` tries
            with pytest.raises(PlanError, match=r"batch 2 \(sql_merge\): in a MERGE INTO.* Hudi") as error:
                check_statement(SqlMerge(text).parsed(source, table), 2, plan, table)
            told.append(str(error.value))
    assert taken > 200
    assert len(told) > 20
    for part in ("UPDATE of some columns; set all", "leaves out the ordering field ts", "a value that reads the table"):
        assert any(part in one for one in told)


@pytest.mark.parametrize(
    ("settings", "columns", "told"),
    [
        ({"payload": "AWSDmsAvroPayload", "table_type": "mor"}, TABLE, "AWSDmsAvroPayload was recorded"),
        ({"payload": "DefaultHoodieRecordPayload"}, [*TABLE, "_hoodie_is_deleted"], "a marker of deletes was recorded"),
        (
            {"payload": None, "merger": "tests.support.user_mergers:LaterEvent", "release": "1.2"},
            TABLE,
            "Event was recorded",
        ),
        ({"ordering": "at.seconds"}, [*TABLE, "at"], "a nested ordering field was recorded"),
    ],
)
def test_a_table_that_was_not_recorded_is_refused(settings: dict[str, Any], columns: list[str], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        check_statement(SqlMerge(STAR).parsed(SOURCE, TABLE), 2, a_plan(**settings), columns)


@pytest.mark.parametrize(
    ("clauses", "is_refused"),
    [
        ("WHEN MATCHED AND s.ts > t.ts THEN UPDATE SET *", False),
        ("WHEN MATCHED AND NOT (t.ts > 100) AND s.qty > 1 THEN DELETE", False),
        ("WHEN MATCHED AND (t.ts > 1 OR t.qty = s.qty) THEN DELETE", False),
        ("WHEN MATCHED AND t.qty IS NULL THEN DELETE", True),
        ("WHEN MATCHED AND t.qty IS NOT NULL THEN DELETE", True),
        ("WHEN MATCHED AND t.name <=> s.name THEN UPDATE SET *", True),
        ("WHEN MATCHED AND (s.qty > 1 OR t.ts = 1) THEN UPDATE SET *", True),
        ("WHEN MATCHED AND coalesce(t.qty, 0) = 0 THEN UPDATE SET *", True),
        ("WHEN MATCHED AND t.ts > 1 THEN UPDATE SET * WHEN MATCHED AND s.qty > 1 THEN DELETE", True),
    ],
)
def test_a_log_is_not_read_by_conditions(clauses: str, *, is_refused: bool) -> None:
    """Real 1.2.0 took no matched row in statements such as these, and failed on the one with OR in its condition."""
    plan = a_plan(release="1.2", table_type="mor", payload="DefaultHoodieRecordPayload")
    statement = SqlMerge(ON + clauses).parsed(SOURCE, TABLE)
    check_statement(statement, 2, dataclasses.replace(plan, table_type="cow"), TABLE)  # type: ignore[arg-type]
    with pytest.raises(PlanError, match="changes no matched row") if is_refused else contextlib.nullcontext():
        check_statement(statement, 2, plan, TABLE)


def test_what_hudi_does_other_than_the_statement_says_is_a_warning() -> None:
    text = f"""{ON} WHEN MATCHED AND s.flag = 'D' THEN DELETE WHEN MATCHED AND s.ts > t.ts THEN UPDATE SET ts = s.ts
        WHEN MATCHED THEN UPDATE SET ts = s.ts, qty = s.qty"""  # noqa: S608 (a statement of a test)
    operations = Operations({2: WriteOperation.SQL_MERGE}, {}, {2: SqlMerge(text).parsed(SOURCE, TABLE)})
    found = operation_warnings(operations, a_plan(), a_plan(release="1.2", table_type="mor"))
    assert [any(part in one for one in found) for part in ("though a DELETE", "finds null", "changes no row")] == [
        True
    ] * 3
    assert len(operation_warnings(operations, a_plan())) == 1


def test_a_log_that_hudi_may_fail_to_read_is_a_warning() -> None:
    """Recorded: `some-deleted-other-overwrite-mor`, which real 1.1.1 and 1.2.0 fail to read after the next upsert."""
    some = SqlMerge(ON + "WHEN MATCHED THEN UPDATE SET name = s.name, ts = s.ts").parsed(TABLE, TABLE)
    whole = SqlMerge(STAR).parsed(TABLE, TABLE)
    by_commit = a_plan(release="1.2", table_type="mor", payload=None, merger="COMMIT_TIME_ORDERING")
    by_event = dataclasses.replace(by_commit, merger="EVENT_TIME_ORDERING")

    def told(plan: MergePlan, statement: MergeStatement, *earlier: WriteOperation) -> list[str]:
        by_number = dict(enumerate((*earlier, WriteOperation.SQL_MERGE), start=2))
        return operation_warnings(Operations(by_number, {}, {max(by_number): statement}), plan)

    (warning,) = told(by_commit, some, WriteOperation.DELETE)
    assert "Hudi fails to read a log (NullPointerException) in which a key is deleted and then written again" in warning
    assert told(by_commit, some, WriteOperation.SQL_DELETE) == [warning]
    assert told(by_commit, some) == told(by_commit, whole, WriteOperation.DELETE) == []
    assert told(by_event, some, WriteOperation.DELETE) == []
    assert told(dataclasses.replace(by_commit, table_type="cow"), some, WriteOperation.DELETE) == []
    with pytest.raises(PlanError, match=r"Hudi 1\.0 fails to read the log after an UPDATE of some columns; set all"):
        check_statement(some, 2, dataclasses.replace(by_commit, release="1.0"), TABLE)


# -- on Spark


def merged(spark: SparkSession, text: str, rows: list[tuple[Any, ...]], ddl: str = COLUMNS) -> Batches:
    first = spark.createDataFrame(ROWS, COLUMNS)
    return Batches.of([first, Batch(spark.createDataFrame(rows, ddl), SqlMerge(text))])


def last_rows(batches: Batches, plan: MergePlan) -> dict[str, tuple[Any, ...]]:
    with simulate(batches, plan) as report:
        rows = report.snapshots.where("_pb_commit = 2").collect()
    return {row["id"]: (row["ts"], row["name"], row["qty"]) for row in rows}


def test_a_copy_on_write_table_of_0_15_ignores_a_lower_ordering_value(spark: SparkSession) -> None:
    batches = merged(spark, STAR, [("a", "x", 5, "Kiel", 9), ("b", "x", 11, "Ulm", 9), ("d", "x", 1, "Jena", 9)])
    found = {"b": (11, "Ulm", 9), "c": (10, "Bonn", None), "d": (1, "Jena", 9)}
    assert last_rows(batches, a_plan()) == {"a": (10, "Oslo", 1), **found}
    assert last_rows(batches, a_plan(table_type="mor")) == {"a": (5, "Kiel", 9), **found}
    assert last_rows(batches, a_plan(release="1.2")) == {"a": (5, "Kiel", 9), **found}
    with replay(batches, a_plan(), "1.2") as report:
        assert report.verdict.startswith("DIFFERS") or not report.is_equal


def test_a_row_of_some_columns_after_a_delete_fails_as_in_hudi(spark: SparkSession) -> None:
    statement = SqlMerge(ON + "WHEN MATCHED THEN UPDATE SET name = s.name")
    plan = a_plan(release="1.2", table_type="mor", payload=None, merger="COMMIT_TIME_ORDERING")
    first, keys = spark.createDataFrame(ROWS, COLUMNS), spark.createDataFrame([("a", "x")], "id string, part string")
    for key, fails in (("a", True), ("b", False)):
        source = spark.createDataFrame([(key, "x", 1, "Kiel", 9)], COLUMNS)
        batches = Batches.of([first, Batch(keys, "delete"), Batch(source, statement)])
        expected = pytest.raises(PySparkException, match="the log deletes this key and has a row of it later")
        with expected if fails else contextlib.nullcontext(), simulate(batches, plan) as report:
            last = {row["id"]: row["name"] for row in report.snapshots.where("_pb_commit = 3").collect()}
            assert last == {"b": "Kiel", "c": "Bonn"}
            assert any("a key is deleted and then written again" in one for one in report.to_report().warnings)


def test_spark_evaluates_conditions_and_values_on_the_rows_that_are_there(spark: SparkSession) -> None:
    text = f"""{ON} WHEN MATCHED AND s.kind = 'D' THEN DELETE
        WHEN MATCHED AND s.kind <> 'D' AND t.qty = 1
        THEN UPDATE SET qty = t.qty + s.amount, name = concat_ws('-', t.name, s.kind)"""
    rows = [("a", "x", 9, 5, "U"), ("b", "x", 9, 5, "D"), ("c", "x", 9, 5, "U"), ("none", "x", 9, 5, "U")]
    batches = merged(spark, text, rows, f"{KEYS}, amount int, kind string")
    with simulate(batches, a_plan()) as report:
        assert report.row_counts.rows_in == {"incoming": 7}
    assert last_rows(batches, a_plan()) == {"a": (10, "Oslo-U", 6), "c": (10, "Bonn", None)}


def test_each_statement_meets_the_rows_that_the_one_before_left(spark: SparkSession) -> None:
    text = ON + "WHEN MATCHED AND t.qty < 3 THEN UPDATE SET qty = t.qty + 1, ts = t.ts + 1"
    keys = spark.createDataFrame([("a", "x", 1), ("b", "x", 1)], KEYS)
    batches = Batches.of([spark.createDataFrame(ROWS, COLUMNS), *(Batch(keys, SqlMerge(text)) for _ in range(4))])
    with simulate(batches, a_plan()) as report:
        rows = report.snapshots.where("id = 'a'").orderBy("_pb_commit").collect()
    assert [row["qty"] for row in rows] == [1, 2, 3, 3, 3]


def test_explain_follows_the_row(spark: SparkSession) -> None:
    batches = merged(spark, STAR, [("a", "x", 5, "Kiel", 9)])
    told = explain(batches, a_plan(), {"id": "a"}, to="1.2")
    rows = [side.trace.row_after(2) for side in told.sides]
    assert [row and row["name"] for row in rows] == ["Oslo", "Kiel"]
    rules = [call.rule for call in told.sides[0].trace.calls if call.commit == 2]
    assert rules[0] == "a clause WHEN MATCHED takes the row: UPDATE"
    assert "5 < 10" in rules[1]


@pytest.mark.parametrize(
    ("text", "ddl", "told"),
    [
        (ON.replace(" AND t.part = s.part", "") + "WHEN MATCHED THEN DELETE", "id string", "partition column part"),
        ("MERGE INTO t USING s ON t.part = s.part WHEN MATCHED THEN DELETE", "part string", "the key column id"),
        (
            ON + "WHEN MATCHED THEN UPDATE SET qty = s.part, ts = 1",
            KEYS,
            "string, for qty, int; cast it",
        ),
        (
            ON + "WHEN MATCHED THEN UPDATE SET qty = none_such(1), ts = 1",
            KEYS,
            "Spark can't evaluate",
        ),
        (ON + "WHEN MATCHED THEN UPDATE SET id = 'z', ts = 1", KEYS, "another value to id"),
        (
            "MERGE INTO t USING s ON t.id = CAST(s.id AS string) WHEN MATCHED THEN DELETE",
            "id double, part string, ts bigint",
            "ON has id as string, but Hudi takes the double of the source as the key",
        ),
        (
            f"{ON} WHEN MATCHED THEN DELETE",
            "id string, part string",
            "the source lacks ts, the ordering field, and no UPDATE",
        ),
        (f"{ON} WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)", KEYS, "leaves out part"),  # noqa: S608
    ],
)
def test_a_statement_that_does_not_fit_is_refused(spark: SparkSession, text: str, ddl: str, told: str) -> None:
    row = tuple({"bigint": 1, "double": 1.0}.get(column.split()[-1], "x") for column in ddl.split(","))
    with pytest.raises(InputError, match=f"batch 2 .sql_merge.*{told}"):
        last_rows(merged(spark, text, [row], ddl), a_plan())


def test_a_wider_whole_number_is_stored_if_it_fits(spark: SparkSession) -> None:
    """As real 0.14.0 stores the bigint of a source in an int column."""
    text, ddl = f"{ON} WHEN MATCHED THEN UPDATE SET {WHOLE}, ts = s.ts", COLUMNS.replace("qty int", "qty bigint")
    least, most = -(1 << 31), (1 << 31) - 1
    rows = [("a", "x", 12, "Kiel", most), ("b", "x", 12, "Ulm", least)]
    found = last_rows(merged(spark, text, rows, ddl), a_plan())
    assert (found["a"], found["b"]) == ((12, "Kiel", most), (12, "Ulm", least))
    rows[1] = (*rows[1][:4], most + 1)
    with pytest.raises(Exception, match=r"batch 2 \(sql_merge\): a clause has .*qty.*, which is 2147483648, no int"):
        last_rows(merged(spark, text, rows, ddl), a_plan())


def test_rows_that_the_source_has_twice(spark: SparkSession) -> None:
    rows = [("a", "x", 12, "Kiel", 9), ("a", "x", 11, "Ulm", 9), ("new", "x", 2, "Jena", 9), ("new", "x", 2, "Bern", 9)]
    batches = merged(spark, STAR, rows)
    found = last_rows(batches, a_plan(release="1.2", payload=None, merger="COMMIT_TIME_ORDERING"))
    assert (found["a"], found["new"]) == ((12, "Kiel", 9), (2, "Bern", 9))


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_rows_of_a_source_are_combined_by_its_own_ordering_values(spark: SparkSession, release: str) -> None:
    """As real 0.15.0 and 1.2.0: what a clause assigns is compared with the stored row alone."""
    rows = [("a", "x", 8, "Kiel", 9), ("a", "x", 9, "Ulm", 9), ("b", "x", 11, "Jena", 9)]
    batches = merged(spark, f"{ON} WHEN MATCHED THEN UPDATE SET {WHOLE}, ts = 20 - s.ts", rows)
    plan = a_plan(release=release, payload="DefaultHoodieRecordPayload")
    found = last_rows(batches, plan)
    assert (found["a"], found["b"]) == ((11, "Ulm", 9), (10, "Rome", 1))
    told = explain(batches, plan, {"id": "a"}).sides[0].trace.row_after(2)
    assert told is not None
    assert told["name"] == "Ulm"


@pytest.mark.parametrize("value", ["s.at", "CAST(s.at AS bigint)"])
def test_an_update_names_the_ordering_value_that_the_source_lacks(spark: SparkSession, value: str) -> None:
    text = f"{ON} WHEN MATCHED AND s.qty > 0 THEN UPDATE SET {WHOLE}, ts = {value} WHEN MATCHED THEN DELETE"
    rows = [("a", "x", 12, "Kiel", 9), ("a", "x", 11, "Ulm", 9), ("b", "x", 5, "Jena", 9), ("c", "x", 1, "Bern", 0)]
    plan = a_plan(payload="DefaultHoodieRecordPayload")
    found = last_rows(merged(spark, text, rows, COLUMNS.replace("ts bigint", "at int")), plan)
    assert found == {"a": (12, "Kiel", 9), "b": (10, "Rome", 1)}


def test_a_null_for_the_ordering_field(spark: SparkSession) -> None:
    """Real 1.2.0 compares the value of the source, and stores the null; 0.15.0 fails (HoodieUpsertException)."""
    text = f"{ON} WHEN MATCHED THEN UPDATE SET {WHOLE}, ts = NULL WHEN NOT MATCHED THEN INSERT *"
    batches = merged(spark, text, [("a", "x", 12, "Kiel", 9), ("b", "x", 5, "Jena", 9), ("d", "x", 1, "Ulm", 9)])
    found = last_rows(batches, a_plan(release="1.2", payload="DefaultHoodieRecordPayload"))
    rows = {"a": (None, "Kiel", 9), "b": (10, "Rome", 1), "c": (10, "Bonn", None), "d": (1, "Ulm", 9)}
    assert found == rows
    with pytest.raises(PySparkException, match="the ordering field of the incoming record is null"):
        last_rows(batches, a_plan(payload="DefaultHoodieRecordPayload"))


def test_an_insert_without_an_ordering_value_until_0_15(spark: SparkSession) -> None:
    """Real 0.15.0 stores the null; a null in the source fails, whatever the clause assigns."""
    text = ON + "WHEN NOT MATCHED THEN INSERT (id, part, ts, name) VALUES (s.id, s.part, %s, s.name)"  # noqa: S608
    for value, ordering, expected in (("NULL", 1, None), ("coalesce(s.ts, 6)", 1, 1)):
        batches = merged(spark, text % value, [("d", "x", ordering, "Ulm", 9)])
        assert last_rows(batches, a_plan(payload="DefaultHoodieRecordPayload"))["d"] == (expected, "Ulm", None)
    with pytest.raises(PySparkException, match="the ordering value is null"):
        last_rows(merged(spark, text % "coalesce(s.ts, 6)", [("d", "x", None, "Ulm", 9)]), a_plan())


@pytest.mark.parametrize("release", ["0.15", "1.0"])
@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_a_null_ordering_value_of_the_source_fails_whatever_a_clause_assigns(
    spark: SparkSession, release: str, table_type: str
) -> None:
    """Real 0.15.0 and 1.0.2: "Ordering value is null for record"."""
    text = f"{ON} WHEN MATCHED THEN UPDATE SET {WHOLE}, ts = coalesce(s.ts, 60)"
    batches = merged(spark, text, [("a", "x", 12, "Kiel", 9), ("b", "x", None, "Jena", 9)])
    with pytest.raises(PySparkException, match="ordering value is null"):
        last_rows(batches, a_plan(release=release, table_type=table_type))


def test_an_ordering_value_that_sql_has_no_exact_text_for(spark: SparkSession) -> None:
    ddl = COLUMNS.replace("bigint", "double")
    first = spark.createDataFrame([("a", "x", 1.5, "Oslo", 1)], ddl)
    merge = SqlMerge(f"{ON} WHEN MATCHED THEN UPDATE SET {WHOLE}, ts = s.ts + 1")
    with pytest.raises(InputError, match=r"assigns another value to the ordering field ts .* compute the value in the"):
        last_rows(Batches.of([first, Batch(first, merge)]), a_plan(payload="DefaultHoodieRecordPayload"))


@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_an_upgraded_table_merges_by_event_time(spark: SparkSession, table_type: str) -> None:
    """So do the tables upgraded-overwrite-cow and -mor, which real 0.15.0 wrote and 1.2.0 went on with."""
    batches = merged(spark, STAR, [("a", "x", 5, "Kiel", 9), ("b", "x", 11, "Ulm", 9), ("d", "x", 1, "Jena", 9)])
    with replay(batches, a_plan(table_type=table_type), "1.2", upgrade_after=1) as report:
        found = set() if report.is_equal else {row["id"] for row in report.differences.collect()}
    assert found == (set() if table_type == "cow" else {"a"})


def test_a_statement_that_reads_the_table_after_an_upgrade_reads_the_upgraded_one(spark: SparkSession) -> None:
    text = ON + "WHEN MATCHED AND t.qty = 1 THEN UPDATE SET qty = t.qty + s.qty, ts = s.ts"
    sources = [[("a", "x", 11, "Kiel", 9)], [("a", "x", 12, "Kiel", 9), ("b", "x", 11, "Ulm", 9)]]
    merges = [Batch(spark.createDataFrame(rows, COLUMNS), SqlMerge(text)) for rows in sources]
    batches = Batches.of([spark.createDataFrame(ROWS, COLUMNS), *merges])
    with replay(batches, a_plan(), "1.2", upgrade_after=2) as report:
        assert report.is_equal


def test_where_a_statement_is_not_ported(spark: SparkSession) -> None:
    batches = merged(spark, STAR, [("a", "x", 5, "Kiel", 9)])
    for settings, told in (
        ({"release": "0.12"}, "name 0.14 or a later one"),
        ({"on_error": "quarantine"}, "quarantined"),
    ):
        with pytest.raises(PlanError, match=told):
            simulate(batches, a_plan(**settings))
    with pytest.raises(PlanError, match="stays at version 6 was not recorded; let the table be upgraded"):
        replay(batches, a_plan(), "1.2", upgrade_after=1, keep_table_version=True)
    with pytest.raises(PlanError, match="a record index"):
        simulate(batches, a_plan(props={"hoodie.index.type": "RECORD_INDEX"}))
    with pytest.raises(PlanError, match="sql_merge needs a statement"):
        batches.written_by({2: "sql_merge"})


@pytest.mark.parametrize("payload", ["DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload"])
def test_a_delete_by_a_row_without_ordering_value_fails_as_in_hudi(payload: str) -> None:
    """Real 1.2.0: Integer cannot be cast to Long, in HoodieUpsertException, for both classes."""
    statement = SqlMerge(f"{ON} WHEN MATCHED THEN DELETE").parsed(TABLE, TABLE)
    rows = [dict(zip(TABLE, row, strict=True)) for row in ROWS]
    plan, written = a_plan(release="1.2", payload=payload), {2: WriteOperation.SQL_MERGE}

    def after(ordering: int | None) -> list[str]:
        batches, struct = [rows, [{**rows[0], "ts": ordering}]], struct_of(COLUMNS)
        found = in_process.simulate(batches, struct, plan, operations=written, statements={2: statement})
        return [row["id"] for row in found[2]]

    assert after(1) == ["b", "c"]
    with pytest.raises(MergeFailedError, match="a null in the ordering field ts of a row to delete"):
        after(None)


GLOBAL = {"hoodie.index.type": "GLOBAL_SIMPLE"}


@pytest.mark.parametrize(("moves", "part"), [("true", "y"), ("false", "x")])
def test_a_global_index_matches_a_key_in_any_partition(spark: SparkSession, moves: str, part: str) -> None:
    """As the tables global-moves-cow and global-stays-cow of real Hudi."""
    text = STAR.replace(" AND t.part = s.part", "")
    batches = merged(spark, text, [("a", "y", 11, "Kiel", 9), ("b", "y", 5, "Ulm", 9), ("d", "y", 1, "Jena", 9)])
    plan = a_plan(release="1.2", payload="DefaultHoodieRecordPayload", props=GLOBAL | {MOVES: moves})
    with simulate(batches, plan) as report:
        rows = {row["id"]: (row["part"], row["ts"]) for row in report.snapshots.where("_pb_commit = 2").collect()}
    assert rows == {"a": (part, 11), "b": ("x", 10), "c": ("x", 10), "d": ("y", 1)}


@pytest.mark.parametrize(
    ("clauses", "settings", "told"),
    [
        ("WHEN MATCHED THEN UPDATE SET ts = s.ts, name = s.name", {}, "an UPDATE of some columns; set all"),
        ("WHEN MATCHED AND t.qty > 1 THEN DELETE", {}, "a clause that reads the table"),
        ("WHEN NOT MATCHED THEN INSERT *", {"ordering": ()}, "a table without an ordering field"),
        ("WHEN MATCHED THEN DELETE", {"table_type": "mor"}, "fails on a DELETE of a table with a global index"),
        ("WHEN MATCHED THEN UPDATE SET *", {"table_type": "mor", "release": "0.15"}, "if a global index moves rows"),
        (
            "WHEN MATCHED THEN UPDATE SET *",
            {"release": "0.14"},
            "Hudi 0.14 fails, if a global index moves rows",
        ),
    ],
)
def test_what_was_not_recorded_with_a_global_index(clauses: str, settings: dict[str, Any], told: str) -> None:
    plan = a_plan(release="1.2", payload="DefaultHoodieRecordPayload", props=GLOBAL)
    statement = SqlMerge(f"{ON} {clauses}").parsed(TABLE, TABLE)
    with pytest.raises(PlanError, match=told):
        check_statement(statement, 2, dataclasses.replace(plan, **settings), TABLE)


def test_the_command_line_reads_the_statement_of_a_file(tmp_path: Path, spark: SparkSession) -> None:
    days = tmp_path / "days"
    days.mkdir()
    (days / "1.json").write_text('{"id": "a", "ts": 10, "name": "Oslo"}\n{"id": "b", "ts": 10, "name": "Rome"}\n')
    (days / "2.json").write_text(
        '{"id": "a", "ts": 5, "name": "Kiel", "gone": false}\n{"id": "b", "ts": 5, "gone": true}\n'
    )
    statement = tmp_path / "merge.sql"
    statement.write_text(
        """MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.gone THEN DELETE
        WHEN MATCHED AND NOT s.gone THEN UPDATE SET id = s.id, ts = s.ts, name = s.name"""
    )
    arguments = [
        "simulate",
        "--quiet",
        "--batches",
        str(days),
        "--payload",
        "OverwriteWithLatestAvroPayload",
        "--key",
        "id",
    ]
    arguments += ["--ordering", "ts", "--release", "0.15", "--output", "json"]
    result = CliRunner().invoke(main, [*arguments, "--operation", f"2=sql_merge:{statement}"])
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["results"][-1]["snapshot"] == [{"id": "a", "name": "Oslo", "ts": 10}]
    assert any("though a DELETE" in one for one in found["warnings"])
    for text, told in (("2=sql_merge", "sql_merge:FILE.sql"), ("2=sql_merge:none.sql", "can't be read")):
        refused = CliRunner().invoke(main, [*arguments, "--operation", text])
        assert (refused.exit_code, told in refused.output) == (2, True)
