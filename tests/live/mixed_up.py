"""Answers in which real Hudi compared rows of Parquet log blocks by the text ordering values of other rows."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from bridge.config import capabilities
from bridge.hudi import SliceReader, TableQueries
from bridge.hudi.slice_symptoms import shared_orderings
from bridge.spark import META_COLUMNS
from mergers import RecordMergeMode
from tests.conformance.tables import questions, row_text, rows_of, without_meta

if TYPE_CHECKING:
    from bridge.hudi import Answer
    from tests.conformance.tables import Recorded


def keys_mixed_up(recorded: Recorded, question: str) -> list[str]:
    """Return the record keys whose rows differ in an answer, if the rows that Hudi mixes up explain every difference.

    They do where an answer by ordering values, from 1.0 on, merges logs, has as many rows of each key as ours, and each
    key whose rows differ has one in a Parquet log block with another text ordering value than the block's last row.
    Empty where they don't.
    """
    table = TableQueries(str(recorded.folder / "table"), recorded.release)
    asked = {name: (rows, ask) for name, rows, ask in questions(table, recorded.answers)}
    if question not in asked or question == "read_optimized":
        return []
    rows, ask = asked[question]
    answer = ask()
    found = rows_of(answer) if table.properties.has_meta_fields else without_meta(rows_of(answer))
    wanted, got = (collections.Counter((_key_of(row, table), row_text(row)) for row in each) for each in (rows, found))
    if sorted(key for key, _ in wanted.elements()) != sorted(key for key, _ in got.elements()):
        return []
    differing = {key for key, _ in (wanted - got) + (got - wanted)}
    return sorted(differing) if differing <= _compared_by_others(table, answer) else []


def _key_of(row: dict[str, Any], table: TableQueries) -> str:
    """Return the record key of a row, as SimpleKeyGenerator and ComplexKeyGenerator write it."""
    if META_COLUMNS[2] in row:
        return str(row[META_COLUMNS[2]])
    fields = table.properties.key_fields
    return str(row[fields[0]]) if len(fields) == 1 else ",".join(f"{name}:{row[name]}" for name in fields)


def _compared_by_others(table: TableQueries, answer: Answer) -> set[str]:
    """Return the keys of rows that Hudi compares by the text ordering values of others."""
    mode = table.properties.config(table.release).read.mode
    if not capabilities(answer.query.rules.release).file_group_reader or mode is RecordMergeMode.COMMIT_TIME_ORDERING:
        return set()
    reader = SliceReader(answer.query)
    fields = [reader.arrow.field(name) for name in table.properties.merge.ordering if name in reader.arrow.names]
    names = [field.name for field in fields if pa.types.is_string(field.type)]
    rows = (each for found in answer.slices if found.data_logs for each in shared_orderings(reader, found, names))
    return {key for _, _, keys in rows for key in keys.to_pylist()}
