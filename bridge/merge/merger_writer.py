"""What a writer and an index of 1.0 call where a merger of record type SPARK merges.

Source: HoodieWriteHelper, HoodieMergeHandle, HoodieAppendHandle and HoodieIndexUtils of 1.0.2. No payload is built:
records are Spark's own rows, a delete is a row that `_hoodie_is_deleted` marks, or a key alone.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.config import capabilities
from bridge.merge.answers import came_back
from bridge.merge.carriers import StoredRow, key_of_version, with_meta_columns
from bridge.merge.index_lookup import ModeLookup
from bridge.merge.mode_writer import ModeWriter
from bridge.merge.outcome import KEEP, Outcome
from bridge.plan import TableType
from bridge.spark import with_meta
from mergers import HoodieRecordType, RecordMergeMode, resolve_merger
from payloads.api import Properties
from payloads.builtin import DELETE_FIELD, DELETE_MARKER
from payloads.released import replaced_in, replaced_text

if TYPE_CHECKING:
    from bridge.merge.buffered import Setup
    from bridge.plan import MergePlan


def merges_spark_rows(setup: Setup) -> bool:
    """Whether the merger of a plan is one of record type SPARK, so that writers call it."""
    rule, merger = setup.config.read, setup.plan.merger
    if rule.mode is not RecordMergeMode.CUSTOM or rule.payload is not None or merger is None:
        return False
    return resolve_merger(merger).record_type is HoodieRecordType.SPARK


def merger_warnings(*plans: MergePlan) -> list[str]:
    """Return the warnings about the classes of plans.

    They are for a merger of AVRO records, which Hudi on Spark does not call somewhere, and for a jar that has changed
    classes of Hudi.
    """
    found = (one for plan in plans for one in (_warning(plan), _of_jar(plan)))
    return list(dict.fromkeys(one for one in found if one is not None))


def _of_jar(plan: MergePlan) -> str | None:
    named = plan.payload or plan.merger
    if named is None or not plan.runs_java:
        return None
    replaced = {Path(jar).name: found for jar in named.jars if (found := replaced_in(jar))}
    return "; ".join(replaced_text(named.name, jar, found) for jar, found in replaced.items()) or None


def _warning(plan: MergePlan) -> str | None:
    merger, can = plan.merger, capabilities(plan.release)
    if merger is None or plan.mode is not None or not can.merge_modes:
        return None
    if not merger.is_compiled and resolve_merger(merger).record_type is HoodieRecordType.SPARK:
        return None
    if not can.payload_writer:
        if plan.table_type is TableType.COPY_ON_WRITE:
            return None
        return (
            f"writers of Hudi {plan.release} on Spark call {plan.payload_name}, which merges AVRO records, but a query "
            "of a merge-on-read table fails where there are log files (No valid spark merger implementation set); give "
            "the merger the record type SPARK"
        )
    return (
        f"Hudi {plan.release} on Spark does not call {plan.payload_name}, which merges AVRO records: its writers merge "
        "by the payload class, and a query of a merge-on-read table fails where there are log files (No valid spark "
        "merger implementation set); give the merger the record type SPARK"
    )


def _as_it_reads(setup: Setup) -> Setup:
    """Return a setup whose writer merges by the rule of the reader, and knows no delete marker of the user's."""
    rule, plan = setup.config.read, setup.plan
    props = {name: value for name, value in plan.props.items() if name not in {DELETE_FIELD, DELETE_MARKER}}
    config = dataclasses.replace(setup.config, dedup=rule, merge=rule, merge_properties=Properties())
    return setup._replace(config=config, plan=dataclasses.replace(plan, props=props))


class MergerWriter(ModeWriter):
    """The calls of a writer: the merger decides in a batch and over a stored row, deletes included."""

    def __init__(self, setup: Setup) -> None:
        """Bind the writer's calls; errors as in `ModeWriter`."""
        super().__init__(_as_it_reads(setup))
        self._stored_schema = with_meta(self.schema)

    def fold_uncombined(self, older: StoredRow, newer: StoredRow) -> StoredRow:  # noqa: ARG002 (an interface)
        """Return which of two versions of an uncombined batch is merged with the stored row: the map keeps the last."""
        return newer

    def upsert(self, base: StoredRow, version: StoredRow) -> Outcome[StoredRow]:
        """Merge with the stored row, which has the meta columns: KEEP, UPDATE or DELETE."""
        shaped = StoredRow(base.key, with_meta_columns(base.record), self._stored_schema, base.source)
        outcome = super().upsert(shaped, version)
        return Outcome(KEEP, base) if outcome.action is KEEP else outcome


class MergerLookup(ModeLookup):
    """The calls of a global index: a delete goes to the row that is there, all else is merged with it."""

    def __init__(self, setup: Setup) -> None:
        """Bind the calls."""
        super().__init__(_as_it_reads(setup), HoodieRecordType.SPARK)
        self._found_schema = with_meta(self.schema)
        self._on_read = setup.plan.table_type is TableType.MERGE_ON_READ

    def merges(self, version: StoredRow, path: str) -> bool:
        """Whether the index merges `version` with the row that it found in the partition `path`."""
        return self._moves and (self._on_read or key_of_version(version).partition_path != path)

    def merged(self, found: StoredRow, path: str, version: StoredRow) -> StoredRow | None:
        """Return the merged version, its partition in its key; None if the incoming one goes to the old one."""
        if version.marked_delete:
            return None
        shaped = StoredRow(found.key, with_meta_columns(found.record), self._found_schema, found.source)
        row = super().merged(shaped, path, version)
        if row is None or came_back(row.record, version.record):
            return row
        written = {name: row.record.get(name) for name in self.schema.by_name}
        return StoredRow(row.key, written, self.schema, row.source, None, row.ordering_value)
