"""Replays of the same batches on tables of several types, as one result."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from bridge.compare.grade import overall
from bridge.compare.replay_report import ReplayReport, report_replays
from bridge.compare.replay_verdict import joint_verdict
from bridge.report import Judged, Listing, Report, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class TableTypesReplay(Judged, Listing):
    """The result of `replay` with `table_types`. Spark keeps the differences until `close`.

    Attributes:
        parts: one replay a table type.

    Added in 0.2.0.
    """

    parts: tuple[ReplayReport, ...]

    @property
    def severities(self) -> frozenset[Severity]:
        """What is found on any table type."""
        return frozenset(one for part in self.parts for one in part.severities)

    @property
    def verdict(self) -> str:
        """The result in a sentence or two."""
        return joint_verdict(self.parts, overall(part.grade for part in self.parts))

    @property
    def differing_keys(self) -> DataFrame | None:
        """As `ReplayReport.differing_keys`, of all table types; None if the right side is refused on all."""
        return _joined(part.differing_keys for part in self.parts)

    @property
    def quarantine(self) -> DataFrame | None:
        """As `ReplayReport.quarantine`, of all table types."""
        return _joined(part.quarantine for part in self.parts)

    def to_report(self, sample: int | None = None, *, whole: bool = True) -> Report:
        """Return the report of the command line, as `ReplayReport.to_report`."""
        return report_replays(self.parts, sample, whole=whole)

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        for part in self.parts:
            part.close()


def _joined(frames: Iterable[DataFrame | None]) -> DataFrame | None:
    found = [one for one in frames if one is not None]
    return functools.reduce(lambda left, right: left.unionByName(right), found) if found else None
