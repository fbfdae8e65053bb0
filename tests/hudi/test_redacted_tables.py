"""`--redact` on a real table: no output of a verb that reads one has a hidden value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.conformance.tables import load
from tests.support.everything_written import everything_written

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CASE = "mor-kept-from-0.15.0-plain-postgres"


def test_no_output_about_a_table_has_a_hidden_value(tables: Path, spark: SparkSession, tmp_path: Path) -> None:
    (one,) = load(tables, case=CASE)
    rows = one.answers["snapshot"]
    row = rows[0]
    # Short numbers are everywhere; of the columns with longer texts none may be seen. Files and instants are named.
    named = {"_hoodie_file_name", "_hoodie_commit_time", "_hoodie_commit_seqno"}
    cells = [str(value) for found in rows for name, value in found.items() if name not in named]
    values = {text for text in cells if re.search(r"[a-z]", text)} - {"a", "base", "data", "delete"}
    secret = re.compile("|".join(rf"(?<![\w.]){re.escape(text)}(?![\w.])" for text in values))
    for verb in _verbs(one.folder / "table", row["id"]):
        code, text = everything_written(tmp_path, *verb, "--redact", "all", "--output", "json")
        assert code in {0, 1}, text
        assert set(secret.findall(text.replace(str(one.folder), ""))) == set(), verb


def test_nothing_is_shown_of_a_table_that_lacks_a_column_to_hide(
    tables: Path, spark: SparkSession, tmp_path: Path
) -> None:
    (one,) = load(tables, case=CASE)
    for verb in _verbs(one.folder / "table", one.answers["snapshot"][0]["id"]):
        code, text = everything_written(tmp_path, *verb, "--redact", "ids", "--output", "json")
        if verb[0] == "history":  # which shows no rows
            assert (code, "nothing in the output has a column ids" in text) == (0, True), text
            continue
        assert (code, "--redact ids: the data has no such column" in text) == (3, True), (verb, text)


def test_a_partition_without_files_is_a_mistake(tables: Path, spark: SparkSession, tmp_path: Path) -> None:
    (one,) = load(tables, case=CASE)
    given = ("replay", "--table", one.folder / "table", "--to", "1.2", "--partitions", "p9")
    code, text = everything_written(tmp_path, *given)
    assert code == 3
    assert "has no files in the partition p9; it has p" in text


def _verbs(table: Path, key: object) -> tuple[tuple[object, ...], ...]:
    """Return the verbs that read a table."""
    return (
        ("snapshot", table),
        ("history", table),
        ("compare-readers", table),
        ("explain", "--table", table, "--row", f"id={key}"),
        ("replay", "--table", table, "--to", "1.2"),
        ("replay", "--table", table, "--to", "1.2", "--history"),
    )
