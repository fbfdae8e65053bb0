"""The table that `inspect` and `plan_migration` are about: its properties, and its rows where there are any."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from bridge.config import TABLE_VERSION, created_by_sql, read_properties, read_table
from bridge.errors import ParameterError
from bridge.hudi import TableQueries
from bridge.migration.damage import MOST_SLICES
from bridge.migration.damage_search import find_damage
from bridge.plan import CALL_TIMEOUT
from bridge.spark import is_local, local_path, session_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from bridge.migration.damage import TableDamage
    from payloads import HudiRelease, PayloadRef

TableLike: TypeAlias = "str | os.PathLike[str] | Mapping[str, str]"
"""A table's base path, local or a URI; a properties file; or what a table stores."""


class ReadOptions(NamedTuple):
    """How much of a table's rows is read, and what that needs.

    Attributes:
        slices: how many file slices are read at most; None for all, 0 for none.
        payload: the class that merges a table whose own class Hudi does not ship.
        bootstrap: the folder of bootstrapped source files, if they have moved.
        call_timeout: how many seconds a call of the class may take.
        session: returns the session that reads rows; None: the active one, else a local one is started.
    """

    slices: int | None = MOST_SLICES
    payload: str | PayloadRef | None = None
    bootstrap: str | None = None
    call_timeout: int = CALL_TIMEOUT
    session: Callable[[], SparkSession] | None = None


def stored_in(table: TableLike, release: HudiRelease) -> dict[str, str]:
    """Return what a table stores; a properties file without a version has the TBLPROPERTIES of a new table.

    Raises:
        PayloadConfigError, HudiTableError: it is not a table, or a property can't be read.
        MergeConfigError: the properties of the new table contradict each other.
    """
    if isinstance(table, Mapping):
        return dict(table)
    location = os.fspath(table)
    if not is_local(location):
        return dict(TableQueries(location).properties.stored)
    path = local_path(location)
    if path.is_file():
        properties = read_properties(path)
        if TABLE_VERSION.key not in properties:
            return created_by_sql(properties, release)
    return read_table(path)


def has_files(table: TableLike) -> bool:
    """Whether there is more than properties, so that rows may be read."""
    if isinstance(table, Mapping):
        return False
    path = os.fspath(table)
    return not (is_local(path) and local_path(path).is_file())


def check_reads(table: TableLike, looks: ReadOptions) -> None:
    """Refuse what is for rows where there are properties alone.

    Raises:
        ParameterError: naming the parameter.
    """
    if has_files(table):
        return
    of_rows = {
        "slices": looks.slices not in {0, MOST_SLICES},
        "payload": looks.payload is not None,
        "bootstrap": looks.bootstrap is not None,
    }
    if given := next((name for name, is_given in of_rows.items() if is_given), None):
        msg = f"`{given}` is for rows, but a table's properties have none; name its base path, or leave it out"
        raise ParameterError(msg)


def damage_in(table: TableLike, looks: ReadOptions, to: HudiRelease | None = None) -> TableDamage | None:
    """Return what is visible in the files of a table, as `find_damage`; None where there are properties alone."""
    if isinstance(table, Mapping) or not has_files(table):
        return None
    session = None if looks.slices == 0 else looks.session or session_of
    given: dict[str, Any] = {"bootstrap": looks.bootstrap, "call_timeout": looks.call_timeout}
    return find_damage(os.fspath(table), session, most=looks.slices, payload=looks.payload, to=to, **given)
