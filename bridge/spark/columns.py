"""Columns by their literal names: a dot, a space or a backtick in a name is a character like any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

if TYPE_CHECKING:
    from pyspark.sql import Column


def quoted_name(name: str) -> str:
    """Return a name as Spark's SQL, DDL and functions take it."""
    return f"`{name.replace('`', '``')}`"


def quoted(name: str) -> Column:
    """Return the column of this name, whatever characters it has."""
    return sf.col(quoted_name(name))
