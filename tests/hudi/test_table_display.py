"""What a notebook shows of a table, which takes no Spark job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

import pytest
from pyspark.sql import SparkSession

from bridge import HudiTable
from bridge.hudi.errors import HudiTableError
from bridge.hudi.table_display import table_html

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_says_how_it_merges_and_what_it_has(tables: Path) -> None:
    table = HudiTable(MagicMock(spec=SparkSession), str(tables / "1.2.0" / "mor-part-timestamp-slash" / "table"))
    html = table._repr_html_()
    for said in ("a merge-on-read table of version 9", "<dt>record key</dt>", "EVENT_TIME_ORDERING", "latest instant"):
        assert said in html
    assert "<span>timestamp</span>" in html or "<span>bigint</span>" in html


class Gone:
    """Stands for a table that can't be opened any more."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self) -> Any:
        raise self.error


@pytest.mark.parametrize("error", [HudiTableError("no <table> here"), PermissionError(13, "Access denied")])
def test_a_table_that_cannot_be_opened_says_so(error: Exception) -> None:
    html = table_html("s3://bucket/table", Gone(error))
    assert "s3://bucket/table" in html
    assert "no &lt;table&gt; here" in html or "Access denied" in html
