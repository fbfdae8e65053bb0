"""What a release calls: the interfaces of a writer, a reader and an index lookup, of a listener, and how calls fail.

Writers, readers and lookups are generic in the carrier of a version: `PayloadVersion` where payload objects merge,
`StoredRow` where a merge mode does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from bridge.merge.points import MergePoint
from payloads import OrderingTypeError, PayloadBridgeError
from payloads.user import error_text, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from bridge.merge.carriers import Carrier, LogDelete, LogRow, StoredRow
    from bridge.merge.kept_rows import LastOfGreatest
    from bridge.merge.outcome import Outcome, RowSource
    from bridge.merge.points import Rule
    from bridge.merge.stated_rules import StatedRules
    from mergers import HoodieKey
    from payloads import AvroSchema, Ordering, PayloadRef, Record
    from payloads.rules import DeleteTests, MergeRule

    Pair = Callable[[Record, Record, list[Record]], RowSource]
    Single = Callable[[Record, list[Any]], RowSource]
    KeyReader = Callable[[Record], HoodieKey]

C = TypeVar("C")


class Listener(Protocol):
    """Told of every merge call; those of `SingleRows` have none."""

    def merged(
        self,
        point: MergePoint,
        rule: Rule,
        older: Carrier | None,
        newer: Carrier | LogDelete,
        outcome: Outcome[Carrier | LogDelete],
    ) -> None:
        """Take one call: where, by what, the version that was there, the one that came, and what became of them."""

    def payload_ref(self, payload: PayloadRef) -> PayloadRef:
        """Return by which reference the merge finds a payload class: as it is, or a class that reports its calls."""


_LEFT_LOG = "if an older release wrote the log, compact the table with that release before the upgrade"


class MergePointError(PayloadBridgeError, RuntimeError):
    """A call at a merge point failed, or what comes before and after the calls.

    Attributes:
        point: the merge point; None for a failure outside all of them.
        error: what was raised.
        identity: the columns that identify the row at fault, where it is not the one that a program took last.
    """

    def __init__(
        self, point: MergePoint | None, error: Exception, identity: Mapping[str, object] | None = None
    ) -> None:
        super().__init__(point, error, identity)
        self.point = point
        self.error = error
        self.identity = identity

    def __str__(self) -> str:
        return self.reason if self.point is None else f"{self.point.value}: {self.reason}"

    @property
    def reason(self) -> str:
        """What went wrong; an error that is not this project's is named by its type."""
        error = self.error
        if not isinstance(error, PayloadBridgeError):
            return f"{type(error).__name__}: {one_line(error_text(error))}"
        of_log = self.point in {MergePoint.LOG_FOLD, MergePoint.COMPACT, MergePoint.SNAPSHOT}
        return f"{error}; {_LEFT_LOG}" if of_log and isinstance(error, OrderingTypeError) else str(error)


def located(error: Exception) -> MergePointError:
    """Return an error with its merge point; what fails outside any call has none."""
    return error if isinstance(error, MergePointError) else MergePointError(None, error)


class Carried(NamedTuple):
    """The ordering value that a version carries.

    Attributes:
        column: where it is; None if each carries Integer 0.
        sample: a value, which tells the Java class of all.
    """

    column: str | None
    sample: Ordering


class PairMerge(NamedTuple):
    """By what a stored row and a newer one merge.

    Attributes:
        rule: the rule.
        schema: that of the merge.
        carried: the ordering value of the newer row, for a merge mode that of the stored row, too; None if columns
            don't tell.
        marks: whether it is a merge mode, to which rows come marked as deletes.
    """

    rule: MergeRule
    schema: AvroSchema
    carried: Carried | None
    marks: bool


class SingleRows(NamedTuple):
    """What a merge point does with a key that has one newer row, and none or one stored; no deletes without data.

    Attributes:
        pair: merges the stored row with the newer one; adds a record that it makes to the list.
        single: stores the newer row of a key without a stored one, likewise.
        pair_point: the merge point that makes the records of `pair`.
        single_point: that of `single`.
        stored: the rule of `pair`, for whole columns; None if each pair needs a call.
        tests: the column tests for newer rows that are stored as they are; None if each needs a call.
        needs_ordering: whether a null ordering value fails even if it is not compared: payloads refuse it when they are
            built.
    """

    pair: Pair
    single: Single
    pair_point: MergePoint
    single_point: MergePoint
    stored: PairMerge | None
    tests: DeleteTests | None
    needs_ordering: bool


class LogRule(NamedTuple):
    """The rule of a reader that takes one version of a key unchanged.

    It applies to keys without delete entries, none of whose log rows is a delete by `deletes` or has null in a column
    that `log` compares.

    Attributes:
        log: which of the rows of a log stays.
        base: what a row of the base file and that of the log merge to.
        deletes: the tests for rows that may be deletes.
    """

    log: LastOfGreatest
    base: PairMerge
    deletes: DeleteTests


