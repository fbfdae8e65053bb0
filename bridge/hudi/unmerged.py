"""Why the versions of a table can't be merged: its own settings contradict each other, or name a class of a user."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.config import capabilities, infer, keys
from bridge.errors import PlanError
from bridge.hudi.errors import UnreadableTableError
from bridge.merge import PartialMerge, RecordMerge
from mergers import RecordMergeMode
from payloads import StoredPayloadRef
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.slice_query import SliceQuery
    from bridge.merge import Listener
    from bridge.plan import MergePlan
    from payloads import HudiRelease
    from payloads.avro import AvroSchema


def record_merge(query: SliceQuery, schema: AvroSchema, listener: Listener | None = None) -> RecordMerge:
    """Return what merges the versions of a query, in rows of `schema`, with meta columns; `listener` is told of calls.

    Raises:
        UnreadableTableError: the table's settings contradict each other or its columns, or name a class of a user.
    """
    if query.unnamed_class is not None:
        raise UnreadableTableError(query.unnamed_class)
    try:
        return RecordMerge(ordered_plan(query, schema), schema, has_meta=True, listener=listener)
    except PlanError as error:
        msg = f"{query.files.path}: {error}"
        raise UnreadableTableError(msg) from error


def ordered_plan(query: SliceQuery, schema: AvroSchema) -> MergePlan:
    """Return the plan; from 1.1 on a class is asked without ordering values where no column has the ordering field.

    Source: RecordContext.getOrderingValue; only modes need the column (getMandatoryFieldsForMerging).
    """
    plan, can = query.plan, capabilities(query.plan.release)
    if plan.table is None or not can.file_group_reader or can.payload_writer:
        return plan
    rule = query.properties.config(plan.release)
    if rule.read.mode is not RecordMergeMode.CUSTOM or all(name in schema.by_name for name in rule.ordering):
        return plan
    return dataclasses.replace(plan, ordering=(), table=dataclasses.replace(plan.table, ordering=()))


def why_unmerged(path: str, properties: TableProperties, release: HudiRelease) -> str | None:
    """Return why a release can't merge versions by the settings that a table stores; None if it can."""
    stored = properties.merge
    try:
        rule = properties.config(release).read
        if capabilities(release).file_group_reader and not capabilities(release, stored.version).payload_successors:
            # Source: FileGroupReaderSchemaHandler.getMandatoryFieldsForMerging.
            infer(stored.settings, stored.ordering, stored.version, release)
    except PayloadConfigError as error:
        return f"{path}: {error}"
    if capabilities(release, stored.version).stored_modes and stored.mode is None:
        # Source: HoodieReaderContext.initRecordMerger, which asks such tables for their mode.
        return f"{path}: the table stores no {keys.MERGE_MODE.key}, without which Hudi merges nothing; restore it"
    if not capabilities(release).merge_modes and stored.payload is None and properties.may_have_logs:
        # Source: HoodieTableState.recordPayloadClassName, which has no default.
        lacking = f"the table stores no {keys.PAYLOAD_CLASS.key}, without which Hudi {release} reads no log"
        return f"{path}: {lacking}; restore it"
    if rule.payload is None or StoredPayloadRef(rule.payload).is_builtin:
        return None
    return (
        f"{path} merges with {rule.payload}, which Hudi does not ship, and the properties of a table never load code; "
        f"name it with its jar (--payload {rule.payload} --jar FILE, in Python payload=PayloadRef(NAME, jar=FILE)), "
        "or a Python class that does the same (--payload package.module:Class)"
    )


def partial_merge(plan: MergePlan, schema: AvroSchema) -> PartialMerge:
    """Return what merges a log with partial rows.

    Raises:
        UnreadableTableError: the release does not merge them in the table's mode.
    """
    try:
        return PartialMerge(plan, schema)
    except PlanError as error:
        raise UnreadableTableError(str(error)) from error
