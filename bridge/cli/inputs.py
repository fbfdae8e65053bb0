"""What verbs read: the batches of `--batches`, and files and folders on any storage."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.parameters import derived_option
from bridge.cli.paths import AnyType, absent
from bridge.cli.quiet import quiet_session
from bridge.cli.terminal import terminal_option
from bridge.cli.verb import BATCH_COLUMN
from bridge.compare import replay
from bridge.errors import InputError
from bridge.pipeline import Batches, extent_of, read_frame
from bridge.spark import batch_places, is_local, is_small, local_path
from payloads.errors import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import types as spark_types

    from bridge.cli.decorators import F
    from bridge.pipeline import Extent, Scope


TABLE = "table:"
"""The prefix of a table of Spark's catalogue."""


class BatchSource:
    """The batches that a command line names: a folder, a pattern, or a table or file split by a column."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    @property
    def column(self) -> str | None:
        """The column of `--batch-column`."""
        found = click.get_current_context().meta.get(BATCH_COLUMN)
        return None if found is None else str(found)

    @functools.cached_property
    def _places(self) -> int:
        return len(batch_places(self.text, None if is_local(self.text) else quiet_session()))

    def __len__(self) -> int:
        """Count the batches; Spark lists what is not on this machine."""
        if self.column is None:
            return self._places
        return len(self._split)

    def session(self) -> SparkSession:
        """Return the session that suits the size of the input."""
        return quiet_session(small=self.column is None and is_local(self.text) and self._is_small())

    def extent(self, scope: Scope) -> Extent | None:
        """Estimate what reading takes, before Spark starts where the files are local; None for a catalogue's table.

        Raises:
            InputError: the files can't be listed.
        """
        if self.text.startswith(TABLE):
            return None
        spark = None if is_local(self.text) else quiet_session()
        return extent_of(self.text, scope, spark, is_one=self.column is not None)

    def _is_small(self) -> bool:
        path = local_path(self.text)
        return path.exists() and is_small(path)

    def read(self, spark: SparkSession, struct: spark_types.StructType | None, scope: Scope | None = None) -> Batches:
        """Read the batches; the types of CSV and JSON columns are those of `struct`.

        Raises:
            InputError: naming what can't be read.
        """
        if self.column is None:
            return Batches.read(spark, self.text, struct, scope=scope)
        return self._split if scope is None else Batches.by(self._frame(spark), self.column, scope=scope)

    @functools.cached_property
    def _split(self) -> Batches:
        spark = quiet_session()
        return Batches.by(self._frame(spark), self.column or "")

    def _frame(self, spark: SparkSession) -> DataFrame:
        if not self.text.startswith(TABLE):
            return read_frame(spark, self.text, arrival=True)
        name = self.text.removeprefix(TABLE)
        if not spark.catalog.tableExists(name):
            msg = f"there is no table {name} in the session's catalogue; name it as DATABASE.TABLE"
            raise InputError(msg)
        return spark.table(name)


class _Batches(AnyType):
    name = "batches"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> BatchSource:
        """Check what can be checked without Spark."""
        if isinstance(value, BatchSource):
            return value
        text = str(value)
        column = None if ctx is None else ctx.meta.get(BATCH_COLUMN)
        if text.startswith(TABLE) and column is None:
            self.fail(
                f"{text!r} is one table; name the column that splits it into batches with --batch-column", param, ctx
            )
        if not text.startswith(TABLE) and is_local(text):
            self._check_local(text, column, param, ctx)
        return BatchSource(text)

    def _check_local(self, text: str, column: str | None, param: Any, ctx: click.Context | None) -> None:
        path = local_path(text)
        if path.is_file() and column is None:
            self.fail(f"Directory {text!r} is a file.", param, ctx)
        if not path.exists():
            try:
                batch_places(text)
            except PayloadBridgeError as error:
                known = any(sign in text for sign in "*?[")
                self.fail(str(error) if known else absent("Directory", text), param, ctx)


def _noted(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[BATCH_COLUMN] = value


def batches_option_of(*, required: bool) -> Callable[[F], F]:
    """Make `--batches` and `--batch-column`."""

    def added(command: F) -> F:
        return batches(column(command))

    column: Callable[[F], F] = terminal_option(
        "--batch-column",
        needs=("batches",),
        metavar="COLUMN",
        is_eager=True,
        expose_value=False,
        callback=_noted,
        help="The column that splits --batches (then one table or file) into batches: one per value, in order.",
    )
    batches: Callable[[F], F] = derived_option(
        replay,
        "batches",
        type=_Batches(),
        metavar="PATH",
        required=required,
        help="The batches: a folder with one file or folder each, in name order (Parquet, Avro, ORC, JSON lines, CSV); "
        "a pattern; or table:NAME with --batch-column. Local, or a URI such as s3a://bucket/days.",
    )
    return added
