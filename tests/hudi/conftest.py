"""The archives of tables, unpacked once a session, and log files written by hand."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tests.hudi.damaged import COLUMNS
from tests.support import OLDER_TABLES, TABLES
from tests.support.archives import unpack
from tests.support.envelopes import valid_envelopes
from tests.support.made_table import MadeTable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["made", "older_tables", "tables", "valid_envelopes"]


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


@pytest.fixture
def made(tmp_path: Path) -> MadeTable:
    """A table with three rows in a base file, and a log that updates one of them."""
    table = MadeTable(tmp_path / "table", COLUMNS)
    table.base("g", pa.table({"id": ["a", "b", "c"], "part": ["p"] * 3, "ts": [1, 1, 1]}))
    table.commit()
    table.log("g", "p", [{"id": "a", "part": "p", "ts": 2}], 1)
    table.commit(1)
    return table
