"""The archives of tables, unpacked once a session, and log files written by hand."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.support import OLDER_TABLES, TABLES
from tests.support.archives import unpack

if TYPE_CHECKING:
    from pathlib import Path


def _unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        unpack(tar, folder)
    return folder


@pytest.fixture(scope="session")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _unpacked(TABLES, tmp_path_factory.mktemp("tables")) / "tables"


@pytest.fixture(scope="session")
def older_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _unpacked(OLDER_TABLES, tmp_path_factory.mktemp("older"))
