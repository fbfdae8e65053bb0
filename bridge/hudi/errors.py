"""The errors of reading a table on storage: each names the file, what is wrong with it and what to do."""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING

from bridge.errors import AlteredTableWarning
from payloads.errors import PayloadBridgeError, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Self


class HudiTableError(PayloadBridgeError, ValueError):
    """A table, or one of its files, can't be read."""


class DamagedFileError(HudiTableError):
    """A file is not what its place and name say that it is."""


@contextlib.contextmanager
def rows_of_file(path: str) -> Iterator[None]:
    """Name the file whose rows are read, where they do not fit the table's schema.

    Raises:
        DamagedFileError: they do not.
    """
    try:
        yield
    except SchemaError as error:
        msg = f"{path} has rows that do not fit the table's schema: {error}"
        raise DamagedFileError(msg) from error


class UnreadableTableError(HudiTableError):
    """The table uses a layout that is not read here, or that the release's own reader refuses."""

    @classmethod
    def from_local_timestamps(cls, table: str, columns: Sequence[str], release: str) -> Self:
        """Return the error for columns that older releases fail to read."""
        msg = (
            f"{table}: {', '.join(columns)} holds local timestamps, which Hudi {release} fails to read; use release "
            "1.0 or later"
        )
        return cls(msg)


class UnmergedTableError(UnreadableTableError):
    """The table has versions that only the python engine merges as Hudi does."""


def altered_text(table: str, found: Sequence[object]) -> str:
    """Return what is said of a table that is read although some of its files are altered; the first is described."""
    number = "1 file" if len(found) == 1 else f"{len(found)} files"
    return f"{table}: {number} of completed commits: {found[0]}; rows may be missing, as they are for Hudi's own reader"


def warn_of_altered(table: str, found: Sequence[object]) -> None:
    """Warn whoever runs the first query of a table, if files are altered."""
    if found:
        warnings.warn(altered_text(table, found), AlteredTableWarning, stacklevel=4)


class AlteredTableError(UnreadableTableError):
    """Files that the table's commits wrote are missing, or have another size."""

    @classmethod
    def of_files(cls, table: str, found: Sequence[object]) -> Self:
        """Return the error for some files, of which the first is described."""
        number = "1 file" if len(found) == 1 else f"{len(found)} files"
        restore = "restore the files, or restore the table to an instant before (hudi-cli savepoint rollback)"
        return cls(f"{table}: {number} of completed commits: {found[0]}; {restore}")


class OutsideTableError(UnreadableTableError):
    """A name or a symbolic link inside the table leads to another place, which is not read."""

    @classmethod
    def by_name(cls, table: str, path: str) -> Self:
        """Return the error for a path that a property or a file name gives."""
        msg = f"{table}: the path {path!r} leads out of the table, and nothing outside is read; correct the property"
        return cls(msg)

    @classmethod
    def by_link(cls, path: str, target: str) -> Self:
        """Return the error for a symbolic link."""
        msg = f"{path} is a symbolic link to {target}, which is not followed; replace it with its target"
        return cls(msg)
