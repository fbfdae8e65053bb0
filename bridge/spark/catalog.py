"""Tables of the session's catalogue: where their files are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.errors import AnalysisException

from bridge.errors import InputError
from bridge.spark.columns import quoted_name

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def catalog_location(spark: SparkSession, name: str) -> str:
    """Return the folder of a table, named as `table`, `database.table` or `catalogue.database.table`.

    The table's format need not be on the class path.

    Raises:
        InputError: there is no such table, or it has no folder.
    """
    try:
        rows = spark.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
    except AnalysisException as error:
        msg = f"there is no table {name} in the session's catalogue; name it as DATABASE.TABLE, or give its base path"
        raise InputError(msg) from error
    # The columns come first, and one of them may be called so, too.
    details = next((at for at, row in enumerate(rows) if row["col_name"].startswith("# Detailed")), len(rows))
    found = next((str(row["data_type"]) for row in rows[details:] if row["col_name"] == "Location"), "")
    if not found:
        msg = f"{name} has no location in the session's catalogue, so it is not a Hudi table; give its base path"
        raise InputError(msg)
    return found.removeprefix("file:") if found.startswith("file:/") else found


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
