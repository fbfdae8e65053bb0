"""What readers and compaction of 0.15 call: payloads fold the log, then merge with the stored row.

Source: HoodieMergedLogRecordScanner and RecordMergingFileIterator of 0.15.0; the index of 1.0.2 reads logs so, too.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from bridge.config import capabilities
from bridge.merge.calls import LogRule, MergePointError, PairMerge
from bridge.merge.carriers import LogDelete, PayloadVersion, StoredRow, with_meta_columns
from bridge.merge.kept_rows import deletes_of, fails_alone, flag_of, kept_by
from bridge.merge.outcome import INSERT, KEEP, SKIPPED, UPDATE, Outcome
from bridge.merge.payload_base import Payloads
from bridge.merge.points import LOG_SCANNER, MergePoint, Rule
from mergers.laws import copied_payload
from payloads import NATURAL_ORDER
from payloads.ordering_fields import raw_converter
from payloads.records import RuleVersion, merged
from payloads.rules import AnyOf, ByOrdering, Case, Effect, IsNatural, IsUnordered, MergeRule, Point, Role

if TYPE_CHECKING:
    from bridge.merge.calls import KeyReader, Listener, SingleRows
    from bridge.merge.carriers import LogRow, RowShape
    from bridge.merge.outcome import RowSource
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads import AvroSchema, Ordering, PayloadRef, Record
    from payloads.ordering_fields import Reader


LOG_ENTRIES: Final = MergeRule(
    ByOrdering(unlike_wins=True),
    cases=(Case(AnyOf((IsNatural(Role.NEWER), IsUnordered(Role.OLDER))), Effect.INCOMING),),
)
"""An entry of a delete block and what came before it, which stays if its ordering value is greater, of one class."""


class LogScanner(Payloads):
    """What readers of 0.15 call, and the index of 1.0: entries are pre-combined, then merged with the stored row."""

    def __init__(
        self, payload: PayloadRef, plan: MergePlan, schema: AvroSchema, shape: RowShape, listener: Listener | None
    ) -> None:
        """Bind the reader's calls."""
        own = None if not capabilities(plan.release).file_group_reader else LOG_SCANNER
        super().__init__(payload, plan, schema, shape, listener, own)
        self._at_log_fold = self._at[MergePoint.LOG_FOLD]
        self._logged_class = self.payload_class.for_schema(self._at_log_fold.schema)
        self.ordering_of = self._ordering_reader()

    def fold_log(self, folded: PayloadVersion | None, key: HoodieKey, entry: LogRow | LogDelete) -> PayloadVersion:
        """Fold the next log entry of a key into its folded log."""
        try:
            if isinstance(entry, LogDelete):
                return self._fold_delete(folded, key, entry)
            record = with_meta_columns(entry.record)
            payload = self._logged_class(record, self.ordering_of(record))  # type: ignore[arg-type]
        except Exception as error:
            raise MergePointError(MergePoint.LOG_FOLD, error) from error
        newer = PayloadVersion(key, payload, entry.source)
        return newer if folded is None else self._fold(self._at_log_fold, folded, newer)

    def read(self, point: MergePoint, base: StoredRow | None, folded: PayloadVersion | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log, for a query or a compaction."""
        if folded is None:
            return SKIPPED if base is None else Outcome(KEEP, base)
        try:
            # Every read builds its payloads anew: what a payload remembers of this one must not last.
            payload = copied_payload(folded.payload)
        except Exception as error:
            raise MergePointError(point, error) from error
        return self.read_once(point, base, PayloadVersion(folded.key, payload, folded.source))  # type: ignore[arg-type]

    def read_once(self, point: MergePoint, base: StoredRow | None, folded: PayloadVersion) -> Outcome[StoredRow]:
        """Merge as `read` does, with a folded log that is not read again."""
        at = self._at[point]
        if base is None:
            return self._insert(at, folded)
        stored = StoredRow(base.key, with_meta_columns(base.record), at.schema)
        outcome = self._apply(at, stored, folded)
        return Outcome(KEEP, base) if outcome.action is KEEP else outcome

    def read_rules(self) -> tuple[MergeRule | None, ...]:
        """Return the rules of the class in a log, with the stored row and alone, and that of delete entries."""
        at = self._at[MergePoint.SNAPSHOT]
        own = (self._rule(Point.BATCH, self._at_log_fold), self._rule(Point.STORED, at), self._rule(Point.ALONE, at))
        return (LOG_ENTRIES, *own)

    def log_rule(self) -> LogRule | None:
        """Return the comparisons of the classes that take a version whole; None for all others."""
        at = self._at[MergePoint.SNAPSHOT]
        compared = self.ordering if self.ordering in self.schema.by_name else None
        log = kept_by(self._rule(Point.BATCH, self._at_log_fold), compared, of_log=True)
        stored, alone = self._rule(Point.STORED, at), self._rule(Point.ALONE, at)
        deletes = deletes_of(alone, at.schema)
        if log is None or stored is None or kept_by(stored) is None or deletes is None or fails_alone(alone):
            return None
        if capabilities(self.release).file_group_reader:
            return None
        base = PairMerge(stored, at.schema, self._carried(self.ordering_of), marks=False)
        return LogRule(log, base, dataclasses.replace(deletes, flag=flag_of(self.schema).flag))

    def stated_rules(self, point: MergePoint) -> None:
        """Return nothing: delete entries meet rows by a rule of their own."""

    def single_rows(self, point: MergePoint, _key_of: KeyReader | None = None) -> SingleRows:
        """Return what `fold_log` and `read` come to for keys with one row in the log; payloads know no key."""
        calls = self._single_rows(self._logged_class, self.ordering_of, MergePoint.LOG_FOLD, self._at[point])
        if self._shape.has_meta:  # then all records have the meta columns already
            return calls
        merge, insert = calls.pair, calls.single

        def pair(stored: Record, logged: Record, made: list[Record]) -> RowSource:
            return merge(with_meta_columns(stored), with_meta_columns(logged), made)

        def single(logged: Record, made: list[Record]) -> RowSource:
            return insert(with_meta_columns(logged), made)

        return calls._replace(pair=pair, single=single)

    def _fold_delete(self, folded: PayloadVersion | None, key: HoodieKey, entry: LogDelete) -> PayloadVersion:
        ordering, stays = entry.ordering or NATURAL_ORDER, False
        if folded is not None:
            kept = RuleVersion({}, folded.payload.get_ordering_value())
            outcome = merged(LOG_ENTRIES, kept, RuleVersion(None, ordering), self.schema)
            stays = outcome is not None and outcome.gives is Effect.CURRENT
        result = folded if folded is not None and stays else PayloadVersion(key, self._logged_class(None, ordering))
        if self._listener is not None:
            action = INSERT if folded is None else KEEP if stays else UPDATE
            self._listener.merged(MergePoint.LOG_FOLD, Rule.COMPARISON, folded, entry, Outcome(action, result))
        return result

    def _ordering_reader(self) -> Reader:
        """The log's way until 0.15: a top-level field as it is stored; Integer 0 if there is no such field."""
        field = self.schema.by_name.get(self.ordering) if self.ordering is not None else None
        if field is None:
            return lambda _record: NATURAL_ORDER
        convert = raw_converter(field.schema)

        def read(record: Record) -> Ordering | None:
            value = record[field.name]
            return None if value is None else convert(value)

        return read
