"""Each notebook of the guide runs from top to bottom, and its outputs are those that it stores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.support.notebooks import NOTEBOOKS, executed

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_computes(path: Path, spark: SparkSession) -> None:
    """Where it does not: `python -m tests.support.notebooks`."""
    stored = json.loads(path.read_text("utf-8"))
    cells = zip(executed(path)["cells"], stored["cells"], strict=True)
    assert [one["source"] for one, other in cells if one.get("outputs") != other.get("outputs")] == []
