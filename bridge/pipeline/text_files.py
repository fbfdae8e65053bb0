"""Whether text files are UTF-8: Spark reads any other byte as U+FFFD without a word, and two texts become one."""

from __future__ import annotations

import codecs
import functools
import gzip
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from bridge.errors import InputError
from bridge.pipeline.file_errors import failures
from bridge.spark import in_one_task, prepare

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import SparkSession

    from bridge.spark import Files, Place

_STEP: Final = 1 << 20
_FOUND: Final = "file long, byte long"


def check_utf8(spark: SparkSession, files: Files) -> None:
    """Look at every byte of some text files, in a task a file if they are many bytes.

    Raises:
        InputError: one is not UTF-8; names the file and the byte, from 1.
    """
    if in_one_task(spark):
        found = [(number, at) for number, path in enumerate(files.paths) if (at := _first_other(path)) is not None]
    else:
        prepare(spark)
        numbers = spark.range(0, len(files.paths), 1, len(files.paths))
        rows = numbers.mapInArrow(functools.partial(_others, files.paths), _FOUND).collect()
        found = sorted((row["file"], row["byte"]) for row in rows)
    for number, at in found:
        msg = f"{files.paths[number]} is not UTF-8 text: byte {at + 1} begins no character; convert the file"
        raise InputError(msg)


def _others(paths: list[Place], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        numbers = batch.column(0).to_pylist()
        found = [(number, at) for number in numbers if (at := _first_other(paths[number])) is not None]
        columns = [pa.array([one[part] for one in found], pa.int64()) for part in range(2)]
        yield pa.RecordBatch.from_arrays(columns, ["file", "byte"])


def _first_other(path: Place) -> int | None:
    """Return the position of the first byte that is no UTF-8, counted decompressed; None if there is none."""
    decoder, done = codecs.getincrementaldecoder("utf-8")(), 0
    is_zipped = path.suffixes[-1:] == [".gz"]
    with failures(path), path.open() as file, gzip.open(file) if is_zipped else file as plain:
        if is_zipped and not path.size():
            msg = "it has no bytes, and a gzip file has some even if it holds none"
            raise EOFError(msg)
        while True:
            data = plain.read(_STEP)
            kept = len(decoder.getstate()[0])  # bytes of a character that the last piece began
            try:
                decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                return done - kept + error.start
            if not data:
                return None
            done += len(data)
