"""What Hudi checks when a writer opens an existing table: options that conflict with what the table stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.config.capabilities import capabilities
from bridge.config.entry import first_given
from bridge.config.keys import (
    BASE_FILE_FORMAT,
    KEYGEN_CLASS,
    KEYGEN_TYPE,
    PARTITION_FIELDS,
    PAYLOAD_CLASS,
    RECORD_KEY,
    TIMELINE_LAYOUT,
    WRITE_KEYGEN_CLASS,
    WRITE_MERGE_MODE,
    WRITE_PARTITION,
    WRITE_PAYLOAD_CLASS,
    WRITE_PRECOMBINE,
    WRITE_RECORD_KEY,
    WRITE_STRATEGY_ID,
)
from bridge.config.refusals import MergeConfigError
from bridge.config.succession import DEFAULT
from payloads.release import ByRelease

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
_CHECKS_PARTITION: Final = ByRelease(first=False, since={"0.13": True})
_REFUSES_FIRST_KEY: Final = ByRelease(first=False, since={"0.14": True})
"""Whether a write is refused that names a record key where the table stores none."""
_KNOWS_TYPES: Final = ByRelease(first=False, since={"0.15": True})
"""Whether the check of partitions knows that CustomKeyGenerator writes types after the columns."""
_GENERATOR_PACKAGE: Final = "org.apache.hudi.keygen."
_GENERATORS: Final = {
    "SIMPLE": "SimpleKeyGenerator",
    "COMPLEX": "ComplexKeyGenerator",
    "TIMESTAMP": "TimestampBasedKeyGenerator",
    "CUSTOM": "CustomKeyGenerator",
    "NON_PARTITION": "NonpartitionedKeyGenerator",
    "GLOBAL_DELETE": "GlobalDeleteKeyGenerator",
}
"""The key generators by the type that tables store from 1.0 on (KeyGeneratorType)."""


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
    yield from _conflicts_of_table_keys(table, writer)
    ordering = WRITE_PRECOMBINE.find(writer, release)
    if ordering and table.ordering and ordering.text != ",".join(table.ordering):
        yield Conflict(ordering.key, ordering.text, ",".join(table.ordering))
    yield from _conflicts_of_layout(table.properties, writer, release)


def _conflicts_of_layout(
    stored: Mapping[str, str], writer: Mapping[str, str], release: HudiRelease
) -> Iterator[Conflict]:
    """Yield the options that name other keys, partitions or folders than the table has."""
    key, stored_key = writer.get(WRITE_RECORD_KEY), stored.get(RECORD_KEY.key)
    if key is not None and stored_key is not None and key != stored_key:
        yield Conflict(WRITE_RECORD_KEY, key, stored_key)
    if key and stored_key is None and _REFUSES_FIRST_KEY.at(release) and TIMELINE_LAYOUT in stored:
        yield Conflict(WRITE_RECORD_KEY, key, "none")
    generator, stored_generator = writer.get(WRITE_KEYGEN_CLASS), key_generator(stored)
    if generator and stored_generator and generator != stored_generator:
        yield Conflict(WRITE_KEYGEN_CLASS, generator, stored_generator)
    partition = _other_partition(stored, writer, knows_types=_KNOWS_TYPES.at(release))
    if _CHECKS_PARTITION.at(release) and partition is not None:
        yield partition


def key_generator(stored: Mapping[str, str]) -> str | None:
    """Return the class of the key generator that a table stores, by its class or its type; None if it stores none."""
    named = _GENERATORS.get(stored.get(KEYGEN_TYPE, "").upper())
    return stored.get(KEYGEN_CLASS) or (f"{_GENERATOR_PACKAGE}{named}" if named else None)


def unchecked_partition(stored: Mapping[str, str], writer: Mapping[str, str], release: HudiRelease) -> Conflict | None:
    """Return the partition columns that a writer names other than the table's, in a release that does not check them.

    Its rows get other folders, and those that are stored under the old ones are not found.
    """
    return None if _CHECKS_PARTITION.at(release) else _other_partition(stored, writer, knows_types=True)


def _other_partition(stored: Mapping[str, str], writer: Mapping[str, str], *, knows_types: bool) -> Conflict | None:
    passed, columns = writer.get(WRITE_PARTITION), stored.get(PARTITION_FIELDS)
    if passed is None or columns is None:
        return None
    named = passed
    if knows_types:
        generator = (key_generator(stored) or writer.get(WRITE_KEYGEN_CLASS) or "").rpartition(".")[2]
        if generator == _GENERATORS["CUSTOM"]:
            named, columns = partition_columns(passed), partition_columns(columns)
        elif generator == _GENERATORS["NON_PARTITION"]:
            named = ""
    return None if named == columns else Conflict(WRITE_PARTITION, passed, columns)


def partition_columns(text: str) -> str:
    """Return the columns of what CustomKeyGenerator takes for a partition: `day:SIMPLE,ts:TIMESTAMP` is `day,ts`."""
    return ",".join(one.partition(":")[0].strip() for one in text.split(","))


def _conflicts_of_table_keys(table: TableMergeConfig, writer: Mapping[str, str]) -> Iterator[Conflict]:
    """Yield the keys that the table stores under the same name with another value; case does not count.

    A class that version 9 no longer merges by still counts.
    """
    stored = {PAYLOAD_CLASS.key: table.legacy_payload, **table.properties}
    for name, text in writer.items():
        other = stored.get(name)
        if other is not None and text.lower() != other.lower() and name != BASE_FILE_FORMAT:
            yield Conflict(name, text, other)


def _is_tolerated(payload: str, table: TableMergeConfig, release: HudiRelease) -> bool:
    """Whether Hudi accepts a class other than the stored one: over Default, where an upgrade made version 8."""
    if payload in _TOLERATED:
        return True
    now, initially = capabilities(release, table.version), capabilities(release, table.initial_version)
    was_upgraded = now.stored_modes and not now.payload_successors and not initially.stored_modes
    return was_upgraded and table.payload == DEFAULT
