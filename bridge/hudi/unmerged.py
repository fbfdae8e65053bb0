"""Why the versions of a table can't be merged: its own settings contradict each other, or name a class of a user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import capabilities, infer, keys
from bridge.errors import PlanError
from bridge.hudi.errors import UnreadableTableError
from bridge.merge import RecordMerge
from payloads import StoredPayloadRef
from payloads.errors import PayloadConfigError

if TYPE_CHECKING:
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.slice_query import SliceQuery
    from payloads import HudiRelease
    from payloads.avro import AvroSchema


def record_merge(query: SliceQuery, schema: AvroSchema) -> RecordMerge:
    """Return what merges the versions of a query, in rows of `schema`, with meta columns.

    Raises:
        UnreadableTableError: the table's settings contradict each other or its columns, or name a class of a user.
    """
    if query.unnamed_class is not None:
        raise UnreadableTableError(query.unnamed_class)
    try:
        return RecordMerge(query.plan, schema, has_meta=True)
    except PlanError as error:
        msg = f"{query.files.path}: {error}"
        raise UnreadableTableError(msg) from error


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
        f"{path} merges with {rule.payload}, which Hudi does not ship, and a table's properties alone load no code; "
        "name a Python class that does the same (payload=, --payload package.module:Class)"
    )
