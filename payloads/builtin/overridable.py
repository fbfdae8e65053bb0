"""The methods of Hudi's payload classes that a subclass may override, by release, and how the ports call them.

Source: the members of the classes in the released jars of 0.12.3, 0.13.1, 0.14.0, 0.15.0, 1.0.2, 1.1.1 and 1.2.0, and
who calls them there.
"""

from __future__ import annotations

from typing import NamedTuple

from payloads.release import HudiRelease, releases


class Overridable(NamedTuple):
    """A method of Hudi's payload classes that a subclass may override: one overload.

    Attributes:
        java_name: its name in Java.
        name: its name in Python.
        parameters: what it takes.
        owner: the class that declares it.
        slot: the attribute by which Hudi's classes call it; None if only merge points do, or nothing does.
        shipped: the releases that have it.
        note: what a subclass should know where nothing calls it.
    """

    java_name: str
    name: str
    parameters: tuple[str, ...]
    owner: str
    slot: str | None = None
    shipped: tuple[HudiRelease, ...] = releases()
    note: str = ""

    @property
    def signature(self) -> str:
        """The method as Java's documentation would write it, without types."""
        return f"{self.java_name}({', '.join(self.parameters)})"

    def is_in(self, release: HudiRelease) -> bool:
        """Whether a release has it."""
        return release in self.shipped


_BASE, _LATEST, _DEFAULT = "BaseAvroPayload", "OverwriteWithLatestAvroPayload", "DefaultHoodieRecordPayload"
_FILLING, _PARTIAL = "OverwriteNonDefaultsWithLatestAvroPayload", "PartialUpdateAvroPayload"
_DEBEZIUM, _INTERFACE = "AbstractDebeziumAvroPayload", "HoodieRecordPayload"
_V13, _V14, _V1_0, _V1_1, _V1_2 = (releases(since=line) for line in ("0.13", "0.14", "1.0", "1.1", "1.2"))
_NOT_SERIALISED = "objects are not serialised with Kryo here"

HOOKS = (
    Overridable("isDeleteRecord", "is_delete_record", ("record",), _BASE, "_java_is_delete_record"),
    Overridable("isDeleteRecord", "is_delete_record", ("record", "properties"), _DEFAULT, "_java_is_delete_by", _V14),
    Overridable(
        "needUpdatingPersistedRecord",
        "need_updating_persisted_record",
        ("currentValue", "incomingRecord", "properties"),
        _DEFAULT,
        "_java_need_updating",
    ),
    Overridable(
        "compareOrderingVal",
        "compare_ordering_val",
        ("oldVal", "newVal", "updateOnSame"),
        _DEFAULT,
        "_java_compare",
        _V1_2,
    ),
    Overridable("overwriteField", "overwrite_field", ("value", "defaultValue"), _FILLING, "_java_overwrite_field"),
    Overridable(
        "mergeRecords", "merge_records", ("schema", "baseRecord", "mergedRecord"), _FILLING, "_java_merge_records", _V13
    ),
    Overridable(
        "setField", "set_field", ("baseRecord", "mergedRecord", "builder", "field"), _FILLING, "_java_set_field", _V13
    ),
    Overridable(
        "mergeDisorderRecordsWithMetadata",
        "merge_disorder_records_with_metadata",
        ("schema", "oldRecord", "updatingRecord", "isPreCombining"),
        _PARTIAL,
        "_java_merge_disorder",
        _V13,
    ),
    Overridable(
        "getInsertValue", "get_insert_value", ("schema", "isPreCombining"), _PARTIAL, "_java_insert_while_merging", _V13
    ),
    Overridable("getInsertValue", "get_insert_value", ("schema",), _INTERFACE, "_java_insert"),
    Overridable(
        "shouldPickCurrentRecord",
        "should_pick_current_record",
        ("currentRecord", "insertRecord", "schema"),
        _DEBEZIUM,
        "_java_picks_current",
    ),
    Overridable("getRecord", "get_record", ("schema",), _BASE, "_java_read", _V1_1),
    Overridable("isEmptyRecord", "is_empty_record", (), _BASE, "_java_is_empty", _V1_1),
    Overridable(
        "getRecordBytes", "get_record_bytes", (), _BASE, None, _V1_0, note="records are not kept as bytes here"
    ),
    Overridable(
        "getOrderingVal", "get_ordering_val", (), _BASE, None, _V13, note=("getOrderingValue() is called instead")
    ),
    Overridable("write", "write", ("kryo", "output"), _BASE, None, _V1_1, note=_NOT_SERIALISED),
    Overridable("read", "read", ("kryo", "input"), _BASE, None, _V1_1, note=_NOT_SERIALISED),
)
"""The methods that Hudi's classes call on themselves, and those that a subclass overrides to no effect here."""

INTERFACE_METHODS = (
    Overridable("preCombine", "pre_combine", ("older", "schema", "props"), _INTERFACE),
    Overridable("combineAndGetUpdateValue", "combine_and_get_update_value", ("current", "schema", "props"), _INTERFACE),
    Overridable("getInsertValue", "get_insert_value", ("schema", "props"), _INTERFACE),
    Overridable("getIndexedRecord", "get_indexed_record", ("schema", "props"), _INTERFACE, shipped=_V1_1),
    Overridable("isDeleted", "is_deleted", ("schema", "props"), _BASE, shipped=_V13),
    Overridable("canProduceSentinel", "can_produce_sentinel", (), _BASE, shipped=_V13),
    Overridable("getMetadata", "get_metadata", (), _INTERFACE),
    Overridable("getOrderingValue", "get_ordering_value", (), _INTERFACE),
)
"""The methods that merge points call, with all that they take."""

KNOWN = (*HOOKS, *INTERFACE_METHODS)
SPELLED = {known.name: known.java_name for known in KNOWN} | {
    # Fields of Java that a subclass reads, and methods that only users call.
    "ordering_val": "orderingVal",
    "is_deleted_record": "isDeletedRecord",
    "record_bytes": "recordBytes",
    "get_row_key": "getRowKey",
    "get_partition_path": "getPartitionPath",
}
"""Names in Python and in Java."""
