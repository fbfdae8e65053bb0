"""What tests of every package share: where recorded data lies."""

from __future__ import annotations

from tests.support.folders import (
    CONFIG,
    DATA,
    GOLDEN,
    GUIDE,
    HISTORIES,
    MERGES,
    OLDER_TABLES,
    OPERATIONS,
    ORC_TABLES,
    ROOT,
    SETTINGS,
    SQL_TABLES,
    STAGES,
    TABLES,
    TYPED_TABLES,
    UPGRADED,
)

__all__ = [
    "CONFIG",
    "DATA",
    "GOLDEN",
    "GUIDE",
    "HISTORIES",
    "MERGES",
    "OLDER_TABLES",
    "OPERATIONS",
    "ORC_TABLES",
    "ROOT",
    "SETTINGS",
    "SQL_TABLES",
    "STAGES",
    "TABLES",
    "TYPED_TABLES",
    "UPGRADED",
]
