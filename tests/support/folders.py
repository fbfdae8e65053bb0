"""Folders of the checkout that tests read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GUIDE: Final = ROOT / "migration_guide"
DATA: Final = ROOT / "tests" / "data"
"""Answers of real Hudi."""
CONFIG: Final = DATA / "config"
"""Properties that tables and writers ended with."""
TABLES: Final = DATA / "tables.tar.xz"
"""Tables on storage, and what readers answered."""
SQL_TABLES: Final = DATA / "tables-sql.tar.xz"
"""Tables that statements of Spark SQL made and filled with 1.2.0, and what they showed."""
ORC_TABLES: Final = DATA / "tables-orc.tar.xz"
"""Tables with ORC base files that 1.2.0 and 0.15.0 wrote, with the rows as written and as shown."""
TYPED_TABLES: Final = DATA / "tables-types.tar.xz"
"""Tables of 1.2.0 with VECTOR and BLOB columns, and with dates as folders, on which it fails if they are no text."""
OLDER_TABLES: Final = DATA / "tables-version-5.tar.xz"
"""Tables that 0.12 and 0.13 wrote, with their histories."""
GOLDEN: Final = DATA / "golden"
"""Vectors: one method call each."""
HISTORIES: Final = DATA / "histories"
"""Tables of one release."""
SETTINGS: Final = DATA / "histories-settings"
"""Tables of one release, written with other settings."""
OPERATIONS: Final = DATA / "histories-operations"
"""Tables whose commits are not all upserts, that have a record index, or whose later writers are plain."""
MERGES: Final = DATA / "histories-merge-into"
"""Tables that MERGE INTO statements write, and the statements that Hudi refuses."""
UPGRADED: Final = DATA / "histories-upgraded"
"""Tables that live through an upgrade."""
STAGES: Final = DATA / "histories-stages"
"""Tables that are upgraded in two steps, or downgraded."""
