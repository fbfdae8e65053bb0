"""The notebook of the guide runs from top to bottom, and its outputs are those that it stores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.support.notebooks import CHANGES, executed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_the_notebook_shows_what_it_computes(spark: SparkSession) -> None:
    """Where it does not: `python -m tests.support.notebooks`."""
    stored = json.loads(CHANGES.read_text("utf-8"))
    cells = zip(executed(CHANGES)["cells"], stored["cells"], strict=True)
    assert [one["source"] for one, other in cells if one.get("outputs") != other.get("outputs")] == []
