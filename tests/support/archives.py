"""Unpacks the archives of recorded tables and of packages."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def unpack(archive: tarfile.TarFile, folder: Path | str) -> None:
    """Unpack an archive as data: nothing outside of the folder; Python before 3.11.4 has no filters, and trusts it."""
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
    else:
        archive.extractall(folder)  # noqa: S202 (the archives are the project's own)
