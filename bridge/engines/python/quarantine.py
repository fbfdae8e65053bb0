"""Quarantine: a batch merger that quarantines failing keys, with all their versions and the reason, and goes on.

Nothing of a key is handed over before its last version is merged: what a key that spans batches has come to so far, and
its versions, wait in spools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines.control_columns import COMMIT, IS_DELETE, ORDERING, ORIGIN, QUARANTINE
from bridge.engines.python.batch_merger import BatchMerger
from bridge.engines.python.fast_path import RowMerges
from bridge.engines.python.outcomes import CONTROL_TYPES, UNDECIDED, Detached
from bridge.engines.python.records import readable
from bridge.engines.python.spool import Spool
from bridge.engines.row_counts import SIDES, final_point
from bridge.errors import EngineError, PlanError
from bridge.merge import MergePointError, located
from bridge.programs import Origin
from bridge.redaction import without_credentials
from mergers import MergerConfigError, MergerNotFoundError
from payloads import PayloadConfigError, PayloadConstructorError, PayloadNotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bridge.engines.job import Job
    from bridge.engines.python.column_types import Codes, Mask, Rows
    from bridge.engines.python.outcome_buffers import Position
    from bridge.engines.python.outcomes import Outcomes
    from bridge.engines.python.records import RecordReader
    from bridge.merge import SingleRows
    from bridge.spark import ArrowColumn
    from payloads import Record

_OF_ALL_KEYS = (
    EngineError,
    MemoryError,
    MergerConfigError,
    MergerNotFoundError,
    PayloadConfigError,
    PayloadConstructorError,
    PayloadNotFoundError,
    PlanError,
)
"""What is wrong with the settings or the machine, and not with a key: it ends the run."""


def is_of_all_keys(failure: MergePointError) -> bool:
    """Whether a failure is not the fault of its key, but of the settings or the machine."""
    cause: BaseException | None = failure.error
    while cause is not None:
        if isinstance(cause, _OF_ALL_KEYS):
            return True
        cause = cause.__cause__
    return False


_FAILED = -1
"""In place of a `RowSource`: the merge of the key failed."""


class QuarantiningMerger(BatchMerger):
    """A batch merger that goes on where a key fails."""

    def __init__(self, job: Job, arrow_schema: pa.Schema) -> None:
        self.failures: dict[int, MergePointError] = {}  # by a row of the key in the batch
        super().__init__(job, arrow_schema)
        self.failure: MergePointError | None = None  # of the open key
        self.mark: Position = self.outcomes.position()  # where the outcomes of the open key begin
        self.spans: list[tuple[int, Position, Position]] = []
        self.versions, self.held, self.held_records = Spool(), Spool(), 0

    def _merges_of(self, calls: SingleRows, read_newer: RecordReader, read_stored: RecordReader) -> RowMerges:
        return _GuardedMerges(calls, read_newer, read_stored, self._note)

    def _note(self, row: int, error: Exception) -> MergePointError:
        """Note that the key of a row failed.

        Raises:
            MergeFailedError: it is not the key's fault.
        """
        failure = located(error)
        if is_of_all_keys(failure):
            raise self._failed_at(row, error) from error
        self.failures[row] = failure
        return failure

    def merge(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Do what a batch merger does, without the rows that have no key."""
        has_key = np.ones(batch.num_rows, bool)
        for name in self.plan.key:
            has_null = batch.column(name).is_null().to_numpy(zero_copy_only=False) & has_key
            if has_null.any():
                reason = f"the key column {name!r} is null; fill it or drop the row"
                yield self.quarantine(batch.filter(pa.array(has_null)), reason, None)
                has_key &= ~has_null
        if has_key.all():
            yield from super().merge(batch)
        elif has_key.any():
            yield from super().merge(batch.filter(pa.array(has_key)))

    def quarantine(self, rows: pa.RecordBatch, reason: str, at: str | None) -> pa.RecordBatch:
        """Quarantine rows without merging them; `at` is the merge point at which they fail."""
        point = final_point(self.job.program)
        if self.ledger is not None:
            for side, number in zip(*np.unique(rows.column(ORIGIN).to_numpy(), return_counts=True), strict=True):
                self.ledger.add_quarantined(point, Origin(side), int(number))
        return self._quarantined_rows(rows, [reason] * rows.num_rows, [at] * rows.num_rows)

    def _merge(self, batch: pa.RecordBatch, starts: Mask, *, ends: bool) -> Iterator[pa.RecordBatch]:
        self.batch = batch
        self.failures.clear()
        self.spans.clear()
        actions, contested = np.full(batch.num_rows, UNDECIDED, np.int8), np.arange(batch.num_rows)
        if self.untouched is not None:
            actions, contested = self.fast_path.decide(batch, starts, ends=ends)
            yield from self.outcomes.standing(batch, actions, self.untouched, self.fast_path.added(batch))
            self.spans.extend(self.fast_path.spans)
        self.mark = self.outcomes.position()  # of a key that began in an earlier batch
        self._feed(starts, contested)
        if ends:
            self._finish_key()
        waiting = self.outcomes.cut(self.mark) if self.open else None
        for row, error in self.outcomes.without_misfits(batch, self.spans):
            self.failures[row] = MergePointError(error.point, self._unfit(error))
        if self.ledger is not None:
            noted = self.outcomes.noted() if waiting is None else self.outcomes.noted(waiting)
            last = final_point(self.job.program)
            points = {row: _point_of(failure) or last for row, failure in self.failures.items()}
            self.ledger.add(batch.column(ORIGIN).to_numpy(), starts, actions, noted, ends=ends, quarantined=points)
        yield from self.outcomes.flush(batch)
        yield from self._released(batch, starts, ends=ends)
        if waiting is not None:
            self._hold(batch, starts, waiting)
        self._detach()

    def _feed(self, starts: Mask, contested: Rows) -> None:
        program, emit = self.program, self._emit
        begins = starts[contested].tolist()
        self.unread: dict[int, Exception] = {}  # by the number among the contested rows
        for number, arrival in enumerate(self._arrivals(contested)):
            begin = begins[number]
            if begin:
                self._finish_key()
                self.open, self.failure, self.mark = True, None, self.outcomes.position()
            self.row = row = arrival.source  # type: ignore[assignment]  # given by `_arrivals`
            if self.failure is not None:
                continue
            try:
                if number in self.unread:
                    raise self.unread[number]  # noqa: TRY301 (as if the merge had raised it)
                if begin:
                    program.start(self.calls.key_of(arrival.record or arrival.identity or {}))
                program.accept(arrival, emit)
            except Exception as error:  # noqa: BLE001 (whatever a payload raises)
                self.failure = self._note(row, error)  # type: ignore[arg-type]

    def _finish_key(self) -> None:
        if not self.open:
            return
        self.open, row = False, self.row
        if self.failure is None:
            try:
                self.program.finish(self._emit)
            except Exception as error:  # noqa: BLE001 (whatever a payload raises)
                self.failure = self._note(row, error)  # type: ignore[arg-type]
        if self.failure is None:
            self.spans.append((row, self.mark, self.outcomes.position()))  # type: ignore[arg-type]
        else:
            self.outcomes.cut(self.mark)
            self.failures[row] = self.failure  # type: ignore[index]
        if self.ledger is not None:
            self.ledger.end_key(row)

    def _records(self, selected: pa.RecordBatch, origins: Codes) -> list[Record]:
        records: list[Any] = [None] * selected.num_rows
        incoming = origins == Origin.INCOMING
        for reader, mask in ((self.read_written, incoming), (self.read_stored or self.read_written, ~incoming)):
            rows = np.flatnonzero(mask)
            found = readable(reader, selected, rows, self.unread.__setitem__)
            for row, record in zip(rows.tolist(), found, strict=True):
                records[row] = record
        return records

    # -- a key that goes on in the next batch

    def _detach(self) -> None:
        """Copy the rows that the open key still needs; one that has failed needs the place of its last row alone."""
        if self.failure is None:
            super()._detach()
        elif self.open and isinstance(self.row, int):
            self.row = Detached(self.batch, self.row)

    def _hold(self, batch: pa.RecordBatch, starts: Mask, waiting: Outcomes) -> None:
        """Put what the open key has come to so far, and its versions in this batch, into the spools."""
        begins = np.flatnonzero(starts)
        self.versions.add(batch.slice(int(begins[-1]) if len(begins) else 0))
        for _, error in waiting.without_misfits(batch, []):
            self.failure = MergePointError(error.point, self._unfit(error))
        self.held_records += waiting.noted().made
        for found in waiting.flush(batch):
            self.held.add(found)

    def _released(self, batch: pa.RecordBatch, starts: Mask, *, ends: bool) -> Iterator[pa.RecordBatch]:
        """Give the outcomes of a key that began in an earlier batch and ends here, and the keys that failed."""
        firsts = np.flatnonzero(starts)
        if not starts[0]:
            firsts = np.insert(firsts, 0, 0)
        failed = {int(np.searchsorted(firsts, row, "right")) - 1: error for row, error in self.failures.items()}
        last = len(firsts) - 1
        if not ends:
            failed.pop(last, None)  # it waits for the rest of its versions
        if not starts[0] and (ends or last > 0):
            if 0 in failed:
                for versions in self.versions.drain():
                    yield self._failed_rows(versions, [failed[0]] * versions.num_rows)
                self.held.clear()
            else:
                self.versions.clear()
                yield from self.held.drain()
                if self.ledger is not None:
                    self.ledger.add_made(self.held_records)
            self.held_records = 0
        if failed:
            bounds = np.append(firsts, batch.num_rows)
            keys = sorted(failed)
            rows = np.concatenate([np.arange(bounds[key], bounds[key + 1]) for key in keys])
            why = [failed[key] for key in keys for _ in range(bounds[key], bounds[key + 1])]
            yield self._failed_rows(batch.take(pa.array(rows)), why)

    # -- rows that are quarantined

    def _failed_rows(self, rows: pa.RecordBatch, why: Sequence[MergePointError]) -> pa.RecordBatch:
        return self._quarantined_rows(rows, [one.reason for one in why], [_point_of(one) for one in why])

    def _quarantined_rows(self, rows: pa.RecordBatch, reasons: list[str], points: list[str | None]) -> pa.RecordBatch:
        """Return versions as rows without an outcome."""
        number, names = rows.num_rows, rows.schema.names
        kind: Any = CONTROL_TYPES[QUARANTINE]
        given: dict[str, ArrowColumn] = {
            "reason": pa.array(map(without_credentials, reasons), pa.string()),
            "merge_point": pa.array(points, pa.string()),
            "side": pa.array(SIDES).take(rows.column(ORIGIN)),
        }
        if COMMIT in names:
            given["commit"] = rows.column(COMMIT).cast(pa.int64())
        is_delete = pc.fill_null(rows.column(IS_DELETE), False) if IS_DELETE in names else pa.array([False] * number)
        given["kind"] = pc.if_else(is_delete, "delete", "data")
        if ORDERING in names:
            given["ordering"] = rows.column(ORDERING)
        fields = [given.get(field.name, pa.nulls(number, field.type)).cast(field.type) for field in kind]
        told = pa.StructArray.from_arrays(fields, fields=list(kind))
        return self.without_outcome(rows.select(list(self.job.columns)).columns, QUARANTINE, told)


