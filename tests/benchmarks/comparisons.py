"""What the goals compare besides the window: ours with the best query written by hand, and with the peers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.cases import FEW, NATIVE, QUERIES, SCANS, WRITTEN
from tests.benchmarks.peers import DELTA, SNAPSHOT, UPSERT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Comparison(NamedTuple):
    """The time of one case over that of another.

    Attributes:
        text: which two, and what is unlike about them.
        ratio: the first over the second.
        goal: the most that it may be; None without one.
    """

    text: str
    ratio: float
    goal: float | None


_FILES_ALONE = " (ours writes files: no table, index or commit)"
_READS = (
    "snapshot, event time 1.2, native",
    "snapshot, Default 0.15, native",
    "snapshot, Default 0.15",
    "snapshot, NonDefaults 1.2",
)


def comparisons(seconds: Mapping[str, float]) -> Iterator[Comparison]:
    """Give those whose cases were run."""
    pairs: list[tuple[str, str, float | None]] = []
    if seconds.keys() >= set(QUERIES):
        best = min(QUERIES, key=seconds.__getitem__)
        pairs += [(name, best, 1.1) for name in NATIVE]
    hudi = [UPSERT.format(kind, "event time") for kind in ("cow", "mor")]
    pairs += [(ours, peer, 0.5) for ours in WRITTEN for peer in (DELTA, *hudi)]
    pairs += [(ours, SNAPSHOT.format("event time"), 1.0) for ours in _READS[:-1]]
    # Under 1.2 the class is a mode: IGNORE_DEFAULTS by commit time.
    pairs += [(_READS[-1], SNAPSHOT.format("NonDefaults by merge mode"), 1.0)]
    # RFC-46's own claim: what it saves to merge without records of Avro.
    pairs += [(SNAPSHOT.format("NonDefaults by merge mode"), SNAPSHOT.format("NonDefaults by Avro payload"), None)]
    if seconds.keys() >= {FEW, *SCANS}:
        yield Comparison(f"{FEW} / {' and '.join(SCANS)}", seconds[FEW] / sum(seconds[name] for name in SCANS), 1.2)
    for one, other, goal in pairs:
        if one in seconds and other in seconds:
            unlike = _FILES_ALONE if one in WRITTEN else ""
            yield Comparison(f"{one} / {other}{unlike}", seconds[one] / seconds[other], goal)
