"""Laws of mergers that give columns alone: the verdicts are those of their form row by row."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.engines import ColumnMerges, RowVersion
from bridge.verify import columns_subject, gives_columns_alone, pytest_text, verify
from mergers.laws import Verdict, Version, check_laws, find_violation
from payloads import HudiRelease, Ordering, PayloadConfigError, PayloadFailedError, SchemaError, parse_schema
from tests.support.schemas import nullable, record_schema

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import Column, SparkSession

LATEST = HudiRelease.latest()
ROW = parse_schema(
    record_schema("row", id="string", ts="long", v="int", op=nullable("string"), _hoodie_is_deleted=nullable("boolean"))
)
SETTINGS: dict[str, Any] = {"schema": ROW, "key": ("id",), "ordering": ("ts",), "examples": 20}
EVERY_TYPE = parse_schema(
    {
        "type": "record",
        "name": "every",
        "fields": [
            {"name": "day", "type": ["null", {"type": "int", "logicalType": "date"}]},
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
            {"name": "millis", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "days", "type": {"type": "array", "items": {"type": "int", "logicalType": "date"}}},
            {
                "name": "price",
                "type": {
                    "type": "fixed",
                    "name": "p",
                    "size": 5,
                    "logicalType": "decimal",
                    "precision": 10,
                    "scale": 2,
                },
            },
            {"name": "rate", "type": "double"},
            {"name": "raw", "type": "bytes"},
            {"name": "many", "type": {"type": "array", "items": ["null", "long"]}},
            {"name": "inner", "type": ["null", record_schema("inner", n="int", text=nullable("string"))]},
        ],
    }
)


class LaterColumns:
    """Event time by columns: the greater `ts` wins; of equals the one that came later."""

    merging_strategy = "0a6d9c5e-3c0f-4d39-9d83-0d3f4a0c7c99"
    record_type = "SPARK"

    def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (only where it runs)

        (one,), (other,) = (side.get_column_values(schema, ["ts"]) for side in (older, newer))
        return sf.when(one > other, older.column).otherwise(newer.column)


class Averages(LaterColumns):
    """The mean of `v`, which is not associative."""

    def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        (one,), (other,) = (side.get_column_values(schema, ["v"]) for side in (older, newer))
        return newer.column.withField("v", sf.coalesce(((one + other) / 2).cast("int"), other, one))


class Rolls(LaterColumns):
    """A number that is drawn anew in every process."""

    def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        return newer.column.withField("v", (sf.rand() * 1_000_000).cast("int"))


class Divides(LaterColumns):
    """Fails on a value."""

    def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Column:
        from pyspark.sql import functions as sf  # noqa: PLC0415 (as above)

        (v,) = newer.get_column_values(schema, ["v"])
        return sf.when(v == 1, sf.raise_error(sf.lit("no ones")).cast("void")).otherwise(newer.column)


def named(merger: type) -> str:
    return f"{__name__}:{merger.__name__}"


def verdicts(name: str, **settings: Any) -> dict[str, Verdict]:
    found = verify(name, release=LATEST, domains=("data",), **{**SETTINGS, **settings})
    return {result.law.id: result.verdict for result in found.report.results}


def test_only_a_merger_without_merge_is_checked_by_its_columns() -> None:
    assert gives_columns_alone(named(LaterColumns))
    for name in ("tests.support.user_mergers:AddsUp", "tests.support.user_mergers:FirstPayload", "EventTime", "no:No"):
        assert not gives_columns_alone(name)


@pytest.mark.parametrize(
    ("columns", "rows", "told"),
    [
        (named(LaterColumns), "tests.support.user_mergers:LaterEvent", {Verdict.PROVED}),
        ("tests.support.user_mergers:AddsUpColumns", "tests.support.user_mergers:AddsUpRows", {Verdict.VIOLATED}),
    ],
)
def test_the_verdicts_are_those_of_the_rows(spark: SparkSession, columns: str, rows: str, told: set[Verdict]) -> None:
    laws = ("associativity", "action", "idempotence", "commutativity")
    found, expected = (verdicts(name, laws=laws) for name in (columns, rows))
    assert found == expected
    assert set(found.values()) == told


def test_a_session_that_compiles_evaluates_several_mergers(spark: SparkSession) -> None:
    asked = "spark.sql.codegen.factoryMode"
    before = spark.conf.get(asked)
    spark.conf.set(asked, "CODEGEN_ONLY")
    try:
        found = [verdicts(named(one), laws=("associativity",)) for one in (LaterColumns, Averages)]
    finally:
        spark.conf.set(asked, str(before))
    assert found == [{"associativity": Verdict.PROVED}, {"associativity": Verdict.VIOLATED}]


@pytest.mark.parametrize(("rows", "verdict"), [("LaterEvent", Verdict.HOLDS), ("LastArrival", Verdict.VIOLATED)])
def test_both_forms_of_a_merger_are_compared(spark: SparkSession, rows: str, verdict: Verdict) -> None:
    settings: dict[str, Any] = {"schema": ROW, "key": ("id",), "ordering_fields": ("ts",)}
    columns = columns_subject(named(LaterColumns), **settings)
    mergers = f"tests.support.user_mergers:{rows}"
    asked: dict[str, Any] = {"laws": ("agreement",), "domain": "data", "examples": 20, "exhaustive": False}
    (found,) = check_laws(mergers, other=columns, **asked, **settings).results
    assert found.verdict is verdict, found


def test_a_violation_is_shown_by_its_smallest_counterexample(spark: SparkSession) -> None:
    found = verify(named(Averages), release=LATEST, laws=("associativity",), domains=("data",), **SETTINGS)
    (violation,) = found.report.violations
    assert violation.counterexample is not None
    assert {version.record["id"] for version in violation.counterexample.operands.versions} == {
        violation.counterexample.operands.versions[0].record["id"]
    }
    assert max(abs(version.record["v"]) for version in violation.counterexample.operands.versions) <= 3
    assert found.to_report().plan["implementation"] == "columns"


def test_the_test_that_it_writes_fails_until_the_merger_is_mended(spark: SparkSession, tmp_path: Path) -> None:
    found = verify(named(Averages), release=LATEST, laws=("associativity",), domains=("data",), **SETTINGS)
    scope: dict[str, Any] = {}
    exec(pytest_text(found), scope)  # noqa: S102 (what we wrote)
    with pytest.raises(AssertionError):
        scope["test_associativity_on_data"]()


def test_an_expression_that_fails_is_a_failure_of_the_merger(spark: SparkSession) -> None:
    subject = columns_subject(named(Divides), schema=ROW, key=("id",), ordering_fields=("ts",))
    versions = [
        Version({"id": "k", "ts": ts, "v": v, "op": None, "_hoodie_is_deleted": None}, Ordering("long", ts))
        for ts, v in ((1, 0), (2, 1))
    ]
    held = [subject.algebra.incoming(version) for version in versions]
    with pytest.raises(Exception, match=r"Divides.merge_columns failed: .*no ones"):
        subject.algebra.merge(*held)
    assert find_violation(subject, "associativity", None, [versions[0]] * 3) is None


def test_it_needs_a_release_with_mergers_of_columns() -> None:
    with pytest.raises(PayloadConfigError, match=r"runs from Hudi 1\.1 on, not under 0\.15"):
        verify(named(LaterColumns), release=HudiRelease.parse("0.15"), **SETTINGS)


def test_a_schema_with_a_map_is_refused(spark: SparkSession) -> None:
    schema = record_schema("row", id="string", ts="long", more={"type": "map", "values": "string"})
    with pytest.raises(SchemaError, match="the schema has a map"):
        columns_subject(named(LaterColumns), schema=schema, key=("id",), ordering_fields=("ts",))


def test_values_of_every_type_come_back_as_they_were(spark: SparkSession) -> None:
    class Newer(LaterColumns):
        def merge_columns(self, older: Any, newer: Any, schema: Any, props: Any) -> Column:
            return newer.column

    merges = ColumnMerges(spark, Newer(), EVERY_TYPE, {})
    one = {
        "day": -(10**8),
        "at": -(2**62),
        "millis": -5,
        "local": -(2**61) - 7,
        "days": [-1, 10**6],
        "price": b"\xff\xff\xff\xff\x85",
        "rate": -0.0,
        "raw": b"\x00",
    }
    one |= {"many": [None, 2**40], "inner": {"n": 1, "text": None}}
    other = {
        **one,
        "day": None,
        "at": 0,
        "local": 86_400_000_001,
        "days": [],
        "price": b"\x00\x00\x00\x00\x01",
        "rate": math.inf,
        "raw": b"",
        "inner": None,
    }
    rows = [one, {**other, "many": []}]
    versions = [RowVersion(row, is_delete=False) for row in rows]
    older = RowVersion(other, is_delete=False)
    folded = merges.fold([*((older, version) for version in versions), (versions[0], RowVersion(None, is_delete=True))])
    assert repr(folded) == repr([*versions, RowVersion(None, is_delete=True)])
    merged = merges.merge_with_stored(
        [(other, one) for version in versions for one in (version, version._replace(is_delete=True))]
    )
    assert repr(merged) == repr([rows[0], None, rows[1], None])
    assert (merges.fold([]), merges.merge_with_stored([])) == ([], [])


def test_of_many_pairs_those_that_fail_are_told(spark: SparkSession) -> None:
    merges = ColumnMerges(spark, Divides(), ROW, {})
    rows = [{"id": "k", "ts": 1, "v": v, "op": None, "_hoodie_is_deleted": None} for v in (0, 1, 2, 1, 1, 3)]
    versions = [RowVersion(row, is_delete=False) for row in rows]
    found = merges.fold([(versions[0], version) for version in versions])
    assert [isinstance(one, PayloadFailedError) for one in found] == [row["v"] == 1 for row in rows]
    assert [one for one in found if not isinstance(one, PayloadFailedError)] == [
        v for v in versions if v.record["v"] != 1
    ]
    assert str(found[1]).startswith("Divides.merge_columns failed: ")
    assert "no ones" in str(found[1])


def test_the_laws_tell_before_they_ask(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame a pair would take minutes."""
    frames = []
    run = ColumnMerges._run
    monkeypatch.setattr(
        ColumnMerges, "_run", lambda self, pairs, merge: frames.append(len(pairs)) or run(self, pairs, merge)
    )
    laws = ("associativity", "action", "commutativity", "purity", "round-trip")
    assert set(verdicts(named(LaterColumns), laws=laws).values()) == {Verdict.PROVED}
    alone = [size for size in frames if size == 1]
    assert sum(frames) > 1_000
    assert len(alone) < 10
    assert len(frames) < sum(frames) / 10


def test_the_command_checks_it(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "row.avsc").write_text(json.dumps(ROW.source), encoding="utf-8")
    asked = ["verify", named(LaterColumns), "--schema", str(tmp_path / "row.avsc"), "--key", "id", "--ordering", "ts"]
    result = CliRunner().invoke(main, [*asked, "--laws", "associativity", "--examples", "10", "--output", "json"])
    report = json.loads(result.stdout)
    assert (result.exit_code, report["plan"]["implementation"]) == (0, "columns"), result.output


@pytest.mark.long
def test_another_process_repeats_its_merges(tmp_path: Path) -> None:
    code = f"""
from bridge import local_session
from payloads import HudiRelease
from bridge.verify import verify
from tests.bridge.verify.test_columns import SETTINGS
local_session()
for name in ("LaterColumns", "Rolls"):
    asked = dict(release=HudiRelease.latest(), laws=("determinism",), domains=("data",), **SETTINGS)
    found = verify(f"{__name__}:{{name}}", **asked)
    print(name, [result.verdict.value for result in found.report.results], [r.detail for r in found.report.results])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "LaterColumns ['proved']" in done.stdout, done.stdout
    assert "Rolls ['violated']" in done.stdout, done.stdout
