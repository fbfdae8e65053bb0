"""Access: whether driver, Spark and the Python of executors each reach what a path names, and what they say if not."""

from __future__ import annotations

import functools
import json
import platform
from typing import TYPE_CHECKING, NamedTuple

from py4j.protocol import Py4JError
from pyspark.sql import functions as sf

from bridge.errors import sentence_of
from bridge.spark.cluster import has_executors, prepare, probes
from bridge.spark.failures import PySparkException
from bridge.spark.storage import Place, place_of
from payloads import PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

_DRIVER, _SPARK, _OTHERS = "the driver", "Spark", "Spark and executors"
_FOLDERS = 100  # how many are listed at most in search of a file


class Access(NamedTuple):
    """One way to a path.

    Attributes:
        path: as the user wrote it.
        by: who tried: the driver, Spark's own readers, or the Python of executors, by host.
        found: what is there; why it can't be read if `failed`.
        failed: whether it can't be read; None if it was not tried, as no file was found.
    """

    path: str
    by: str
    found: str
    failed: bool | None = False


def accesses(spark: SparkSession, path: str) -> Iterator[Access]:
    """Try a path from the driver and, by the first file below it, from Spark's readers and the workers' Python.

    Raises:
        EngineError: executors can't run this code; see `prepare`.
    """
    try:
        place = place_of(path, spark)
        if not place.exists():
            yield Access(path, _DRIVER, "nothing is there", failed=True)
            return
        said, file = _listed(place)
    except PayloadBridgeError as error:
        yield Access(path, _DRIVER, str(error), failed=True)
        return
    yield Access(path, _DRIVER, said)
    if file is None:
        yield Access(path, _OTHERS, f"not tried: no file in the first {_FOLDERS} folders", failed=None)
        return
    try:
        spark.read.text(file.uri).limit(1).count()
        yield Access(path, _SPARK, f"reads {file.name}")
    except (PySparkException, Py4JError) as error:
        yield Access(path, _SPARK, sentence_of(error), failed=True)
    if has_executors(spark):
        yield from _of_workers(spark, path, file)


def _of_workers(spark: SparkSession, path: str, file: Place) -> Iterator[Access]:
    prepare(spark)
    reads = sf.udf(functools.partial(_read, file=file))
    try:
        rows = spark.range(0, (tasks := probes(spark)), 1, tasks).select(reads(sf.col("id"))).distinct().collect()
    except (PySparkException, Py4JError) as error:
        yield Access(path, "the executors", sentence_of(error), failed=True)
        return
    for host, fault in sorted(json.loads(row[0]) for row in rows):
        yield Access(path, f"the executors on {host}", fault or f"reads {file.name}", failed=bool(fault))


def _read(_row: int, file: Place) -> str:
    """Return the host and why the file can't be read there (empty if it can) as JSON."""
    try:
        with file.open() as stream:
            stream.read(1)
    except Exception as error:  # noqa: BLE001 (a storage's client may fail in any way)
        return json.dumps([platform.node(), f"{type(error).__name__}: {error}"])
    return json.dumps([platform.node(), ""])


def _listed(place: Place) -> tuple[str, Place | None]:
    """Return what a place is, and a file in it or below that Spark would read; None if none is found."""
    if not place.is_folder():
        return f"a file of {place.size():,} bytes", place
    entries = place.entries()
    said = f"a folder of {len(entries):,} entries"
    folders: list[Place] = []
    for _ in range(_FOLDERS):
        shown = [one for one in entries if not _is_hidden(one)]
        file = next((one for one in shown if not one.is_folder()), None)
        folders = [*(one for one in (*shown, *filter(_is_hidden, entries)) if one.is_folder()), *folders]
        if file is not None or not folders:
            return said, file
        entries = folders.pop(0).entries()
    return said, None


def _is_hidden(place: Place) -> bool:
    return place.name.startswith((".", "_"))
