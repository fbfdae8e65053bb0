"""The tables that are damaged: recorded ones of versions 5, 6, 8 and 9, of both types, with archives and ALTERs."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, NamedTuple

from bridge.hudi import TableProperties, TableQueries
from bridge.hudi.files import TableFiles
from tests.rehearse import restore_times
from tests.support import OLDER_TABLES, TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.hudi import FileSlice

_OLDER = ("0.12.2/default-cow", "0.13.1/default-mor")
_RECORDED = (
    "0.15.0/cow-plain-default",
    "0.15.0/mor-plain-default",
    "0.15.0/mor-compacted-postgres",
    "0.15.0/mor-metadata-table-default",
    "0.15.0/mor-schema-on-read-type-change-default",
    "1.0.2/cow-part-none",
    "1.0.2/cow-defaults-default",
    "1.0.2/mor-parquet-log-default",
    "1.0.2/mor-archived-default",
    "1.1.1/mor-defaults-default",
    "1.2.0/cow-clustered-default",
    "1.2.0/mor-archived-logs-kept",
    "1.2.0/mor-kept-from-0.15.0-compacted-default",
    "1.2.0/mor-compacted-partial",
    "1.2.0/mor-part-date",
    "1.2.0/mor-part-none",
    "1.2.0/mor-schema-on-read-rename-drop-default",
)
_NEWEST_OF_0_15 = 6


class Subject(NamedTuple):
    """A sound table.

    Attributes:
        label: release and case.
        folder: its base path.
    """

    label: str
    folder: Path

    @property
    def releases(self) -> tuple[str, ...]:
        """The bundles that read tables of this version."""
        version = TableProperties.read(TableFiles(str(self.folder))).version
        return ("1.2.0", "0.15.0") if version <= _NEWEST_OF_0_15 else ("1.2.0",)

    def slices(self) -> list[FileSlice]:
        """Return the slices that a snapshot reads."""
        return TableQueries(str(self.folder)).snapshot().slices


def subjects(folder: Path) -> list[Subject]:
    """Unpack the tables below a folder."""
    found = []
    for archive, root, names in ((OLDER_TABLES, "histories-older", _OLDER), (TABLES, "tables", _RECORDED)):
        with tarfile.open(archive) as opened:
            unpack(opened, folder)
        found += [Subject(name, folder / root / name / "table") for name in names]
    for one in found:
        restore_times(one.folder)
    return found
