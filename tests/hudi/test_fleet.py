"""Every table below a folder: a line each, from properties and timeline alone, and a failure is a line."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bridge import Severity, inspect_tables
from bridge.cli import main
from bridge.spark import catalog_location
from payloads import HudiRelease
from tests.conformance.tables import load

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def root(tables: Path, tmp_path: Path) -> Path:
    for release, case in (
        ("0.15.0", "mor-plain-postgres"),
        ("1.2.0", "mor-order-none"),
        ("0.15.0", "cow-op-delete-default"),
    ):
        shutil.copytree(next(load(tables, release=release, case=case)).folder / "table", tmp_path / "db" / case)
    broken = tmp_path / "db" / "broken" / ".hoodie"
    broken.mkdir(parents=True)
    (broken / "hoodie.properties").write_text("hoodie.table.version=7\n")
    (tmp_path / "db" / "no_table").mkdir()
    return tmp_path


def test_a_line_a_table(root: Path) -> None:
    found = inspect_tables(str(root), HudiRelease.latest())
    tables = {one.table.rpartition("/")[2]: one for one in found.tables}
    assert list(tables) == ["broken", "cow-op-delete-default", "mor-order-none", "mor-plain-postgres"]
    assert tables["broken"].severity is Severity.NOT_CHECKED
    assert "hoodie.table.version='7' can't be read" in str(tables["broken"].failure)
    postgres = tables["mor-plain-postgres"]
    assert (postgres.merges_by, postgres.version, postgres.severity) == (
        *("PostgresDebeziumAvroPayload", 6),
        Severity.DAMAGED,
    )
    assert postgres.next == f"payload-bridge replay --table {root}/db/mor-plain-postgres --to 1.2"
    assert tables["cow-op-delete-default"].merges_by == ""
    assert tables["mor-order-none"].severity is Severity.NOT_CHECKED, "1.1 may have written it, or 1.2"
    assert "4 tables" in found.verdict
    assert "1 could not be inspected" in found.verdict


def test_the_command_line(root: Path) -> None:
    result = CliRunner().invoke(main, ["inspect", "--root", str(root), "--output", "json"])
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["results"]) == 4
    text = CliRunner().invoke(main, ["inspect", "--root", str(root)])
    assert "db/mor-plain-\npostgres" in "\n".join(line.split(" ")[0] for line in text.stdout.splitlines())
    assert "hoodie.table.version='7' can't be read" in text.stderr
    assert "known changes" in text.stdout
    for wrong in ([], ["--root", str(root), str(root)], ["--root", str(root / "nowhere")]):
        assert CliRunner().invoke(main, ["inspect", *wrong]).exit_code == 2


def written_by_hudi(spark: SparkSession, database: str, name: str, *, keeps_columns: bool) -> None:
    """Turn the entry of a table into that of Hudi's source, which is not on the class path here."""
    java, sessions = spark._jvm, spark._jsparkSession.sessionState().catalog()
    identifier = java.org.apache.spark.sql.catalyst.TableIdentifier(name, java.scala.Option.apply(database))
    entry = sessions.getTableMetadata(identifier)
    parts = [entry.productElement(at) for at in range(entry.productArity())]
    parts[4] = java.scala.Option.apply("hudi")
    if not keeps_columns:
        parts[3] = java.org.apache.spark.sql.types.StructType()
    sessions.externalCatalog().alterTable(entry.copy(*parts))


def test_rows_and_names_of_the_catalogue(root: Path, spark: SparkSession) -> None:
    """A table of the catalogue is found by its location; a view, or another table, is a line."""
    spark.sql("CREATE DATABASE fleet")
    try:
        for name in ("mor-plain-postgres", "mor-order-none"):
            spark.sql(
                f"CREATE TABLE fleet.{name.replace('-', '_')} (id STRING) USING parquet LOCATION '{root}/db/{name}'"
            )
        spark.sql("CREATE VIEW fleet.seen AS SELECT 1 AS one")
        result = CliRunner().invoke(main, ["inspect", "--database", "fleet", "--rows", "--output", "json"])
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
        tables = {one["table"]: one for one in found["results"]}
        assert tables["fleet.`mor_plain_postgres`"]["differing"] == 30
        assert tables["fleet.`mor_order_none`"]["grade"] == "IDENTICAL ON THIS DATA"
        assert "no location" in tables["fleet.`seen`"]["failure"]
        assert "shows 30 rows of 1 differently" in found["verdict"]
        for keeps_columns in (True, False):
            written_by_hudi(spark, "fleet", "mor_order_none", keeps_columns=keeps_columns)
            assert catalog_location(spark, "fleet.`mor_order_none`") == f"{root}/db/mor-order-none"
        shown = CliRunner().invoke(main, ["history", "fleet.`mor_plain_postgres`", "--output", "json"])
        assert shown.exit_code == 0, shown.output
        assert "no table fleet.none" in CliRunner().invoke(main, ["history", "fleet.none"]).stderr
    finally:
        spark.sql("DROP DATABASE fleet CASCADE")


def test_damage_is_looked_for_where_rows_are_read(root: Path, spark: SparkSession) -> None:
    """A table that lacks a file is damaged, whatever its readers show."""
    table = root / "db" / "mor-order-none"

    def line() -> dict[str, Any]:
        words = ["inspect", "--root", str(table.parent), "--rows", "--release", "1.2", "--output", "json"]
        result = CliRunner().invoke(main, [*words, "--fail-on", "damaged"])
        assert result.exit_code == 1, result.output  # other tables merge new batches with damage
        (found,) = [one for one in json.loads(result.stdout)["results"] if one["table"] == str(table)]
        return found

    assert "damaged" not in {found["severity"] for found in line()["findings"]}
    next(file for file in table.rglob("*.parquet") if ".hoodie" not in file.parts).unlink()
    assert line()["severity"] == "damaged"
