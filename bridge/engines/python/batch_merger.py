"""BatchMerger: the sorted batches of one task as arrivals for a program, and its outcomes as batches.

Rows without a competing version never leave Arrow. The others become Python objects only if a program must
see them; a row that wins is taken from the batch it came in, a new one is encoded once. A key may span any number of
batches.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from bridge.engines.control_columns import CLAUSE, COMMIT, IS_DELETE, ORDERING, ORIGIN, ROW_COUNTS
from bridge.engines.ordering_text import from_text
from bridge.engines.python.batch_path import BatchPath, UserMerges
from bridge.engines.python.fast_path import FastPath, RowMerges
from bridge.engines.python.keys import Groups, values_of
from bridge.engines.python.ledger import CommitLedger, Ledger
from bridge.engines.python.outcome_buffers import UnfitOutcomeError
from bridge.engines.python.outcomes import CONTROL_TYPES, UNDECIDED, Detached, Outcomes
from bridge.engines.python.records import RecordReader, RecordWriter, read_rows
from bridge.errors import InputError, MergeFailedError
from bridge.merge import Action, MergePoint, MergePointError, MetaColumns, RecordMerge, located, of_another_key
from bridge.programs import AllPaths, Arrival, Origin, SmallFileTable, Table
from bridge.spark import META_COLUMNS, with_meta
from payloads import NullOrderingError, OrderingTypeError, PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bridge.engines.job import Job
    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.merge import Carrier, RowSource, SingleRows, UserBatch
    from bridge.spark import ArrowColumn
    from payloads import Record


class BatchMerger:
    """Feeds the batches of one task to a program."""

    batch: pa.RecordBatch  # the one being merged

    def __init__(self, job: Job, arrow_schema: pa.Schema) -> None:
        self.job = job
        self.arrow_schema = arrow_schema
        self.plan = job.plan
        has_meta = META_COLUMNS[0] in job.columns
        self.calls = RecordMerge(job.plan, job.schema, has_meta=has_meta)
        self.program = job.spec.program(self.calls, **job.arguments)
        self.untouched = job.spec.untouched
        stored_schema = with_meta(job.schema) if has_meta else job.schema
        self.read_written = RecordReader(job.schema, arrow_schema)
        self.read_stored = RecordReader(stored_schema, arrow_schema) if has_meta else None
        writer = RecordWriter(stored_schema, pa.schema([arrow_schema.field(name) for name in job.columns]))
        context = TaskContext.get()
        task = context.partitionId() if context else 0
        meta = MetaColumns(job.plan, job.instant, task) if has_meta and job.instant else None
        added = () if job.only_rows else job.added
        identity = (*self.plan.partition, *self.plan.key)
        self.outcomes = Outcomes(added, identity, writer, meta, () if job.spec.by_partition else self.plan.key)
        self.fast_path = self._fast_path()
        self.ledger = self._ledger() if job.row_counts else None
        self.open = False
        self.row: int | Detached = 0  # the current row, or the last one of the open key
        self.groups = Groups(job.grouping)
        self.waiting: tuple[pa.RecordBatch, Mask] | None = None

    def _ledger(self) -> Ledger:
        if not isinstance(self.program, Table | SmallFileTable | AllPaths):
            return Ledger(self.job)
        ledger = CommitLedger(self.job)
        self.program.listener = ledger
        return ledger

    def _fast_path(self) -> FastPath | BatchPath:
        spec = self.job.spec
        user = self.calls.user_batch()
        if spec.meets_at is MergePoint.COMBINE_INPUT:
            asked = None if user is None else UserMerges(user, self._survivors(user))
            return BatchPath(self.calls, asked, self.outcomes)
        entries = self._alone(user.entry, user) if user is not None and spec.goes_beside else None
        point = MergePoint.UPSERT if entries is not None and self.plan.inserts_to == "base" else spec.meets_at
        merges = None if point is None else self._row_merges(point)
        return FastPath(self.calls, spec, self.job.columns, merges, self.outcomes, entries)

    def _survivors(self, user: UserBatch) -> RowMerges:
        """Return what calls a user's class for the rows of a batch alone."""
        read = self.read_written
        calls = self.calls.single_rows(MergePoint.UPSERT)
        pair: Any = user.combine or calls.pair
        own = calls._replace(single=user.survivor, pair=pair, single_point=MergePoint.COMBINE_INPUT)
        return self._merges_of(own, read, read)

    def _alone(self, call: Callable[[Record, list[Any]], RowSource], user: UserBatch) -> RowMerges:
        """Return what calls a user's class for rows that are alone in their batch."""
        calls, read_newer, read_stored = self._calls_and_readers(MergePoint.UPSERT)
        return self._merges_of(calls._replace(single=call, single_point=user.entry_point), read_newer, read_stored)

    def _row_merges(self, point: MergePoint) -> RowMerges:
        return self._merges_of(*self._calls_and_readers(point))

    def _merges_of(self, calls: SingleRows, read_newer: RecordReader, read_stored: RecordReader) -> RowMerges:
        return RowMerges(calls, read_newer, read_stored, self._failed_at)

    def _calls_and_readers(self, point: MergePoint) -> tuple[SingleRows, RecordReader, RecordReader]:
        """Return the calls of a merge point, and what reads newer and stored rows: those of a log have meta columns."""
        read_stored = self.read_stored or self.read_written
        read_newer = self.read_written if point is MergePoint.UPSERT else read_stored
        return self.calls.single_rows(point), read_newer, read_stored

    def merge(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Take the next batch; yield the outcomes of the previous one, now that its last key is known to end or not."""
        starts = self._starts(batch)
        if self.waiting is not None:
            yield from self._merge(*self.waiting, ends=bool(starts[0]))
        self.waiting = batch, starts

    def end(self) -> Iterator[pa.RecordBatch]:
        """Give the outcomes of the last batch; a batch after it has other keys."""
        if self.waiting is not None:
            yield from self._merge(*self.waiting, ends=True)
            self.waiting = None

    def without_outcome(self, data: list[ArrowColumn], name: str, told: ArrowColumn) -> pa.RecordBatch:
        """Return rows that are no outcomes: `data`, nulls in the columns of outcomes, and the control column `name`."""
        nulls = [pa.nulls(len(told), CONTROL_TYPES[added]) for added in self.job.added]
        return pa.RecordBatch.from_arrays([*data, *nulls, told], [*self.job.columns, *self.job.added, name])

    def row_counts(self) -> pa.RecordBatch:
        """Return the row that tells what became of the rows of the task."""
        data = [pa.nulls(1, self.arrow_schema.field(name).type) for name in self.job.columns]
        return self.without_outcome(data, ROW_COUNTS, pa.array(["{}" if self.ledger is None else self.ledger.text()]))

    def _merge(self, batch: pa.RecordBatch, starts: Mask, *, ends: bool) -> Iterator[pa.RecordBatch]:
        self.batch = batch
        actions, contested = np.full(batch.num_rows, UNDECIDED, np.int8), np.arange(batch.num_rows)
        if self.untouched is not None:
            actions, contested = self.fast_path.decide(batch, starts, ends=ends)
            yield from self.outcomes.standing(batch, actions, self.untouched, self.fast_path.added(batch))
        self._feed(starts, contested)
        if ends:
            self._finish_key()
        if self.ledger is not None:
            noted = self.outcomes.noted()
            self.ledger.add(batch.column(ORIGIN).to_numpy(), starts, actions, noted, ends=ends, quarantined={})
        try:
            yield from self.outcomes.flush(batch)
        except UnfitOutcomeError as error:
            raise self._unfit(error) from error
        self._detach()

    def _starts(self, batch: pa.RecordBatch) -> Mask:
        """Return for each row whether it is the first of its group; no key column may be null, but partitions may."""
        rows = batch.num_rows
        for name in self.plan.key:
            column = batch.column(name)
            if column.null_count:
                msg = (
                    f"{self.plan.payload_name}: the key column {name!r} is null in {column.null_count} of {rows} rows; "
                    "fill it or drop these rows"
                )
                raise InputError(msg)
        return self.groups.starts(batch)

    def _feed(self, starts: Mask, contested: Rows) -> None:
        program, emit = self.program, self._emit
        begins = starts[contested].tolist()
        arrivals = self._arrivals(contested)
        for begin, arrival in zip(begins, arrivals, strict=True):
            if begin:
                self._finish_key()
                self.row = arrival.source  # type: ignore[assignment]  # given below
                self.open = True
                program.start(self.calls.key_of(arrival.record or arrival.identity or {}))
            self.row = arrival.source  # type: ignore[assignment]
            try:
                program.accept(arrival, emit)
            except Exception as error:
                raise self._failed(error) from error

    def _finish_key(self) -> None:
        if self.open:
            self.open = False
            try:
                self.program.finish(self._emit)
            except Exception as error:
                raise self._failed(error) from error
            if self.ledger is not None:
                self.ledger.end_key(self.row)

    def _emit(self, action: Action, row: Carrier | None, *extras: object) -> None:
        if self.job.spec.by_partition and row is not None and row.source is None and row.record is not None:
            self._check_key(row)
        self.outcomes.add(action, row, self.row, extras)

    def _check_key(self, row: Carrier) -> None:
        """Refuse a record with the key of another row, where `Outcomes` does not know of which key a record is.

        Raises:
            MergePointError: the record has another key.
        """
        made = self.calls.key_of(row.record)
        if row.key is not None and made.record_key != row.key.record_key:
            raise MergePointError(row.made_at, PayloadFailedError(of_another_key(made.record_key)))

    def _detach(self) -> None:
        """Copy the rows that the open key still needs out of the batch."""
        if self.open:
            self.row = Detached(self.batch, self.row) if isinstance(self.row, int) else self.row
            for carrier in self.program.held():
                if isinstance(carrier.source, int):
                    carrier.source = Detached(self.batch, carrier.source)

    # -- from Arrow to arrivals

    def _arrivals(self, contested: Rows) -> Iterator[Arrival]:
        batch = self.batch
        selected = batch if len(contested) == batch.num_rows else batch.take(pa.array(contested))
        origins = selected.column(ORIGIN).to_numpy()
        deletes = _optional(selected, IS_DELETE)
        orderings = _optional(selected, ORDERING)
        read = self._records(selected, origins)
        bare = self._bare(selected) if IS_DELETE in selected.schema.names else itertools.repeat(False)
        rest = (contested.tolist(), deletes, orderings, bare, _optional(selected, CLAUSE))
        columns = (origins.tolist(), _optional(selected, COMMIT), read, *rest)
        for origin, commit, record, row, delete, ordering, is_bare, clause in zip(*columns, strict=False):
            data, identity = (None, record) if is_bare else (record, None)
            value = ordering and from_text(ordering)
            yield Arrival(_ORIGINS[origin], commit, data, row, bool(delete), value, identity, clause)

    def _records(self, selected: pa.RecordBatch, origins: Codes) -> list[Record]:
        """Decode rows: what is stored with its meta columns, what is written without."""

        def failed(row: int, error: Exception) -> MergeFailedError:
            return self._failed(MergePointError(None, error, values_of(selected, row, self.plan.identity)))

        if self.read_stored is None:
            return read_rows(self.read_written, selected, np.arange(selected.num_rows), failed)
        records: list[Record] = [{}] * selected.num_rows
        incoming = origins == Origin.INCOMING
        for reader, mask in ((self.read_written, incoming), (self.read_stored, ~incoming)):
            rows = np.flatnonzero(mask)
            for row, record in zip(rows.tolist(), read_rows(reader, selected, rows, failed), strict=True):
                records[row] = record
        return records

    def _bare(self, selected: pa.RecordBatch) -> list[bool]:
        """Return which rows are deletes without data: all columns but those of key and partition are null."""
        named = {*self.plan.key, *self.plan.partition}
        bare = pc.fill_null(selected.column(IS_DELETE), False)
        for field in self.job.schema.fields:
            if field.name not in named:
                bare = pc.and_(bare, selected.column(field.name).is_null())
        result: list[bool] = bare.to_pylist()
        return result

    def _identity(self) -> dict[str, object]:
        """Return the key columns of the current row, for messages."""
        batch, row = (self.row.batch, 0) if isinstance(self.row, Detached) else (self.batch, self.row)
        return values_of(batch, row, self.plan.identity)

    def _failed_at(self, row: int, error: Exception) -> MergeFailedError:
        self.row = row
        return self._failed(error)

    def _failed(self, error: Exception) -> MergeFailedError:
        failure = located(error)
        by_ordering = isinstance(failure.error, OrderingTypeError | NullOrderingError)
        field = self.plan.ordering[0] if by_ordering and self.plan.ordering else None
        point = None if failure.point is None else failure.point.value
        identity = self._identity() if failure.identity is None else failure.identity
        return MergeFailedError(failure.reason, self.plan.payload_name, point, identity, field)

    def _unfit(self, error: UnfitOutcomeError) -> MergeFailedError:
        """Return the error for a merged record that can't be stored; the row that it was made of says where."""
        self.row = error.owner
        return MergeFailedError(error.reason, self.plan.payload_name, error.point.value, self._identity())


_ORIGINS = list(Origin)


def _optional(batch: pa.RecordBatch, name: str) -> Iterable[object]:
    """Return the values of a column that a frame has only where it needs it."""
    return batch.column(name).to_pylist() if name in batch.schema.names else itertools.repeat(None)
