"""Merge points: where versions of a record meet, and what each Hudi release calls there.

The table below is the whole difference between releases at this level: release x merge point -> which payload
method is called, with which schema and which properties.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from bridge.errors import PlanError
from mergers import OperationMode
from payloads import HudiRelease
from payloads.extract import PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD, WRITE_PRECOMBINE_FIELD

if TYPE_CHECKING:
    from collections.abc import Mapping


class MergePoint(enum.Enum):
    """A place where Hudi merges versions of one record, or lets a single version pass."""

    COMBINE_INPUT = "combine-input"
    UPSERT = "upsert"
    INSERT = "insert"
    LOG_FOLD = "log-fold"
    COMPACT = "compact"
    SNAPSHOT = "snapshot"


class SchemaView(enum.Enum):
    """The schema that a merge point hands to the payload."""

    WRITE = "without meta columns"
    WITH_META = "with the five meta columns"


class PropsView(enum.Enum):
    """The properties that a merge point hands to the payload."""

    WRITER = "all of the writer's"
    ORDERING = "the ordering field alone"


class Call(NamedTuple):
    """What happens at a merge point: the method (None: `get_insert_value`), its schema and its properties."""

    mode: OperationMode | None
    schema: SchemaView
    props: PropsView


_PRE_COMBINE, _COMBINE = OperationMode.PRE_COMBINE, OperationMode.COMBINE
_WRITE, _WITH_META = SchemaView.WRITE, SchemaView.WITH_META
_WRITER, _ORDERING = PropsView.WRITER, PropsView.ORDERING

_CALLS: dict[HudiRelease, dict[MergePoint, Call]] = {
    # HoodieWriteHelper, HoodieMergeHandle, HoodieMergedLogRecordScanner, RecordMergingFileIterator of 0.15.0
    HudiRelease.V0_15: {
        MergePoint.COMBINE_INPUT: Call(_PRE_COMBINE, _WRITE, _WRITER),
        MergePoint.UPSERT: Call(_COMBINE, _WRITE, _WRITER),
        MergePoint.INSERT: Call(None, _WRITE, _WRITER),
        MergePoint.LOG_FOLD: Call(_PRE_COMBINE, _WITH_META, _ORDERING),
        MergePoint.COMPACT: Call(_COMBINE, _WITH_META, _WRITER),
        MergePoint.SNAPSHOT: Call(_COMBINE, _WITH_META, _ORDERING),
    },
}


def calls_of(release: HudiRelease) -> dict[MergePoint, Call]:
    """Return what `release` calls at each merge point.

    Raises:
        PlanError: the merge points of this release are not ported.
    """
    if release not in _CALLS:
        ported = ", ".join(str(known) for known in _CALLS)
        msg = (
            f"the merge points of Hudi {release} are not ported, only those of {ported}; "
            "payloads and mergers of every release can be called directly"
        )
        raise PlanError(msg)
    return _CALLS[release]


def props_of(view: PropsView, props: Mapping[str, str], ordering: str | None) -> dict[str, str]:
    """Return the properties of a view: the table's `ordering` field under every key by which a payload finds it."""
    if ordering is None:
        return dict(props) if view is PropsView.WRITER else {}
    if view is PropsView.ORDERING:
        return {PAYLOAD_ORDERING_FIELD: ordering}
    names = (PAYLOAD_ORDERING_FIELD, WRITE_PRECOMBINE_FIELD, TABLE_PRECOMBINE_FIELD)
    return {**props, **dict.fromkeys(names, ordering)}
