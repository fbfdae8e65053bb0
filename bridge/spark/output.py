"""Output: frames written to a run of their own, which takes the name that the user gave only when all is written.

On the local disk and on HDFS the run is a folder that is renamed. An object store can't rename: there the files are
copied within the store, and `_SUCCESS` comes last. Until then the old output stays, and a run that dies leaves no
`_SUCCESS`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import posixpath
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.errors import EngineError, InputError
from bridge.spark.cluster import has_executors
from bridge.spark.output_table import TableRun, output_table
from bridge.spark.staged import staged_folder
from bridge.spark.storage import STAGED, Place, asked, place_of
from bridge.spark.target import partitions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession

    from bridge.spark.target import Target

_BUCKETS = ("s3", "s3a", "s3n", "gs")
_RENAMES = ("", "hdfs", "viewfs")
_DONE = "_SUCCESS"
_TAKEN = (errno.EEXIST, errno.ENOTEMPTY)


class OutputRun:
    """What one run writes, before it has its name."""

    def __init__(self, place: Place, target: Target) -> None:
        """Take the folder that the run writes to."""
        self.place = place
        self._target = target

    def write(self, frame: DataFrame, name: str = "") -> None:
        """Write a frame below the run's folder.

        Raises:
            InputError: a column of `partition_by` is missing.
            EngineError: executors have written elsewhere.
        """
        columns = partitions_of(frame, self._target)
        place = self.place.below(name) if name else self.place
        frame.write.format(self._target.format).partitionBy(*columns).save(place.uri)
        self.check_disks(frame.sparkSession, lambda: any(Path(place.path).rglob("*part-*")))

    def check_disks(self, spark: SparkSession, is_there: Callable[[], bool]) -> None:
        """Check that what executors have written to a local folder is where the driver sees it.

        Raises:
            EngineError: executors have written elsewhere.
        """
        if not self.place.scheme and has_executors(spark) and not is_there():
            msg = f"{self._target.path}: executors wrote to their own disks; name a storage that all of them can reach"
            raise EngineError(msg)

    def aside(self, frame: DataFrame, name: str) -> DataFrame:
        """Write a frame that later frames are made from; return it as written; `drop` removes it."""
        place = self.place.below(name)
        frame.write.parquet(place.uri)
        return frame.sparkSession.read.parquet(place.uri)

    def drop(self, name: str) -> None:
        """Remove what `aside` wrote."""
        _remove(self.place.below(name))


def write_file(place: Place, data: bytes) -> None:
    """Write one file, or replace it: it is complete or not there. An object store shows none before its end.

    Raises:
        OSError: it can't be written.
    """
    if place.scheme not in _RENAMES:
        place.write(data)
        return
    folder, name = posixpath.split(place.path)
    unfinished = Place(f"{folder}/.{name}.part", place.scheme, place.system)
    try:
        unfinished.write(data)
        if place.scheme:
            _move(unfinished, place)
        else:
            Path(unfinished.path).replace(place.path)
    except BaseException:
        _remove(unfinished)
        raise


def write_texts(spark: SparkSession | None, target: Target, texts: Mapping[str, str]) -> None:
    """Write a folder of texts by name, complete or not at all; errors as in `output`."""
    with _folder(spark, target) as place:
        marks = {} if place.scheme in _RENAMES else {_DONE: ""}
        for name, text in {**texts, **marks}.items():
            file = place.below(name)
            folder = posixpath.dirname(file.path)
            if place.scheme:
                place.system.create_dir(folder)
            else:
                Path(folder).mkdir(parents=True, exist_ok=True)
            file.write(text.encode())


def check_target(target: Target, place: Place) -> None:
    """Refuse an output that exists, or whose folder does not.

    Raises:
        InputError: saying what to name instead.
    """
    if not target.overwrite and _is_taken(place):
        msg = f"--out {target.path} already exists; name a new folder, or replace it with --overwrite"
        raise InputError(msg)
    bucket = Place(place.path.split("/")[0], place.scheme, place.system)
    if place.scheme in _BUCKETS and not bucket.exists():
        msg = f"--out {target.path}: there is no bucket {bucket}; correct its name, or create it first"
        raise InputError(msg)
    if not place.scheme and not Path(place.path).parent.is_dir():
        msg = f"--out {target.path}: the folder {Path(place.path).parent} does not exist; create it first"
        raise InputError(msg)
    if not place.scheme and not os.access(Path(place.path).parent, os.W_OK | os.X_OK):
        raise _unwritable(target, "permission denied")


@contextlib.contextmanager
def output(spark: SparkSession, target: Target) -> Iterator[OutputRun | TableRun]:
    """Yield a run that becomes the output if the block succeeds, and leaves nothing if it fails.

    Raises:
        InputError: there is an output of this name already, also if another process made it meanwhile.
    """
    if target.is_table:
        with output_table(spark, target) as table:
            yield table
    else:
        with output_folder(spark, target) as folder:
            yield folder


@contextlib.contextmanager
def output_folder(spark: SparkSession, target: Target) -> Iterator[OutputRun]:
    """Yield such a run of a target that is a folder; errors as in `output`."""
    with _folder(spark, target) as place:
        yield OutputRun(place, target)


def is_renamed(place: Place) -> bool:
    """Whether an output at a place gets its name at once, when it is complete; an object store copies files."""
    return place.scheme in _RENAMES


def discard(spark: SparkSession, target: Target) -> None:
    """Remove an output that a run has written, and that is not wanted after all."""
    if target.is_table:
        spark.sql(f"DROP TABLE IF EXISTS {target.path}")
    else:
        _remove(place_of(target.path, spark))


@contextlib.contextmanager
def _folder(spark: SparkSession | None, target: Target) -> Iterator[Place]:
    """Yield a folder that gets the name of the target; the session has the credentials of its storage."""
    place = place_of(target.path, spark)
    check_target(target, place)
    if place.scheme in _RENAMES:
        with contextlib.ExitStack() as stack:
            try:
                folder = stack.enter_context(_folder_beside(place))
            except OSError as error:
                raise _unwritable(target, error.strerror or str(error)) from error
            yield folder.below("result")
            _rename(folder, place, target)
        return
    # Readers pass over names that start with an underscore.
    staged = place.below(f"{STAGED}{uuid.uuid4().hex[:12]}")
    try:
        yield staged
        check_target(target, place)
        _publish(staged, place)
    finally:
        _remove(staged)


def _unwritable(target: Target, why: str) -> InputError:
    return InputError(f"--out {target.path}: its folder takes no files ({why}); name another folder")


@contextlib.contextmanager
def _folder_beside(place: Place) -> Iterator[Place]:
    if place.scheme:
        parent, name = posixpath.split(place.path)
        folder = Place(f"{parent}/.{name}-{uuid.uuid4().hex[:12]}", place.scheme, place.system)
        place.system.create_dir(folder.path)
        try:
            yield folder
        finally:
            _remove(folder)
        return
    with staged_folder(Path(place.path).parent) as local:
        yield Place(str(local))


def _rename(folder: Place, place: Place, target: Target) -> None:
    """Give the run its name; the old output keeps it until then."""
    check_target(target, place)
    result, old = folder.below("result"), folder.below("old")
    if place.exists():
        _move(place, old)
    try:
        _move(result, place)
    except BaseException as error:
        if old.exists() and not place.exists():
            _move(old, place)
        if isinstance(error, OSError) and error.errno in _TAKEN:
            msg = f"--out {target.path}: another run has written it meanwhile; name another folder for each run"
            raise InputError(msg) from error
        raise


def _move(one: Place, other: Place) -> None:
    if one.scheme:
        one.system.move(one.path, other.path)
    else:
        Path(one.path).rename(other.path)


def _publish(staged: Place, place: Place) -> None:
    """Copy a run's files to their names, those that say that all is there last; drop the files of the old output."""
    old = [path for path in _files(place) if not _is_staged(path, place)]
    new = sorted(_files(staged), key=lambda path: (posixpath.basename(path) == _DONE, path))
    marks = [path for path in old if posixpath.basename(path) == _DONE]
    for path in marks:
        place.system.delete_file(path)
    names = {f"{place.path}{path.removeprefix(staged.path)}": path for path in new}
    done = {name for name in names if posixpath.basename(name) == _DONE}
    for name in [name for name in names if name not in done]:
        place.system.copy_file(names[name], name)
    for path in old:
        if path not in marks and path not in names:
            place.system.delete_file(path)
    for name in sorted(done):
        place.system.copy_file(names[name], name)


def _files(place: Place) -> list[str]:
    from pyarrow import fs  # noqa: PLC0415 (a command without storage does not load it)

    selected = fs.FileSelector(place.path, recursive=True, allow_not_found=True)
    found = asked(place, lambda: place.system.get_file_info(selected))
    return [info.path for info in found if info.is_file]


def _is_taken(place: Place) -> bool:
    """Whether there is an output; an object store keeps folders that have become empty."""
    if place.scheme in _RENAMES:
        return place.exists()
    return any(not _is_staged(path, place) for path in _files(place))


def _is_staged(path: str, place: Place) -> bool:
    return path.startswith(f"{place.path}/{STAGED}")


def _remove(place: Place) -> None:
    with contextlib.suppress(OSError):  # it is not there
        if place.scheme:
            (place.system.delete_dir if place.is_folder() else place.system.delete_file)(place.path)
        elif place.is_folder():
            shutil.rmtree(place.path, ignore_errors=True)
        else:
            Path(place.path).unlink()
