"""Job: what an engine has to do, as names and plain data, so that it can be sent to tasks."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.engines.control_columns import ACTION, GROUP, PREFIX, QUARANTINE, ROW_COUNTS
from bridge.programs import PROGRAMS, ProgramSpec

if TYPE_CHECKING:
    from bridge.plan import MergePlan
    from payloads import AvroSchema


@dataclasses.dataclass(frozen=True)
class Job:
    """One program over the versions of every key.

    Attributes:
        plan: how versions merge.
        schema: the write schema, without meta columns.
        columns: the data columns of the frame, in order, meta columns included.
        program: a name in `PROGRAMS`.
        arguments: further arguments of the program.
        instant: commit time for the meta columns of written rows; None to leave them alone.
        only_rows: whether to return only the resulting rows, without actions.
        has_entries: whether a side has deletes without data: a log, or a batch that was combined before.
        onto_table: whether versions of a real table, in its base files and logs, are among those of the batches.
        file_groups: whether the versions are those of file slices of a real table: `_pb_group` has the number of the
            slice, in which alone versions of a key meet, and comes with each row.
        checked: the columns of a row that a class may not change; None for the key.
        row_counts: whether outcomes come with what became of each row of the input.
        fits_one_task: whether the newer side is so small, by the size of its files, that the versions of any key may
            be gathered.
        few_bytes: how many bytes of files all sides together are read from, where they are so few that the native
            engine might take longer to prepare its plan than the python engine takes to merge; else None.
    """

    plan: MergePlan
    schema: AvroSchema
    columns: tuple[str, ...]
    program: str
    arguments: dict[str, object] = dataclasses.field(default_factory=dict)
    instant: str | None = None
    only_rows: bool = False
    has_entries: bool = False
    onto_table: bool = False
    file_groups: bool = False
    checked: tuple[str, ...] | None = None
    row_counts: bool = False
    fits_one_task: bool = False
    few_bytes: int | None = None

    @property
    def spec(self) -> ProgramSpec:
        """The program's entry in the table of programs."""
        return PROGRAMS[self.program]

    @property
    def label(self) -> str:
        """What Spark's plans call the job: the program, and by what it merges."""
        plan = self.plan
        short = plan.payload_name.rpartition(".")[2]
        return f"{self.program} ({short}, Hudi {plan.release}, {plan.table_type.value})"

    @property
    def grouping(self) -> tuple[str, ...]:
        """The columns that group the rows which a program sees together: the identity of a row, or its partition."""
        if self.file_groups:
            return (GROUP, *self.plan.identity)
        return self.plan.partition if self.spec.by_partition else self.plan.identity

    @property
    def order(self) -> tuple[str, ...]:
        """The columns by which versions are sorted, before their control columns.

        Keys come first: they are more selective than partitions, and files are often sorted by key already.
        """
        grouping = self.grouping
        return grouping if self.spec.by_partition else tuple(dict.fromkeys((*self.plan.key, *grouping)))

    @property
    def extras(self) -> tuple[str, ...]:
        """The columns that the program adds to an outcome, besides the action."""
        return tuple(f"{PREFIX}{extra}" for extra in self.spec.extras)

    @property
    def added(self) -> tuple[str, ...]:
        """The columns of an outcome after the data columns."""
        return (ACTION, *self.extras)

    @property
    def quarantines(self) -> bool:
        """Whether a key that fails is handed over with all its versions, in rows with `_pb_quarantine`."""
        return self.plan.on_error == "quarantine" and not self.only_rows

    @property
    def handed_over(self) -> tuple[str, ...]:
        """The columns of what an engine hands over, after the data columns."""
        if self.only_rows:
            return ()
        aside = (QUARANTINE,) if self.quarantines else ()
        return (*self.added, *aside, *((ROW_COUNTS,) if self.row_counts else ()))
