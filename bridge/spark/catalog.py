"""Tables of the session's catalogue: where their files are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bridge.errors import InputError
from bridge.spark.columns import quoted_name
from bridge.spark.failures import AnalysisException
from bridge.spark.storage import local_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_NO_SOURCE = re.compile("DATA_SOURCE_NOT_FOUND|Failed to find data source")  # the latter in Spark 3.3
_PART = re.compile(r"`((?:[^`]|``)+)`|([^.`]+)")


def catalog_location(spark: SparkSession, name: str) -> str:
    """Return the folder of a table, named as `table`, `database.table` or `catalogue.database.table`.

    The table's format need not be on the class path: no source is asked, not even where the entry has no columns.

    Raises:
        InputError: there is no such table, or it has no folder.
    """
    try:
        found = _described(spark, name)
    except AnalysisException as error:
        msg = f"there is no table {name} in the session's catalogue; name it as DATABASE.TABLE, or give its base path"
        raise InputError(msg) from error
    except Exception as error:
        # Spark asks the source for the columns of an entry that has none, and finds no such source.
        if not _NO_SOURCE.search(str(error)):
            raise
        found = _shown(spark, name)
    if not found:
        msg = f"{name} has no location in the session's catalogue, so it is not a Hudi table; give its base path"
        raise InputError(msg)
    return str(local_path(found)) if found.startswith("file:/") else found


def _described(spark: SparkSession, name: str) -> str:
    rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    # The columns come first, and one of them may be called so, too.
    details = next((at for at, row in enumerate(rows) if row["col_name"].startswith("# Detailed")), len(rows))
    return next((str(row["data_type"]) for row in rows[details:] if row["col_name"] == "Location"), "")


def _shown(spark: SparkSession, name: str) -> str:
    """Return the location that SHOW TABLE EXTENDED tells, which takes a pattern for a name."""
    parts = [plain or escaped.replace("``", "`") for escaped, plain in _PART.findall(name)]
    within = f" IN {'.'.join(map(quoted_name, parts[:-1]))}" if parts[:-1] else ""
    for row in spark.sql(f"SHOW TABLE EXTENDED{within} LIKE '{parts[-1]}'").collect():
        if row["tableName"].lower() == parts[-1].lower():
            lines = str(row["information"]).splitlines()
            return next((line.partition(": ")[2] for line in lines if line.startswith("Location: ")), "")
    return ""


def catalog_tables(spark: SparkSession, database: str) -> list[str]:
    """Return the names of the tables of a database, with the database in front.

    Raises:
        InputError: there is no such database.
    """
    parts = ".".join(map(quoted_name, database.replace("`", "").split(".")))
    try:
        rows = spark.sql(f"SHOW TABLES IN {parts}").collect()
    except AnalysisException as error:
        msg = f"there is no database {database} in the session's catalogue; SHOW DATABASES lists them"
        raise InputError(msg) from error
    return sorted(f"{database}.{quoted_name(row['tableName'])}" for row in rows if not row["isTemporary"])
