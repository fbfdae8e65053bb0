"""Merge points: where versions of a record are merged, and what each Hudi release calls there.

The table below holds all that differs between releases at this level: release x merge point -> which payload
method is called, with which schema and which properties.
"""

from __future__ import annotations

import enum
from typing import NamedTuple

from bridge.merge.point_props import PropsView
from mergers import HoodieRecordType, OperationMode
from payloads import HudiRelease


class MergePoint(enum.Enum):
    """A place where Hudi merges versions of one record, or handles a single version."""

    COMBINE_INPUT = "combine-input"
    TAG = "index-lookup"
    UPSERT = "upsert"
    INSERT = "insert"
    LOG_FOLD = "log-fold"
    COMPACT = "compact"
    SNAPSHOT = "snapshot"


class SchemaView(enum.Enum):
    """The schema of the records at a merge point, which it passes to the payload."""

    WRITE = "without meta columns"
    WITH_META = "with the five meta columns"


class Rule(enum.Enum):
    """What decides at a merge point."""

    PRE_COMBINE = "payload: pre_combine"
    COMBINE = "payload: combine_and_get_update_value"
    INSERT_VALUE = "payload: get_insert_value"
    DELTA = "merge mode: delta merge"
    FINAL = "merge mode: final merge"
    DELETE_TEST = "delete test of the row"
    COMPARISON = "comparison of ordering values"


class Call(NamedTuple):
    """What happens at a merge point: what decides, with which schema and properties, on rows of which engine.

    Until 0.12 `pre_combine` gets no schema: `passes_schema` is False.

    In mode CUSTOM with a payload a delta or final merge calls the payload: in the batch `pre_combine`, else `combine`.
    """

    rule: Rule
    schema: SchemaView
    props: PropsView
    rows: HoodieRecordType = HoodieRecordType.AVRO
    passes_schema: bool = True

    @property
    def mode(self) -> OperationMode | None:
        """The payload method that is called, where one is by name."""
        return _MODES.get(self.rule)


_MODES = {Rule.PRE_COMBINE: OperationMode.PRE_COMBINE, Rule.COMBINE: OperationMode.COMBINE}
_WRITE, _WITH_META = SchemaView.WRITE, SchemaView.WITH_META
_WRITER, _ORDERING = PropsView.WRITER, PropsView.ORDERING
_SPARK = HoodieRecordType.SPARK

# Writers until 1.0: HoodieWriteHelper, HoodieIndexUtils, HoodieMergeHandle.
_PAYLOAD_WRITER = {
    MergePoint.COMBINE_INPUT: Call(Rule.PRE_COMBINE, _WRITE, _WRITER),
    MergePoint.TAG: Call(Rule.COMBINE, _WITH_META, _WRITER),
    MergePoint.UPSERT: Call(Rule.COMBINE, _WRITE, _WRITER),
    MergePoint.INSERT: Call(Rule.INSERT_VALUE, _WRITE, _WRITER),
}
# Writers from 1.1 on: BaseWriteHelper, HoodieIndexUtils, FileGroupReaderBasedMergeHandle.
_MODE_WRITER = {
    MergePoint.COMBINE_INPUT: Call(Rule.DELTA, _WRITE, _WRITER),
    MergePoint.TAG: Call(Rule.FINAL, _WRITE, _WRITER),
    MergePoint.UPSERT: Call(Rule.FINAL, _WRITE, _WRITER),
    MergePoint.INSERT: Call(Rule.DELETE_TEST, _WRITE, _WRITER),
}
# Readers and compaction of 0.15: HoodieMergedLogRecordScanner, RecordMergingFileIterator, HoodieMergeHandle.
LOG_SCANNER = {
    MergePoint.LOG_FOLD: Call(Rule.PRE_COMBINE, _WITH_META, _ORDERING),
    MergePoint.COMPACT: Call(Rule.COMBINE, _WITH_META, _WRITER),
    MergePoint.SNAPSHOT: Call(Rule.COMBINE, _WITH_META, _ORDERING),
}
# Readers and compaction from 1.0 on: HoodieFileGroupReader. Meta columns count in mode CUSTOM alone. A query has the
# table's properties where it folds the log, too.
_FILE_GROUP_READER = {
    MergePoint.LOG_FOLD: Call(Rule.DELTA, _WITH_META, _WRITER, _SPARK),
    MergePoint.COMPACT: Call(Rule.FINAL, _WITH_META, _WRITER, _SPARK),
    MergePoint.SNAPSHOT: Call(Rule.FINAL, _WITH_META, PropsView.TABLE, _SPARK),
}

# 0.12: HoodieWriteHelper calls preCombine(older, empty properties), HoodieMergedLogRecordScanner preCombine(older).
_PLAIN_PRE_COMBINE = {
    MergePoint.COMBINE_INPUT: Call(Rule.PRE_COMBINE, _WRITE, PropsView.NONE, passes_schema=False),
    MergePoint.LOG_FOLD: Call(Rule.PRE_COMBINE, _WITH_META, PropsView.NONE, passes_schema=False),
}

_CALLS: dict[HudiRelease, dict[MergePoint, Call]] = {
    HudiRelease.V0_12: {**_PAYLOAD_WRITER, **LOG_SCANNER, **_PLAIN_PRE_COMBINE},
    HudiRelease.V0_13: {**_PAYLOAD_WRITER, **LOG_SCANNER},
    HudiRelease.V0_14: {**_PAYLOAD_WRITER, **LOG_SCANNER},
    HudiRelease.V0_15: {**_PAYLOAD_WRITER, **LOG_SCANNER},
    HudiRelease.V1_0: {**_PAYLOAD_WRITER, **_FILE_GROUP_READER},
    HudiRelease.V1_1: {**_MODE_WRITER, **_FILE_GROUP_READER},
    HudiRelease.V1_2: {**_MODE_WRITER, **_FILE_GROUP_READER},
    HudiRelease.V1_3: {**_MODE_WRITER, **_FILE_GROUP_READER},  # a preview: what surrounds its merges is that of 1.2
}


def calls_of(release: HudiRelease) -> dict[MergePoint, Call]:
    """Return what `release` calls at each merge point."""
    return _CALLS[release]
