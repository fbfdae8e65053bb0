"""Deletes by tests of columns: Arrow and Spark's expressions find what `payloads.records` finds row by row."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from bridge.engines.native.java_values import is_delete
from bridge.engines.python import is_marked
from bridge.spark import quoted
from payloads import NATURAL_ORDER, parse_schema
from payloads.records import RuleVersion, VersionPair
from payloads.rules import DeleteTests, IsDelete, Marker, MergeRule, Role
from tests.support.schemas import record_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = parse_schema(
    record_schema(id="string", _hoodie_is_deleted=["null", "boolean"], Op=["null", "string"], note=["null", "string"])
)
TEXTS = (None, "D", "d", "I", "i", "", "D.", "i\n", "s", "ss", "S")
ODD = ("\N{LATIN SMALL LETTER DOTLESS I}", "\N{LATIN CAPITAL LETTER I WITH DOT ABOVE}", "\N{LATIN SMALL LETTER LONG S}")
ROWS = [
    {"id": "a", "_hoodie_is_deleted": flag, "Op": text, "note": "D"}
    for flag, text in itertools.product((None, False, True), TEXTS + ODD)
]
MARKERS = [
    None,
    Marker("Op", "D"),
    Marker("Op", "i"),
    *(Marker("Op", text, ignore_case=True) for text in ("d", "I", "s", "D.", ODD[0], "\N{LATIN SMALL LETTER SHARP S}")),
]


def by_reference(tests: DeleteTests) -> list[bool]:
    rule, none = MergeRule(deletes=tests), RuleVersion(None, NATURAL_ORDER)
    return [
        VersionPair(rule, none, RuleVersion(row, NATURAL_ORDER), SCHEMA).holds(IsDelete(Role.NEWER)) for row in ROWS
    ]


@pytest.mark.parametrize("flag", [False, True])
@pytest.mark.parametrize("marker", MARKERS)
def test_deletes_by_columns_are_those_of_the_reference(*, flag: bool, marker: Marker | None) -> None:
    tests = DeleteTests(flag, marker)
    assert is_marked(pa.RecordBatch.from_pylist(ROWS), tests).tolist() == by_reference(tests)


def test_deletes_by_expressions_are_those_of_the_reference(spark: SparkSession) -> None:
    every = [DeleteTests(flag, marker) for flag, marker in itertools.product((False, True), MARKERS)]
    frame = spark.createDataFrame(
        [(at, row["_hoodie_is_deleted"], row["Op"]) for at, row in enumerate(ROWS)],
        "at int, _hoodie_is_deleted boolean, Op string",
    )
    found = frame.orderBy("at").select(*(is_delete(tests, quoted).alias(str(at)) for at, tests in enumerate(every)))
    rows = found.collect()
    assert [[row[at] for row in rows] for at in range(len(every))] == [by_reference(tests) for tests in every]


def test_a_row_whose_column_cannot_tell_counts_as_a_delete() -> None:
    batch = pa.RecordBatch.from_pylist([{"Op": 1}])
    assert is_marked(batch, DeleteTests(marker=Marker("Op", "1"))).tolist() == [True]
