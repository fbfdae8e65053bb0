"""The properties that a payload or merger gets at each merge point, by release.

Recorded from the bundles by a class that writes down what it is handed (`tests/data/point_props.json`). Hudi passes
hundreds; here are those that say something of the table and the write. Not among them: paths, checksums, and
the defaults of file formats, indexes, services and metadata tables.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config import TableMergeConfig, capabilities, created_properties, keys
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_PRECOMBINE_FIELD, WRITE_PRECOMBINE_FIELD

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.plan import MergePlan


class PropsView(enum.Enum):
    """The properties that a merge point passes to the payload."""

    WRITER = "all of the writer's, and the table's"
    TABLE = "the table's"
    ORDERING = "the ordering field alone"
    NONE = "none"


class _Entry(NamedTuple):
    """A property: its value for a plan, None for none, and whether it is the writer's alone."""

    value: Callable[[MergePlan], str | None]
    is_writers: bool


def _joined(names: tuple[str, ...]) -> str | None:
    return ",".join(names) or None


def _type(plan: MergePlan) -> str:
    return "COPY_ON_WRITE" if plan.table_type.value == "cow" else "MERGE_ON_READ"


def _version(plan: MergePlan) -> str:
    named = plan.table_version if plan.table is None else plan.table.version
    return str(capabilities(plan.release).created_version if named is None else named)


def _payload(plan: MergePlan) -> str | None:
    return None if plan.payload is None else plan.payload.java_name(plan.release)


def _name(plan: MergePlan) -> str | None:
    return None if plan.table is None else plan.table.properties.get(keys.TABLE_NAME)


_ENTRIES: Final = {
    keys.WRITE_OPERATION: _Entry(lambda _plan: "upsert", is_writers=True),
    keys.WRITE_RECORD_KEY: _Entry(lambda plan: _joined(plan.key), is_writers=True),
    keys.WRITE_PARTITION: _Entry(lambda plan: _joined(plan.partition), is_writers=True),
    keys.WRITE_PAYLOAD_CLASS.key: _Entry(_payload, is_writers=True),
    keys.WRITE_TABLE_TYPE: _Entry(_type, is_writers=True),
    WRITE_PRECOMBINE_FIELD: _Entry(lambda plan: _joined(plan.ordering), is_writers=True),
    keys.TABLE_NAME: _Entry(_name, is_writers=False),
    keys.TABLE_TYPE.key: _Entry(_type, is_writers=False),
    keys.TABLE_VERSION.key: _Entry(_version, is_writers=False),
    keys.RECORD_KEY.key: _Entry(lambda plan: _joined(plan.key), is_writers=False),
    keys.PARTITION_FIELDS: _Entry(lambda plan: _joined(plan.partition), is_writers=False),
    keys.PAYLOAD_CLASS.key: _Entry(_payload, is_writers=False),
}
"""The properties, as every release passes them from its second write of a table on."""


def plan_props(plan: MergePlan, *, is_writer: bool) -> dict[str, str]:
    """Return the properties that the plan implies, and those that it names.

    A query has the table's alone: what a writer names for itself, outside Hudi's own names, it never gets.
    """
    found: dict[str, str] = {}
    for key, entry in _ENTRIES.items():
        value = entry.value(plan) if is_writer or not entry.is_writers else None
        if value is not None:
            found[key] = value
    return found | {key: value for key, value in plan.props.items() if is_writer or is_hudis(key)}


def is_hudis(key: str) -> bool:
    """Whether a key is one of Hudi's names."""
    return key.startswith("hoodie.")


def table_of(plan: MergePlan) -> TableMergeConfig:
    """Return what the table of a plan stores, or a new one would.

    Raises:
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    if plan.table is not None:
        return plan.table
    stored = created_properties(plan.writer_options(), plan.table_type, plan.release)
    return TableMergeConfig.from_properties(stored, plan.release)


def mode_props(table: TableMergeConfig) -> dict[str, str]:
    """Return merge mode and strategy of a table that stores them."""
    found = {
        keys.MERGE_MODE.key: None if table.mode is None else table.mode.value,
        keys.STRATEGY_ID.key: table.strategy,
    }
    return {key: value for key, value in found.items() if value is not None}


def props_of(view: PropsView, plan: MergePlan, ordering: str | None) -> dict[str, str]:
    """Return the properties of a view where payloads merge: `ordering` under every key by which they find it."""
    if view is PropsView.NONE:
        return {}
    if view is PropsView.ORDERING:
        return {} if ordering is None else {PAYLOAD_ORDERING_FIELD: ordering}
    found = plan_props(plan, is_writer=view is PropsView.WRITER)
    if capabilities(plan.release).merge_modes:
        found |= mode_props(table_of(plan))
    if ordering is None:
        return found
    names = (PAYLOAD_ORDERING_FIELD, WRITE_PRECOMBINE_FIELD, TABLE_PRECOMBINE_FIELD)
    return {**found, **dict.fromkeys(names, ordering)}
