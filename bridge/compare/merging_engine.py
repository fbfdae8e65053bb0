"""The check that an engine merges a table where tasks merge what they read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import ParameterError
from bridge.hudi import ON_FRAMES

if TYPE_CHECKING:
    from collections.abc import Collection

    from bridge.hudi import HudiTable


def check_in_tasks(table: HudiTable, what: str, engines: Collection[str] = ON_FRAMES) -> None:
    """Refuse a table that was opened for an engine that merges its snapshots alone.

    Raises:
        ParameterError: `what` does not merge by one of these engines.
    """
    engine = table.queries().plan.engine
    if engine in engines:
        msg = f"{table.path}: {what} does not merge by the {engine} engine; open the table without `engine`"
        raise ParameterError(msg)
