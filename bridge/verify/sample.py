"""Rows of a table or of batches as Avro records, from which the operands of a check are drawn."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
from pyspark.sql import functions as sf

from bridge.engines.python import RecordReader
from bridge.errors import InputError
from bridge.spark import avro_schema, map_in_arrow, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from payloads import HudiRelease
    from payloads.avro import AvroSchema, Record

MOST_ROWS: Final = 1_000


class Sample(NamedTuple):
    """Rows that were drawn.

    Attributes:
        schema: their schema.
        rows: the rows, each as often as it was drawn.
    """

    schema: AvroSchema
    rows: tuple[Record, ...]


def sample_of(
    frame: DataFrame, release: HudiRelease, schema: AvroSchema | None = None, *, most: int = MOST_ROWS, seed: int = 0
) -> Sample:
    """Draw rows of a frame at random; what is frequent in it is as frequent in the sample. One job.

    Args:
        frame: the rows.
        release: the release that writes them, which decides about their schema.
        schema: the schema of the records; None for that of the frame. A nullable column may be missing in the frame.
        most: how many rows are drawn.
        seed: reproduces the sample.

    Raises:
        InputError: the frame has no rows, or lacks a column.
        SchemaError: a column, or a value, does not fit the schema.
    """
    found = avro_schema(frame.schema, release) if schema is None else schema
    missing = [field for field in found.fields if field.name not in frame.columns]
    required = [field.name for field in missing if not field.schema.nullable]
    if required:
        msg = f"the rows lack {', '.join(required)}; they have {', '.join(frame.columns)}"
        raise InputError(msg)
    names = [field.name for field in found.fields if field not in missing]
    chosen = frame.select(*map(quoted, names)).orderBy(sf.rand(seed)).limit(most)
    packed = map_in_arrow(chosen, functools.partial(_records, found, frozenset(names)), "records binary").collect()
    nulls = {field.name: None for field in missing}
    rows = [record for one in packed for record in pickle.loads(one["records"])]  # noqa: S301 (our own task wrote it)
    if not rows:
        msg = "there are no rows to draw from; name batches or a table that has some"
        raise InputError(msg)
    return Sample(found, tuple({name: (nulls | row)[name] for name in found.by_name} for row in rows))


def _records(schema: AvroSchema, names: frozenset[str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = RecordReader(schema, batch.schema, names).rows(batch)
        yield pa.RecordBatch.from_pydict({"records": pa.array([pickle.dumps(rows)], pa.binary())})
