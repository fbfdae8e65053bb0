"""The files of a user's path, and their format: Parquet, Avro, JSON lines or CSV by suffix."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

_FORMATS = {
    ".parquet": "parquet",
    ".avro": "avro",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".csv": "csv",
}


class Files(NamedTuple):
    """The files of one batch or frame, in the order of their names, and their one format."""

    origin: Path
    format: str
    paths: list[Path]


def visible(folder: Path) -> list[Path]:
    """Return what is in `folder` in the order of names, without hidden files and markers like `_SUCCESS`."""
    return sorted((entry for entry in folder.iterdir() if entry.name[0] not in "._"), key=lambda entry: entry.name)


def files_of(origin: Path) -> Files:
    """Return the files of the batch or frame at `origin`.

    Raises:
        InputError: there are none, they have several formats or an unknown one, or there are folders among them.
    """
    if not origin.exists():
        msg = f"{origin} does not exist; name a file or folder with Parquet, Avro, JSON lines or CSV"
        raise InputError(msg)
    paths = visible(origin) if origin.is_dir() else [origin]
    formats = {_format(path) for path in paths}
    if len(formats) != 1:
        found = f"files of several formats ({', '.join(sorted(formats))})" if formats else "no data files"
        msg = f"the folder {origin} has {found}; a batch is one file, or a folder with files of one format"
        raise InputError(msg)
    return Files(origin, formats.pop(), [path.absolute() for path in paths])


def _format(path: Path) -> str:
    if path.is_dir():
        msg = f"{path} is a folder inside a batch; put all files of a batch into one folder, not partitioned"
        raise InputError(msg)
    if ":" in str(path.absolute()):
        msg = f"{path}: Spark can't read paths with a colon; rename it"
        raise InputError(msg)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    zipped = suffixes[-1:] == [".gz"]
    found = _FORMATS.get(next(reversed(suffixes[:-1] if zipped else suffixes), ""))
    if found is None or (zipped and found not in {"json", "csv"}):
        known = ", ".join(_FORMATS)
        msg = f"{path}: the file name does not show a known format; it must end in one of {known} (text also in .gz)"
        raise InputError(msg)
    return found
