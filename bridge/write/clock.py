"""The instant that Hudi's writer would give a commit now, which must come after all that a table has.

Hudi's readers order file slices and log blocks by instant, whichever was written last.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from bridge.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.hudi import TableQueries

_ORDERED_TOO: Final = frozenset({"restore", "rollback"})  # their command blocks stand among those of commits
_PATIENCE: Final = 2.0
"""The seconds by which the clocks of two machines may differ: so long a commit waits for its turn."""
_STEP: Final = 0.1


def check_clock(spark: SparkSession, opened: TableQueries) -> None:
    """Check that a commit that begins now comes after everything on the timeline of a table.

    Args:
        spark: the session that writes; not one of Spark Connect.
        opened: the table.

    Raises:
        EngineError: it does not, and won't within two seconds: its rows would be stored, and not all of them shown.
    """
    ordered = (one for one in opened.timeline.instants if one.is_commit or one.action in _ORDERED_TOO)
    last = max((moment for one in ordered for moment in (one.requested, one.completed or "")), default="")
    is_local, patience = opened.properties.timeline_is_local, time.monotonic() + _PATIENCE
    at, zone = next_instant(spark, is_local=is_local)
    while at <= last and time.monotonic() < patience:
        time.sleep(_STEP)
        at, zone = next_instant(spark, is_local=is_local)
    if at <= last:
        msg = (
            f"{opened.files.path}: a commit would get the instant {at} now (time zone {zone}), but the table has "
            f"{last}, and Hudi orders commits by their instants: its readers would not show all rows of that commit; "
            "nothing is written: correct the clock or the time zone of the driver, or wait until that time has passed"
        )
        raise EngineError(msg)


def next_instant(spark: SparkSession, *, is_local: bool) -> tuple[str, str]:
    """Return the instant that Hudi's writer would take now, and the time zone in which it names it.

    Args:
        spark: the session that writes.
        is_local: whether that is the zone of the driver's Java, as the table says; UTC otherwise.

    Source: HoodieInstantTimeGenerator.getCurrentInstantTimeStr.
    """
    times = spark._jvm.java.time  # type: ignore[union-attr]  # noqa: SLF001 (PySpark's only way to it)
    zone = times.ZoneId.systemDefault() if is_local else times.ZoneOffset.UTC
    now = times.LocalDateTime.now(zone).format(times.format.DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS"))
    return str(now), str(zone.getId()) if is_local else "UTC"