class BatchRule(NamedTuple):
    """What a writer makes of the rows of a batch that have one key, if one column decides it.

    It applies to rows that are no deletes by `tests` and have an ordering value.

    Attributes:
        rule: which of them stays; None if that takes a call.
        tests: the column tests for rows that may be deletes.
        carried: their ordering values.
    """

    rule: LastOfGreatest | None
    tests: DeleteTests
    carried: Carried


DELETES = 8
"""Added to the source of a row that survives its batch as a delete."""


class MadeVersion(NamedTuple):
    """What a class makes of two rows of a batch: its record, None without data, and what a combined batch tells."""

    record: Record | None
    is_delete: bool
    ordering: Ordering | None


class UserBatch(NamedTuple):
    """What a writer makes of the one row of a key in a batch where a user's class decides, record by record.

    Attributes:
        survivor: whether the row survives the batch as data (INCOMING) or as a delete (NONE).
        combine: which of two rows of a key survives: the newer one (INCOMING), the older one (STORED), a delete where
            `DELETES` is added; or neither (MADE), and a `MadeVersion` is added to the list. None: that takes a program.
        entry: what it becomes in a log: itself (INCOMING), a record that is added to the list (MADE), nothing (STORED),
            or a delete (NONE), whose ordering value is added to the list.
        entry_point: the merge point that makes such a record.
        carried: the ordering value of the row.
    """

    survivor: Single
    combine: Callable[[Record, Record, list[object]], int] | None
    entry: Single
    entry_point: MergePoint
    carried: Carried


class Writer(Protocol[C]):
    """The calls of a writer."""

    def incoming(self, key: HoodieKey, record: Record | None, source: object, ordering: Ordering | None = None) -> C:
        """Make the version of an incoming row; `ordering` overrides what the ordering fields say."""

    def delete(self, key: HoodieKey, source: object) -> C:
        """Make the version of a key that is deleted without a row (HoodieDeleteHelper)."""

    def combine_input(self, older: C, newer: C) -> C:
        """Combine two versions of one batch, in their order of arrival."""

    def fold_uncombined(self, older: C, newer: C) -> C:
        """Fold two versions of a batch that was not combined into the one that is merged with the stored row."""

    def shuffled(self, version: C) -> C:
        """Return a version as the shuffle between the batch and the table hands it on."""

    def is_deleted(self, version: C) -> bool:
        """Whether the writer routes this version as a delete."""

    def insert(self, version: C, *, is_combined: bool = True) -> Outcome[StoredRow]:
        """Store a version of a key that has no row: INSERT, or SKIP for a delete and a version to ignore.

        `is_combined` says whether its operation combines a batch.
        """

    def upsert(self, base: StoredRow, version: C) -> Outcome[StoredRow]:
        """Merge with the stored row: KEEP, UPDATE or DELETE."""

    def log_entry(self, version: C) -> LogRow | LogDelete | None:
        """Return what the writer appends to the log of a stored key; None for a version to ignore."""

    def batch_rule(self) -> BatchRule | None:
        """Return what `incoming` and `combine_input` come to for rows that columns decide; None if calls have to."""

    def user_batch(self) -> UserBatch | None:
        """Return the calls of a user's class for rows that are alone in their batch; None if there are none."""

    def stated_rules(self) -> StatedRules | None:
        """Return the rules of `combine_input` and `upsert` that a user's payload class states; None if it has none."""

    def single_rows(self) -> SingleRows:
        """Return what `incoming`, `upsert` and `insert` come to for keys with one row of the batch."""


class Reader(Protocol[C]):
    """The calls of a reader, which are those of compaction, too."""

    def fold_log(self, folded: C | None, key: HoodieKey, entry: LogRow | LogDelete) -> C:
        """Fold the next log entry of a key into its folded log."""

    def read(self, point: MergePoint, base: StoredRow | None, folded: C | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log, for a query or a compaction."""

    def read_once(self, point: MergePoint, base: StoredRow | None, folded: C) -> Outcome[StoredRow]:
        """Merge as `read` does, with a folded log that is not read again."""

    def read_rules(self) -> tuple[MergeRule | None, ...]:
        """Return the rules of all merges of a query; None for one that is a call."""

    def log_rule(self) -> LogRule | None:
        """Return the rule by which one of the versions of a key is chosen; None if the calls have to decide."""

    def stated_rules(self, point: MergePoint, /) -> StatedRules | None:
        """Return the rules of `fold_log` and `read` that a user's payload class states; None if it has none."""

    def single_rows(self, point: MergePoint, key_of: KeyReader | None = None, /) -> SingleRows:
        """Return what `fold_log` and `read` come to for keys with one row in the log.

        `key_of` reads the identity of a record; by default, the plan's columns do.
        """


class IndexLookup(Protocol[C]):
    """The calls of a global index."""

    def merges(self, version: C, path: str) -> bool:
        """Whether the index merges `version` with the row that it found in the partition `path`."""

    def existing(self, base: StoredRow, entries: Iterable[LogRow | LogDelete]) -> StoredRow | None:
        """Return the current row of a file slice."""

    def merged(self, found: StoredRow, path: str, version: C) -> C | None:
        """Return the merged version, its partition in its key; None if the incoming one goes to the old one."""
