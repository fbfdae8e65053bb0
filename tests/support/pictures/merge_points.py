"""Where versions of a record meet on their way from a batch to a query, and what each release calls there."""

from __future__ import annotations

import itertools
from typing import Final

from bridge.merge import MergePoint, Rule, calls_of
from payloads import HudiRelease
from tests.support.pictures.frame import drawn

_WIDTH, _HEIGHT, _STORE = 244, 84, 44
_FIRST, _SECOND, _THIRD = 16, 288, 560
"""Where the columns begin."""
_PLACES: Final = {
    MergePoint.COMBINE_INPUT: (_SECOND, 16),
    MergePoint.TAG: (_THIRD, 16),
    MergePoint.INSERT: (_FIRST, 156),
    MergePoint.UPSERT: (_SECOND, 156),
    MergePoint.LOG_FOLD: (_THIRD, 290),
    MergePoint.COMPACT: (_SECOND, 290),
    MergePoint.SNAPSHOT: (_THIRD, 410),
}
_STORES: Final = (
    ("batch", _FIRST, 36),
    ("log file", _THIRD, 156),
    ("base file", _FIRST, 310),
    ("query", _FIRST, 430),
)
_WAYS: Final = (
    "M260 58H284",
    "M532 58H556",
    "M410 100V126H138V152",
    "M410 100V152",
    "M410 100V126H682V152",
    "M138 240V306",
    "M330 240V272H180V306",
    "M682 200V286",
    "M560 332H536",
    "M288 332H264",
    "M682 374V406",
    "M560 452H264",
    "M138 354V426",
)
_LABELS: Final = (
    (146, 144, "a new key"),
    (418, 144, "copy-on-write"),
    (690, 144, "merge-on-read"),
    (570, 117, "with a global index"),
)
_WORDS: Final = {
    Rule.PRE_COMBINE: "preCombine",
    Rule.COMBINE: "combineAndGetUpdateValue",
    Rule.INSERT_VALUE: "getInsertValue",
    Rule.DELTA: "merge mode",
    Rule.FINAL: "merge mode",
    Rule.DELETE_TEST: "delete test",
}


def merge_points() -> str:
    """Return the picture."""
    points = [
        {"name": point.value, "x": x, "y": y, "width": _WIDTH, "height": _HEIGHT, "calls": _calls(point)}
        for point, (x, y) in _PLACES.items()
    ]
    stores = [{"name": name, "x": x, "y": y, "width": _WIDTH, "height": _STORE} for name, x, y in _STORES]
    named = "; ".join(
        f"{point.value}: {', '.join(f'{words} ({releases})' for words, releases in _calls(point))}" for point in _PLACES
    )
    return drawn(
        "merge_points.svg",
        width=820,
        height=510,
        title="The seven merge points",
        description=(
            "From a batch to a query. Rows of one batch meet at combine-input; a new key passes insert; a stored key "
            "passes upsert in a copy-on-write table, and goes to the log of a merge-on-read table, whose entries meet "
            f"at log-fold, and the stored row at compact and snapshot. {named}."
        ),
        points=points,
        stores=stores,
        ways=_WAYS,
        labels=_LABELS,
    )


def _calls(point: MergePoint) -> list[tuple[str, str]]:
    """Return what is called at a merge point and in which releases, oldest first."""
    groups = itertools.groupby(HudiRelease, key=lambda release: _WORDS[calls_of(release)[point].rule])
    return [(words, _span([*group])) for words, group in groups]


def _span(releases: list[HudiRelease]) -> str:
    """Return neighbouring releases, of which the oldest or the newest is one."""
    if len(releases) == len(HudiRelease):
        return "all"
    return f"from {releases[0]}" if releases[-1] is HudiRelease.latest() else f"to {releases[-1]}"
