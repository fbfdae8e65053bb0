"""What a user names for input: the batches of a folder or pattern, and the files of one batch."""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import re
from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import InputError
from bridge.spark.storage import STAGED, Place, place_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

_FORMATS = {
    ".parquet": "parquet",
    ".avro": "avro",
    ".orc": "orc",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
}
_WILD = re.compile(r"[*?\[]")


class Files(NamedTuple):
    """The files of one batch or frame, in the order of their names, and their one format."""

    origin: Place
    format: str
    paths: list[Place]


def visible(folder: Place) -> list[Place]:
    """Return what is in `folder` in the order of names, without hidden files and markers like `_SUCCESS`."""
    return [entry for entry in folder.entries() if entry.name[0] not in "._"]


def batch_places(text: str | Path, spark: SparkSession | None = None) -> list[Place]:
    """Return one place a batch, in order: what a folder has, or what matches a pattern (`days/2024-*`).

    Raises:
        InputError: there are none.
    """
    place = place_of(text, spark)
    if _WILD.search(place.path) and not (place.system is None and place.exists()):
        found = _matching(place)
        if not found:
            msg = f"nothing matches {place}; a pattern names one file or folder a batch"
            raise InputError(msg)
        return found
    if not place.is_folder():
        what = "is not a folder" if place.exists() else "does not exist"
        msg = f"{place} {what}; name a folder that has one file or folder a batch"
        raise InputError(msg)
    found = visible(place)
    if not found:
        msg = f"the folder {place} has no batches; put one file or folder a batch there"
        raise InputError(msg)
    return found


def _matching(pattern: Place) -> list[Place]:
    """Return what matches a pattern, level by level, in the order of paths."""
    parts = pattern.path.split("/")
    first = next(at for at, part in enumerate(parts) if _WILD.search(part))
    found = [dataclasses.replace(pattern, path="/".join(parts[:first]) or "/", is_known_folder=None)]
    for part in parts[first:]:
        found = [
            entry
            for folder in found
            if folder.is_folder()
            for entry in visible(folder)
            if fnmatch.fnmatchcase(entry.name, part)
        ]
    return found


def files_of(origin: Place) -> Files:
    """Return the files of the batch or frame at `origin`.

    Raises:
        InputError: there are none, they have several formats or an unknown one, or there are folders among them.
    """
    if not origin.exists():
        msg = f"{origin} does not exist; name a file or folder with Parquet, Avro, ORC, JSON lines or CSV"
        raise InputError(msg)
    paths = _complete(origin) if origin.is_folder() else [origin]
    formats = {_format(path) for path in paths}
    if len(formats) != 1:
        found = f"files of several formats ({', '.join(sorted(formats))})" if formats else "no data files"
        msg = f"the folder {origin} has {found}; a batch is one file, or a folder with files of one format"
        raise InputError(msg)
    return Files(origin, formats.pop(), paths)


def _complete(folder: Place) -> list[Place]:
    """Return what is in a folder, unless a run that was killed left it: on an object store it moves files last.

    A run keeps its files beside what it moved, and beside the folder of a result that has a name of its own.
    """
    names = {entry.name for entry in folder.entries()} if folder.scheme else set()
    above = folder.path.rpartition("/")[0]
    if folder.scheme and "_SUCCESS" not in names and "/" in above:
        with contextlib.suppress(OSError):  # it may not be ours to list
            names |= {entry.name for entry in dataclasses.replace(folder, path=above).entries()} - {"_SUCCESS"}
    if "_SUCCESS" not in names and any(name.startswith(STAGED) for name in names):
        msg = f"{folder} is the output of a run that did not end, or has not yet; write it again (--overwrite)"
        raise InputError(msg)
    return visible(folder)


def _format(path: Place) -> str:
    if path.is_folder():
        msg = f"{path} is a folder inside a batch; put all files of a batch into one folder, not partitioned"
        raise InputError(msg)
    if ":" in path.path:
        msg = f"{path}: Spark can't read paths with a colon; rename it"
        raise InputError(msg)
    suffixes = path.suffixes
    zipped = suffixes[-1:] == [".gz"]
    found = _FORMATS.get(next(reversed(suffixes[:-1] if zipped else suffixes), ""))
    if found is None or (zipped and found not in {"json", "csv"}):
        known = ", ".join(_FORMATS)
        msg = f"{path}: the file name does not show a known format; it must end in one of {known} (text also in .gz)"
        raise InputError(msg)
    return found
