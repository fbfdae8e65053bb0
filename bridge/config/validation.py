"""What Hudi checks when a writer opens an existing table: options that conflict with what the table stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.capabilities import capabilities
from bridge.config.entry import first_given
from bridge.config.keys import (
    LEGACY_PAYLOAD_CLASS,
    MERGE_MODE,
    MERGE_PROPERTY_PREFIX,
    ORDERING_FIELDS,
    PAYLOAD_CLASS,
    WRITE_MERGE_MODE,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_STRATEGY_ID,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.succession import DEFAULT, OVERWRITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bridge.config.stored import TableMergeConfig
    from payloads.release import HudiRelease

_TOLERATED: Final = frozenset(
    {
        "org.apache.spark.sql.hudi.command.payload.ExpressionPayload",
        "org.apache.spark.sql.hudi.command.ValidateDuplicateKeyPayload",
    }
)


class Conflict(NamedTuple):
    """An option of a writer that differs from what the table stores."""

    key: str
    passed: str
    stored: str


def check_writer(table: TableMergeConfig, writer: Mapping[str, str], release: HudiRelease) -> None:
    """Reject options that conflict with the table, as Spark's writer does for an existing table.

    Raises:
        MergeConfigError: naming every option, the passed and the stored value.
    """
    conflicts = conflicts_of(table, writer, release)
    if conflicts:
        raise MergeConfigError.from_conflicts(conflicts)


def conflicts_of(table: TableMergeConfig, writer: Mapping[str, str], release: HudiRelease) -> tuple[Conflict, ...]:
    """Return the options of a writer that conflict with the table.

    The check sees the table as it is before an upgrade that the same write performs.
    """
    return tuple(_conflicts(table, writer, release))


def _conflicts(table: TableMergeConfig, writer: Mapping[str, str], release: HudiRelease) -> Iterator[Conflict]:
    can = capabilities(release, table.version)
    payload = first_given(writer, release, WRITE_PAYLOAD_CLASS)
    if payload and table.payload and payload != table.payload and not _is_tolerated(payload, table, release):
        yield Conflict(WRITE_PAYLOAD_CLASS.key, payload, table.payload)
    mode = first_given(writer, release, WRITE_MERGE_MODE)
    if mode and table.mode and mode is not table.mode:
        yield Conflict(WRITE_MERGE_MODE.key, mode.name, table.mode.name)
    strategy = first_given(writer, release, WRITE_STRATEGY_ID)
    if strategy and strategy != table.strategy and (table.strategy or can.payload_successors):
        yield Conflict(WRITE_STRATEGY_ID.key, strategy, table.strategy or "none")
    if can.merge_properties and can.payload_successors:
        yield from _conflicts_of_table_keys(table, writer, release)
    ordering = first_given(writer, release, WRITE_PRECOMBINE)
    if ordering and table.ordering and ordering != table.ordering:
        name = ORDERING_FIELDS.key if can.several_ordering_fields else WRITE_PRECOMBINE.key
        yield Conflict(name, ",".join(ordering), ",".join(table.ordering))


def _conflicts_of_table_keys(
    table: TableMergeConfig, writer: Mapping[str, str], release: HudiRelease
) -> Iterator[Conflict]:
    """Yield the table's own keys that a writer passes with another value: from 1.1 on, in tables of version 9."""
    for entry, stored in (
        (PAYLOAD_CLASS, table.payload or table.legacy_payload),
        (LEGACY_PAYLOAD_CLASS, table.legacy_payload),
        (MERGE_MODE, None if table.mode is None else table.mode.name),
    ):
        passed = first_given(writer, release, entry)
        text = getattr(passed, "name", passed)
        if text and stored and text != stored:
            yield Conflict(entry.key, text, stored)
    for key, stored in table.properties.items():
        is_own = key.startswith(MERGE_PROPERTY_PREFIX) or key == ORDERING_FIELDS.key
        if is_own and writer.get(key, stored) != stored:
            yield Conflict(key, writer[key], stored)


def _is_tolerated(payload: str, table: TableMergeConfig, release: HudiRelease) -> bool:
    """Whether Hudi accepts a class other than the stored one.

    A version 8 table that an upgrade made stores Default for OverwriteWithLatest with an ordering field.
    """
    if payload in _TOLERATED:
        return True
    now, initially = capabilities(release, table.version), capabilities(release, table.initial_version)
    was_upgraded = now.stored_modes and not now.payload_successors and not initially.stored_modes
    return was_upgraded and payload == OVERWRITE and table.payload == DEFAULT