def _point_of(failure: MergePointError) -> str | None:
    return None if failure.point is None else failure.point.value


class _GuardedMerges(RowMerges):
    """Merges the rows of many keys; one that fails is noted, and has no source."""

    def pairs(self, batch: pa.RecordBatch, firsts: Rows) -> tuple[Codes, list[Record]]:
        unread: dict[int, Exception] = {}
        stored = readable(self._read_stored, batch, firsts, unread.__setitem__)
        newer = readable(self._read_newer, batch, firsts + 1, lambda row, error: unread.__setitem__(row - 1, error))
        return self._guarded(self._calls.pair, firsts, unread, stored, newer)

    def singles(self, batch: pa.RecordBatch, rows: Rows) -> tuple[Codes, list[Record]]:
        unread: dict[int, Exception] = {}
        records = readable(self._read_newer, batch, rows, unread.__setitem__)
        return self._guarded(self._calls.single, rows, unread, records)

    def _guarded(
        self, merge: Callable[..., int], rows: Rows, unread: dict[int, Exception], *records: list[Record]
    ) -> tuple[Codes, list[Record]]:
        made: list[Record] = []
        for row, error in unread.items():
            self._failed(row, error)

        def guarded(row: int, *versions: Record) -> int:
            if row in unread:
                return _FAILED
            try:
                return merge(*versions, made)
            except Exception as error:  # noqa: BLE001 (whatever a payload raises)
                self._failed(row, error)
                return _FAILED

        return np.fromiter(map(guarded, rows.tolist(), *records), np.int8, len(rows)), made
