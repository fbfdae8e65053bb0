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
    table = one.folder / "table"
    rows = one.answers["snapshot"]
    row = rows[0]
    # Short numbers are everywhere; of the columns with longer texts none may be seen.
    values = {text for found in rows for text in map(str, found.values()) if re.search(r"[a-z]", text)}
    secret = re.compile(
        "|".join(rf"(?<![\w.]){re.escape(text)}(?![\w.])" for text in values - {"base", "data", "delete"})
    )
    verbs = (
        ("snapshot", table),
        ("history", table),
        ("compare-readers", table),
        ("explain", "--table", table, "--row", f"id={row['id']}"),
        ("replay", "--table", table, "--to", "1.2"),
        ("replay", "--table", table, "--to", "1.2", "--history"),
    )
    for verb in verbs:
        code, text = everything_written(tmp_path, *verb, "--redact", "all", "--output", "json")
        assert code in {0, 1}, text
        assert set(secret.findall(text.replace(str(one.folder), ""))) == set(), verb
