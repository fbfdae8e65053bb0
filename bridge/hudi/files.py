"""The files of a table, wherever they lie: the only module of this package that accesses storage.

A table is listed, never believed: what plans and commit metadata say about places is not followed, so no name inside a
table leads out of it. Neither does a property, nor a symbolic link.
"""

from __future__ import annotations

import copy
import os
import posixpath
from typing import TYPE_CHECKING, NamedTuple

from pyarrow import fs
from pyspark.sql import SparkSession

from bridge.errors import InputError
from bridge.hudi.errors import HudiTableError, OutsideTableError
from bridge.spark import advice_on, place_of, storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

METADATA_FOLDER = ".hoodie"
_LOOKED_INTO = 20
"""How many folders are looked into for a table that a message may name."""
_PARTITION_METADATA = ".hoodie_partition_metadata"


class Listing(NamedTuple):
    """The files of one partition.

    Attributes:
        partition: its path below the table; empty where the table is not partitioned.
        sizes: bytes by file name.
    """

    partition: str
    sizes: dict[str, int]


class TableFiles:
    """Lists and opens the files below a table's base path; travels to Spark's tasks."""

    def __init__(self, path: str | Path) -> None:
        """Take a local path, or a URI; the active session's settings have the credentials of its storage.

        Raises:
            HudiTableError: Arrow has no file system for the URI.
        """
        self.path = str(path)
        try:
            place = place_of(path, SparkSession.getActiveSession())
        except InputError as error:
            raise HudiTableError(str(error)) from error
        self._files, self._root = place.system or fs.LocalFileSystem(), place.path
        self._has_links = place.system is None

    def names(self, folder: str) -> list[str]:
        """Return the names of the files directly in `folder`, sorted; none where it does not exist."""
        return sorted(info.base_name for info in self._listed(folder) if info.is_file)

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the bytes of the files directly in `folder`, by name; none where it does not exist."""
        return {info.base_name: info.size for info in self._listed(folder) if info.is_file}

    def below(self, folder: str) -> TableFiles:
        """Return the files of a table inside this one.

        Raises:
            OutsideTableError: the folder is a link, or lies outside.
        """
        self._listed(folder)
        inner = copy.copy(self)
        inner.__dict__.update(path=self.described(folder), _root=self._inside(folder))
        return inner

    def has_folder(self, folder: str) -> bool:
        """Whether a folder exists; on an object store, whether anything is below it or a marker stands for it.

        Raises:
            HudiTableError: it can't be looked up.
        """
        try:
            found: fs.FileInfo = self._files.get_file_info(self._inside(folder))
        except storage_errors() as error:
            raise self._failed(folder, "looked up", error, "check the path and your permissions") from error
        return found.type is fs.FileType.Directory

    def partitions(self) -> Iterator[Listing]:
        """Give the files of each folder that Hudi marks as a partition, by path."""
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            found = self._listed(folder)
            below = [
                posixpath.join(folder, info.base_name)
                for info in found
                if info.type is fs.FileType.Directory and info.base_name != METADATA_FOLDER
            ]
            waiting.extend(sorted(below, reverse=True))
            sizes = {info.base_name: info.size for info in found if info.is_file}
            if any(name.startswith(_PARTITION_METADATA) for name in sizes):
                yield Listing(folder, sizes)

    def tables(self) -> Iterator[str]:
        """Give the path of each folder that holds a table, below this one; nothing inside a table is one."""
        waiting = [""]
        seen: set[str] = set()
        while waiting:
            folder = waiting.pop()
            if self._has_links:
                # Above tables, links are followed, each folder once.
                target = os.path.realpath(self._inside(folder))
                if target in seen:
                    continue
                seen.add(target)
            below = {info.base_name for info in self._entries(folder) if info.type is fs.FileType.Directory}
            if METADATA_FOLDER in below:
                yield folder
            else:
                waiting.extend(sorted((posixpath.join(folder, name) for name in below), reverse=True))

    def table_within(self) -> str | None:
        """Return the path of a table directly below, for a message; None if the first folders hold none."""
        folders = sorted(info.base_name for info in self._entries("") if info.type is fs.FileType.Directory)
        for name in folders[:_LOOKED_INTO]:
            if any(info.base_name == METADATA_FOLDER for info in self._entries(name)):
                return self.described(name)
        return None

    def read(self, path: str) -> bytes:
        """Return the content of a small file.

        Raises:
            HudiTableError: it can't be read.
        """
        with self.open(path) as stream:
            content: bytes = stream.read()
        return content

    def open(self, path: str) -> pa.NativeFile:
        """Open a file of the table for reading at any place.

        Raises:
            OutsideTableError: it lies outside the table.
            HudiTableError: it can't be opened.
        """
        place = self._inside(path)
        if self._has_links:
            root, target = os.path.realpath(self._root), os.path.realpath(place)
            if os.path.commonpath((root, target)) != root:
                raise OutsideTableError.by_link(self.described(path), target)
        try:
            return self._files.open_input_file(place)
        except storage_errors() as error:
            cleaned = "it may have been cleaned since: read the table again"
            raise self._failed(path, "opened", error, cleaned) from error

    def described(self, path: str) -> str:
        """Return a file's full path, for messages."""
        return posixpath.join(self.path, path)

    def _failed(self, path: str, what: str, error: Exception, otherwise: str) -> HudiTableError:
        place = self.described(path)
        return HudiTableError(f"{place} can't be {what}: {error}; {advice_on(str(error), place, otherwise)}")

    def _inside(self, path: str) -> str:
        """Return the place of a file or folder of the table.

        Raises:
            OutsideTableError: the path leads out of the table.
        """
        if posixpath.isabs(path) or ".." in path.split("/"):
            raise OutsideTableError.by_name(self.path, path)
        return posixpath.join(self._root, path)

    def _listed(self, folder: str) -> list[fs.FileInfo]:
        place = self._inside(folder)
        if self._has_links:
            # A link to a folder above makes the listing endless, one beside it shows rows twice.
            root, target = os.path.realpath(self._root), os.path.realpath(place)
            if target != os.path.normpath(posixpath.join(root, folder)):
                raise OutsideTableError.by_link(self.described(folder), target)
        return self._entries(folder)

    def _entries(self, folder: str) -> list[fs.FileInfo]:
        selector = fs.FileSelector(self._inside(folder), allow_not_found=True)
        try:
            found: list[fs.FileInfo] = self._files.get_file_info(selector)
        except storage_errors() as error:
            raise self._failed(folder, "listed", error, "check the path and your permissions") from error
        return [info for info in found if _has_name(info)]


def _has_name(info: fs.FileInfo) -> bool:
    """Whether a name is text; Hudi passes over any other, which Java can't open again."""
    try:
        return bool(info.base_name)
    except UnicodeDecodeError:
        return False


def tables_below(root: str) -> list[str]:
    """Return the base paths of the tables at or below a folder, by path.

    Raises:
        HudiTableError: the folder can't be listed.
    """
    files = TableFiles(root)
    return [files.described(path) if path else files.path for path in files.tables()]
