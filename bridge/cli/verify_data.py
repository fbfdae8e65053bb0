"""`verify --batches` and `--table`: the rows from which operands are drawn."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from pyspark.sql import functions as sf

from bridge.cli.table_input import open_table
from bridge.redaction import current
from bridge.spark import META_COLUMNS, spark_schema
from bridge.verify import sample_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from bridge.cli.inputs import BatchSource
    from payloads import HudiRelease
    from payloads.avro import AvroSchema, Record

_ROWS = ("base", "data")
"""The kinds of versions of a table that are whole rows."""
_CONTROL = "_pb_"


class DrawnRows(NamedTuple):
    """What the data of the user say.

    Attributes:
        schema: the schema of the records.
        rows: the rows that were drawn.
        key: the key fields of a table; none for batches.
        ordering: its ordering fields.
    """

    schema: AvroSchema
    rows: tuple[Record, ...]
    key: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()

    def completed(self, settings: Mapping[str, object]) -> dict[str, Any]:
        """Return the settings with what the data say; options win."""
        ordering = settings["ordering"]
        return {
            **settings,
            "schema": self.schema,
            "key": settings["key"] or self.key,
            "ordering": self.ordering or None if ordering is None else ordering,
        }


def drawn_rows(
    batches: BatchSource | None, table: str | None, release: HudiRelease, schema: AvroSchema | None, seed: int
) -> DrawnRows | None:
    """Draw rows of batches, or of all versions that the files of a table still hold; None without either.

    Raises:
        UsageError: both are given.
        InputError, HudiTableError, SchemaError: they can't be read, or do not fit the schema.
    """
    context = click.get_current_context()
    if batches is not None and table is not None:
        msg = "--batches and --table: name one of them"
        raise click.UsageError(msg, context)
    if current().is_active and (batches is not None or table is not None):
        msg = f"{context.command.name} shows values of your rows as they are; leave out --redact, or name no rows"
        raise click.UsageError(msg, context)
    if batches is not None:
        struct = None if schema is None else spark_schema(schema)
        frames = batches.read(batches.session(), struct).frames
        rows = functools.reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)
        return DrawnRows(*sample_of(rows, release, schema, seed=seed))
    if table is None:
        return None
    opened = open_table(table, None)
    plan = opened.plan()
    rows = _without_meta(opened.versions().where(sf.col("_pb_kind").isin(*_ROWS)))
    return DrawnRows(*sample_of(rows, release, schema, seed=seed), tuple(plan.key), tuple(plan.ordering or ()))


def _without_meta(rows: DataFrame) -> DataFrame:
    return rows.drop(*META_COLUMNS, *(name for name in rows.columns if name.startswith(_CONTROL)))
