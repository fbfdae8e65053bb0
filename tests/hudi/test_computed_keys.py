"""Record keys of tables without meta columns: the texts that Hudi's key generators make of values."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from bridge.hudi.partition_values import ComputedKeys
from bridge.hudi.properties import TableProperties

ROWS = pa.RecordBatch.from_pydict({"at": [datetime.datetime(1970, 1, 1, 0, 0, 1)], "n": [7]})  # noqa: DTZ001 (as in files)


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ("n", "7"),
        ("at", "1000000"),
        ("n,at", "n:7,at:1000000"),
    ],
)
def test_keys_are_texts_of_values(fields: str, key: str) -> None:
    """Recorded by a live test: real Hudi 1.2.0 has the microseconds of a timestamp key in its delete blocks."""
    properties = TableProperties({"hoodie.table.recordkey.fields": fields, "hoodie.table.version": "6"})
    assert ComputedKeys(properties).of(ROWS).to_pylist() == [key]
