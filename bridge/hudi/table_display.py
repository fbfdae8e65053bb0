"""What is shown of a table without a row of it: its page in a notebook, its instants and its file slices."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.display import Fragment, notebook_html
from bridge.errors import sentence_of
from bridge.spark import spark_schema
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from bridge.hudi.queries import TableQueries


_SLICES = (
    "partition string, file_id string, base_instant string, base_file string, log_files array<string>, size bigint"
)
_INSTANTS = "requested string, action string, state string, completed string"


@dataclasses.dataclass(frozen=True)
class _Columns:
    """The columns of a table, as a table of text."""

    rows: Sequence[Sequence[str]]
    columns: Sequence[str] = ("column", "type")
    title: str = "Columns"
    right: frozenset[str] = frozenset()
    marks: frozenset[tuple[int, int]] = frozenset()


def instant_rows(spark: SparkSession, opened: TableQueries) -> DataFrame:
    """Return the active timeline of a table; see `HudiTable.instants`."""
    rows = [(one.requested, one.action, one.state.value, one.completed) for one in opened.timeline.instants]
    return spark.createDataFrame(rows, _INSTANTS)


def slice_rows(spark: SparkSession, opened: TableQueries) -> DataFrame:
    """Return the slices of a snapshot; see `HudiTable.file_slices`."""
    found = opened.snapshot().slices
    rows = [(s.partition, s.file_id, s.base_instant, s.base_file, list(s.log_files), s.size) for s in found]
    return spark.createDataFrame(rows, _SLICES)


def table_html(path: str, opens: Callable[[], TableQueries]) -> str:
    """Return the table as it is now; what can't be read is said in a warning."""
    try:
        opened = opens()
    except (PayloadBridgeError, OSError) as error:
        return notebook_html(Fragment("HudiTable", path, warnings=[sentence_of(error)]))
    merge = opened.properties.merge
    warnings, facts, body = [], [*_settings(opened)], []
    try:
        now = opened.snapshot()
        facts += [
            ("latest instant", opened.timeline.latest or "none"),
            ("file slices", f"{len(now.slices):,} with {sum(one.size for one in now.slices):,} bytes"),
        ]
        body.append(_Columns([(one.name, one.dataType.simpleString()) for one in spark_schema(now.query.schema)]))
    except (PayloadBridgeError, OSError) as error:
        warnings.append(sentence_of(error))
    shown = Fragment(
        brand=f"HudiTable, read by Hudi {opened.release}",
        headline=f"{opened.files.path}: a {merge.table_type.long_name} table of version {merge.version}",
        warnings=warnings,
        facts=facts,
        body=body,
    )
    return notebook_html(shown)


def _settings(opened: TableQueries) -> Iterator[tuple[str, str]]:
    """Yield how the rows of the table merge."""
    properties = opened.properties
    yield "record key", ", ".join(properties.key_fields) or "generated"
    yield "partition", ", ".join(properties.partition_fields) or "none"
    try:
        config = properties.config(opened.release)
    except PayloadBridgeError as error:
        yield "merge", sentence_of(error)
        return
    yield "ordering", ", ".join(config.ordering) or "none"
    yield "merge mode", "none: by payload class" if config.read.mode is None else config.read.mode.name
    yield "payload class", config.read.payload or "none"
    if config.partial_update_mode is not None:
        yield "partial updates", config.partial_update_mode
