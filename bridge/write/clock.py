"""The instant that Hudi's writer would give a commit now, which must come after all that a table has.

Hudi's readers order file slices and log blocks by instant, whichever was written last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.errors import EngineError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from bridge.hudi import TableQueries


def check_clock(spark: SparkSession, opened: TableQueries) -> None:
    """Check that a commit that begins now comes after everything on the timeline of a table.

    Args:
        spark: the session that writes; not one of Spark Connect.
        opened: the table.

    Raises:
        EngineError: it does not, so that its rows would be stored and not shown.
    """
    at, zone = next_instant(spark, is_local=opened.properties.timeline_is_local)
    instants = opened.timeline.instants
    last = max((time for one in instants for time in (one.requested, one.completed or "")), default="")
    if at <= last:
        msg = (
            f"{opened.files.path}: a commit would get the instant {at} now (time zone {zone}), but the table has "
            f"{last}, and Hudi orders commits by their instants: its readers would not show the rows of that commit; "
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
