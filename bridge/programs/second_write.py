"""Whether Hudi takes the writes after the first one: what a writer passes again against what its table stores.

Source: HoodieWriterUtils.validateTableConfig, which a write of an existing table asks before it begins, and so before
the upgrade that the same write performs.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.config import MergeConfigError, conflicts_of, keys
from bridge.merge import table_of
from bridge.programs.write_operation import UPSERTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.config import TableMergeConfig
    from bridge.plan import MergePlan
    from bridge.programs.handover import Handover
    from bridge.programs.write_operation import Operations


def check_writes(
    plan: MergePlan, commits: int, *, change: Handover | None = None, operations: Operations = UPSERTS
) -> None:
    """Refuse a table of which Hudi refuses a batch, since the options of its writer contradict what it stores.

    An SQL statement passes none. The first batch makes the table, unless the plan names one.

    Raises:
        MergeConfigError: naming the batch, the options, and what is stored.
    """
    refused = refused_batch(plan, commits, change=change, operations=operations)
    if refused is not None:
        raise refused.error


@dataclasses.dataclass(frozen=True)
class RefusedBatch:
    """A batch that Hudi refuses.

    Attributes:
        number: its number, from 1.
        options: the options that contradict the table.
        error: the refusal.
    """

    number: int
    options: tuple[str, ...]
    error: MergeConfigError


def refused_batch(
    plan: MergePlan, commits: int, *, change: Handover | None = None, operations: Operations = UPSERTS
) -> RefusedBatch | None:
    """Return the first batch that Hudi refuses; None if it takes all. Arguments as in `check_writes`."""
    for number, writer, table in _writes(plan, commits, change):
        operation = operations.by_commit.get(number)
        if operation is not None and operation.is_statement:
            continue
        conflicts = conflicts_of(_with_layout(table, writer), _passed(writer, table), writer.release)
        if conflicts:
            error = MergeConfigError.from_conflicts(conflicts, f"Hudi {writer.release} refuses batch {number}: ")
            return RefusedBatch(number, tuple(one.key for one in conflicts), error)
    return None


def _writes(
    plan: MergePlan, commits: int, change: Handover | None
) -> Iterator[tuple[int, MergePlan, TableMergeConfig]]:
    """Yield each batch that finds a table: its number, its writer, and what the table stores then."""
    last = commits if change is None else change.after
    table = table_of(plan)
    yield from ((number, plan, table) for number in range(1 if plan.table is not None else 2, last + 1))
    while change is not None:
        last = commits if change.then is None else change.then.after
        for number in range(change.after + 1, last + 1):
            writer = change.kept if number == change.after + 1 else change.left
            yield number, writer, table_of(writer)
        change = change.then


def _passed(plan: MergePlan, table: TableMergeConfig) -> dict[str, str]:
    """Return the options that name columns besides those of the merge: what a job passes as it is counts."""
    layout = {
        keys.WRITE_RECORD_KEY: _spelt(plan.key, table.properties.get(keys.RECORD_KEY.key)),
        keys.WRITE_PARTITION: _spelt(plan.partition, table.properties.get(keys.PARTITION_FIELDS)),
    }
    return {**layout, **plan.writer_options()}


def _spelt(columns: tuple[str, ...], stored: str | None) -> str:
    """Return columns as a table stores them, with its blanks, if it has the same ones: Hudi compares the texts."""
    text = ",".join(columns)
    return stored if stored is not None and ",".join(map(str.strip, stored.split(","))) == text else text


def _with_layout(table: TableMergeConfig, plan: MergePlan) -> TableMergeConfig:
    """Return what a table stores, with the columns and the key generator that its first write named."""
    layout = {keys.RECORD_KEY.key: ",".join(plan.key), keys.PARTITION_FIELDS: ",".join(plan.partition)}
    generator = plan.props.get(keys.WRITE_KEYGEN_CLASS)
    if generator is not None:
        layout[keys.KEYGEN_CLASS] = generator
    return dataclasses.replace(table, properties={**layout, **table.properties})
