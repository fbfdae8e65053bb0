"""How many rows an Arrow batch has: Spark counts rows, and what matters is bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from bridge.spark.columns import quoted
from bridge.spark.small_input import in_one_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch"
_FITS = "spark.payload_bridge.fits_arrow_batches"
_MOST_ROWS = 10_000
_BYTES = 16 << 20
_SAMPLE = 200


def settings(conf: Mapping[str, str]) -> dict[str, str]:
    """Return what marks a session whose batches `fit_batches` may size: ours, where the user has not sized them."""
    return {} if ROWS in conf else {_FITS: "true"}


def fit_batches(frame: DataFrame) -> None:
    """Size the Arrow batches of a session for rows like the first ones of a frame: 16 MiB at most, by their text.

    Sessions that were not started here keep their setting. The smallest size that any input needs remains.
    """
    spark = frame.sparkSession
    if in_one_task(spark) or spark.conf.get(_FITS, "false") != "true":
        return
    text = sf.to_json(sf.struct(*map(quoted, frame.columns)))
    sizes = [row[0] or 0 for row in frame.select(sf.octet_length(text)).take(_SAMPLE)]
    if sizes:
        rows = max(1, min(_MOST_ROWS, _BYTES * len(sizes) // max(sum(sizes), 1)))
        if rows < int(spark.conf.get(ROWS) or _MOST_ROWS):
            spark.conf.set(ROWS, str(rows))
