"""What a notebook shows of a table, which takes no Spark job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge import HudiTable

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_says_how_it_merges_and_what_it_has(tables: Path) -> None:
    no_spark: Any = None
    html = HudiTable(no_spark, str(tables / "1.2.0" / "mor-part-timestamp-slash" / "table"))._repr_html_()
    for said in ("a merge-on-read table of version 9", "<dt>record key</dt>", "EVENT_TIME_ORDERING", "latest instant"):
        assert said in html
    assert "<td>timestamp</td>" in html or "<td>bigint</td>" in html
