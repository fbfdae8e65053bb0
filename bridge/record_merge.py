"""RecordMerge: what one release calls at its merge points, for one record at a time; plain Python, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.buffered import Setup
from bridge.carriers import Progress, RowShape, key_reader
from bridge.config import TableMergeConfig, created_properties, effective_config
from bridge.errors import PlanError
from bridge.index_lookup import ModeLookup, PayloadLookup
from bridge.merge_point import MergePoint
from bridge.mode_merge import FileGroupReader, ModeWriter
from bridge.payload_merge import LogScanner, PayloadWriter
from payloads import HudiRelease

if TYPE_CHECKING:
    from bridge.carriers import StoredRow, Trace
    from bridge.config import EffectiveMergeConfig
    from bridge.plan import MergePlan
    from payloads import AvroSchema
    from payloads.builtin.base import DeleteTest, PairRule


class RecordMerge:
    """Merges versions of one record as a release does at each of its merge points.

    Compiled once from a plan and a schema. Until 1.0 a writer merges with payload objects, from 1.1 on by merge mode;
    0.15 reads logs with the payload, later releases by merge mode.

    Attributes:
        plan: what merges, and how.
        schema: the write schema, without meta columns.
        key_of: reads the identity of a record.
        incoming, combine_input, meet, is_deleted, insert, upsert, log_entry: the writer's calls.
        upsert_pair, insert_single: the writer's calls for most keys of a batch, from record to record.
        lookup: what a global index calls; None without one.
        fold_log: folds the next log entry of a key.
    """

    def __init__(
        self, plan: MergePlan, schema: AvroSchema, *, has_meta: bool = False, progress: Progress | None = None
    ) -> None:
        """Resolve payload and mode, and decide all that depends on plan and schema alone.

        Args:
            plan: what merges, and how.
            schema: the write schema, without meta columns.
            has_meta: whether stored rows carry the meta columns.
            progress: notes where the merge is; None for one of its own.

        Raises:
            PlanError: an ordering field is not in the schema.
            PayloadNotFoundError: the release has no such payload.
            PayloadConstructorError: a writer can't build the payload.
            MergeConfigError: the settings contradict each other.
        """
        self.plan = plan
        self.schema = schema
        self.key_of = key_reader(plan)
        self._has_meta = has_meta
        self._progress = progress or Progress(MergePoint.COMBINE_INPUT, None)
        writer, reader, lookup = _sides(plan, schema, RowShape(has_meta=has_meta), self._progress)
        self.incoming = writer.incoming
        self.combine_input = writer.combine_input
        self.meet = writer.meet
        self.is_deleted = writer.is_deleted
        self.insert = writer.insert
        self.upsert = writer.upsert
        self.upsert_pair = writer.upsert_pair
        self.insert_single = writer.insert_single
        self.log_entry = writer.log_entry
        self.lookup = lookup
        self.fold_log = reader.fold_log
        self._read = reader.read
        self._writer = writer

    def under(self, plan: MergePlan) -> RecordMerge:
        """Return the calls of another plan for the same rows; both note in one place where the merge is."""
        return RecordMerge(plan, self.schema, has_meta=self._has_meta, progress=self._progress)

    @property
    def point(self) -> MergePoint:
        """The merge point of the last call, for messages."""
        return self._progress.point

    @property
    def trace(self) -> Trace | None:
        """Called with (merge point, older, newer, result) after each call, where set."""
        return self._progress.trace

    @trace.setter
    def trace(self, trace: Trace | None) -> None:
        self._progress.trace = trace

    def snapshot(self, base: StoredRow | None, folded: Any) -> StoredRow | None:
        """Return the row that a snapshot query sees, or None."""
        row: StoredRow | None = self._read(MergePoint.SNAPSHOT, base, folded)
        return row

    def compact(self, base: StoredRow | None, folded: Any) -> StoredRow | None:
        """Return the row that compaction writes to the base file, or None."""
        row: StoredRow | None = self._read(MergePoint.COMPACT, base, folded)
        return row

    def insert_tests(self) -> tuple[DeleteTest, ...] | None:
        """Return the column tests for rows that are inserted as they are; None where each record has to be asked."""
        tests: tuple[DeleteTest, ...] | None = self._writer.insert_tests()
        return tests

    def pair_rule(self) -> PairRule | None:
        """Return the rule that chooses between a stored and an incoming row; None where each pair has to be asked."""
        rule: PairRule | None = self._writer.pair_rule()
        return rule

    @property
    def needs_ordering(self) -> bool:
        """Whether a null ordering value fails where it is not compared: payloads refuse it when they are built."""
        return isinstance(self._writer, PayloadWriter)


def merge_config(plan: MergePlan) -> EffectiveMergeConfig:
    """Return the merge settings that hold for a plan: with the table that it names, else with a new one.

    Raises:
        MergeConfigError: the settings contradict each other; said as Hudi says it.
    """
    options = plan.writer_options()
    table = plan.table
    if table is None:
        stored = created_properties(options, plan.table_type, plan.release)
        table = TableMergeConfig.from_properties(stored, plan.release)
    return effective_config(table, options, plan.release, warn=False)


def _sides(plan: MergePlan, schema: AvroSchema, shape: RowShape, progress: Progress) -> tuple[Any, Any, Any]:
    """Return writer, reader and, for a global index, lookup of the plan's release."""
    if plan.release < HudiRelease.V1_0:
        if plan.payload is None:
            msg = f"Hudi {plan.release} merges with payloads alone; name one"
            raise PlanError(msg)
        arguments = (plan.payload, plan, schema, shape, progress)
        lookup = PayloadLookup(*arguments) if plan.global_index else None
        return PayloadWriter(*arguments), LogScanner(*arguments), lookup
    config = merge_config(plan)
    setup = Setup(config, plan, schema, shape, progress)
    reader = FileGroupReader(setup)
    if plan.release < HudiRelease.V1_1:
        if config.merge.payload is None:
            msg = f"Hudi {plan.release} needs a payload class to write; name one with --payload"
            raise PlanError(msg)
        arguments = (plan.payload_ref(config.merge.payload), plan, schema, shape, progress)
        return PayloadWriter(*arguments), reader, PayloadLookup(*arguments) if plan.global_index else None
    return ModeWriter(setup), reader, ModeLookup(setup) if plan.global_index else None
