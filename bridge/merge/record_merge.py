"""RecordMerge: what one release calls at its merge points, for one record at a time; plain Python, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from bridge.config import capabilities, effective_config
from bridge.errors import PlanError
from bridge.merge.buffered import Setup
from bridge.merge.carriers import RowShape, StoredRow, key_reader
from bridge.merge.index_lookup import ModeLookup, PayloadLookup
from bridge.merge.log_scanner import LogScanner
from bridge.merge.merger_writer import MergerLookup, MergerWriter, merges_spark_rows
from bridge.merge.mode_writer import ModeWriter
from bridge.merge.payload_writer import PayloadWriter
from bridge.merge.point_props import table_of
from bridge.merge.points import MergePoint
from bridge.merge.split_reader import reader_of
from bridge.merge.stated_rules import check_stated

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig
    from bridge.merge.calls import (
        BatchRule,
        IndexLookup,
        KeyReader,
        Listener,
        LogRule,
        Reader,
        SingleRows,
        UserBatch,
        Writer,
    )
    from bridge.merge.carriers import Carrier, PayloadVersion
    from bridge.merge.outcome import Outcome
    from bridge.plan import MergePlan
    from payloads import AvroSchema, PayloadRef
    from payloads.rules import MergeRule

W = TypeVar("W", "PayloadVersion", "StoredRow")
R = TypeVar("R", "PayloadVersion", "StoredRow")


class RecordMerge:
    """Merges versions of one record as a release does at each of its merge points.

    Compiled once from a plan and a schema. Until 1.0 a writer merges with payload objects, from 1.1 on by merge mode;
    0.15 reads logs with the payload, later releases by merge mode.

    Attributes:
        plan: how versions merge.
        schema: the write schema, without meta columns.
        key_of: reads the identity of a record.
        writer, reader: the calls of the release; those below are theirs.
        incoming, delete, combine_input, fold_uncombined, is_deleted, insert, upsert, log_entry: the writer's calls.
        fold_log: folds the next log entry of a key.
    """

    def __init__(
        self, plan: MergePlan, schema: AvroSchema, *, has_meta: bool = False, listener: Listener | None = None
    ) -> None:
        """Resolve payload and mode, and decide all that depends on plan and schema alone.

        Args:
            plan: how versions merge.
            schema: the write schema, without meta columns.
            has_meta: whether stored rows carry the meta columns.
            listener: is notified of every call, and may have payload classes replaced by ones that report their calls.

        Raises:
            PlanError: an ordering field is not in the schema.
            PayloadNotFoundError: the release has no such payload.
            PayloadConstructorError: a writer can't build the payload.
            MergeConfigError: the settings contradict each other.
            SchemaError: the rule that a class states does not fit the schema.
        """
        check_stated(plan, schema)
        self.plan = plan
        self.schema = schema
        self.key_of = key_reader(plan, schema)
        self._has_meta = has_meta
        self._listener = listener
        self._shape = RowShape(has_meta=has_meta)
        writer, reader, self._lookup = _sides(plan, schema, self._shape, listener)
        # Bound once: programs call them for every version.
        self.incoming = writer.incoming
        self.delete = writer.delete
        self.combine_input = writer.combine_input
        self.fold_uncombined = writer.fold_uncombined
        self.shuffled = writer.shuffled
        self.is_deleted = writer.is_deleted
        self.insert = writer.insert
        self.upsert = writer.upsert
        self.log_entry = writer.log_entry
        self.fold_log = reader.fold_log
        self.writer = writer
        self.reader = reader

    def with_plan(self, plan: MergePlan) -> RecordMerge:
        """Return the calls of another plan for the same rows and the same listener."""
        return RecordMerge(plan, self.schema, has_meta=self._has_meta, listener=self._listener)

    def survivor(self, version: Carrier) -> Carrier | None:
        """Return what survives a batch in the columns of the table; None for a delete without data."""
        if version.record is None or version.source is not None:
            return None if version.record is None else version
        record, rest = self._shape.stored(version.record), (version.ordering_value, version.made_at)
        return StoredRow(version.key, record, self.schema, None, version.operation, *rest)

    @property
    def lookup(self) -> IndexLookup[Carrier]:
        """What a global index calls.

        Raises:
            PlanError: the plan has none.
        """
        if self._lookup is None:
            msg = "the plan has no global index; set it (global_index=True)"
            raise PlanError(msg)
        return self._lookup

    def snapshot(self, base: StoredRow | None, folded: Carrier | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log as a snapshot query does."""
        return self.reader.read(MergePoint.SNAPSHOT, base, folded)

    def snapshot_once(self, base: StoredRow | None, folded: Carrier) -> Outcome[StoredRow]:
        """Merge as `snapshot` does, with a folded log that is not read again: payloads need no copy."""
        return self.reader.read_once(MergePoint.SNAPSHOT, base, folded)

    def compact(self, base: StoredRow | None, folded: Carrier | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log as compaction does."""
        return self.reader.read(MergePoint.COMPACT, base, folded)

    def read_rules(self) -> tuple[MergeRule | None, ...]:
        """Return the rules by which a query merges; None for a merge that is a call."""
        return self.reader.read_rules()

    def log_rule(self) -> LogRule | None:
        """Return the rule by which a reader chooses one of the versions of a key; None if it has to be called."""
        return self.reader.log_rule()

    def batch_rule(self) -> BatchRule | None:
        """Return the rule by which a writer combines the rows of a batch; None if it has to be called."""
        return self.writer.batch_rule()

    def user_batch(self) -> UserBatch | None:
        """Return a writer's calls of a user's class for rows alone in their batch; None if there are none."""
        return self.writer.user_batch()

    def single_rows(self, point: MergePoint, key_of: KeyReader | None = None) -> SingleRows:
        """Return the calls of a copy-on-write merge, a snapshot query or a compaction for keys with one newer row.

        `key_of` reads the identity of a record of a log; by default, the plan's columns do.
        """
        return self.writer.single_rows() if point is MergePoint.UPSERT else self.reader.single_rows(point, key_of)


def merge_config(plan: MergePlan) -> EffectiveMergeConfig:
    """Return the effective merge settings of a plan: with the table that it names, else with a new one.

    Raises:
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    return effective_config(table_of(plan), plan.writer_options(), plan.release, warn=False)


class _Sides(NamedTuple):
    """What a release calls. Programs hand back the carriers that the same side made, whatever these are."""

    writer: Writer[Carrier]
    reader: Reader[Carrier]
    lookup: IndexLookup[Carrier] | None


def _sides(plan: MergePlan, schema: AvroSchema, shape: RowShape, listener: Listener | None) -> _Sides:
    """Return writer, reader and, for a global index, lookup of the plan's release."""
    can = capabilities(plan.release)
    if not can.file_group_reader:
        written, read = _payloads_of(plan)
        rest = (plan, schema, shape, listener)
        index = PayloadLookup(written, *rest) if plan.global_index else None
        return _paired(PayloadWriter(written, *rest), LogScanner(read, *rest), index)
    config = merge_config(plan)
    setup = Setup(config, plan, schema, shape, listener)
    reader = reader_of(setup)
    if can.payload_writer and merges_spark_rows(setup):
        return _paired(MergerWriter(setup), reader, MergerLookup(setup) if plan.global_index else None)
    if can.payload_writer:
        if config.merge.payload is None:
            msg = f"Hudi {plan.release} needs a payload class to write; name one"
            raise PlanError(msg)
        arguments = (plan.payload_ref(config.merge.payload), plan, schema, shape, listener)
        return _paired(PayloadWriter(*arguments), reader, PayloadLookup(*arguments) if plan.global_index else None)
    if plan.global_index and merges_spark_rows(setup):
        msg = (
            f"{plan.payload_name} merges SPARK records, and with a global index a writer of Hudi {plan.release} fails "
            "where it reads the rows that the index found (No valid spark merger implementation set); use another index"
        )
        raise PlanError(msg)
    return _paired(ModeWriter(setup), reader, ModeLookup(setup) if plan.global_index else None)


def _payloads_of(plan: MergePlan) -> tuple[PayloadRef, PayloadRef]:
    """Return the classes of writers and of readers where payloads merge everything.

    Raises:
        PlanError: there is none.
    """
    if plan.table is None and plan.payload is not None:
        return plan.payload, plan.payload
    config = merge_config(plan)
    if config.merge.payload is None or config.read.payload is None:
        msg = f"Hudi {plan.release} merges only with payloads; name one"
        raise PlanError(msg)
    return plan.payload_ref(config.merge.payload), plan.payload_ref(config.read.payload)


def _paired(writer: Writer[W], reader: Reader[R], lookup: IndexLookup[W] | None) -> _Sides:
    """Forget which carriers the sides make: a writer's go to its lookup alone, a reader's come back to it."""
    return _Sides(
        cast("Writer[Carrier]", writer), cast("Reader[Carrier]", reader), cast("IndexLookup[Carrier] | None", lookup)
    )
