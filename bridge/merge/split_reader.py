"""A reader whose queries pass a payload other properties than its compactions do: each folds the log for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bridge.merge.carriers import StoredRow
from bridge.merge.file_group_reader import FileGroupReader
from bridge.merge.point_props import is_hudis
from bridge.merge.points import MergePoint
from mergers import RecordMergeMode

if TYPE_CHECKING:
    from bridge.config import EffectiveMergeConfig
    from bridge.merge.buffered import Setup
    from bridge.merge.calls import KeyReader, LogRule, Reader, SingleRows
    from bridge.merge.carriers import Carrier, LogDelete, LogRow
    from bridge.merge.outcome import Outcome
    from bridge.merge.stated_rules import StatedRules
    from bridge.plan import MergePlan
    from mergers import HoodieKey
    from payloads.rules import MergeRule


class SplitRow(StoredRow):
    """The folded log of a key as a query has it.

    Attributes:
        compacted: as a compaction has it.
    """

    __slots__ = ("compacted",)
    compacted: StoredRow

    @classmethod
    def of(cls, queried: StoredRow, compacted: StoredRow) -> SplitRow:
        """Return both."""
        rest = (queried.record, queried.schema, queried.source, queried.operation, queried.ordering_value)
        row = cls(queried.key, *rest, queried.made_at)
        row.compacted = compacted
        return row


def parts_of(folded: Carrier | None) -> tuple[Carrier | None, ...]:
    """Return the carriers of a folded log."""
    return (folded, folded.compacted) if isinstance(folded, SplitRow) else (folded,)


class SplitReader:
    """Two readers: of queries, and of compactions."""

    def __init__(self, setup: Setup) -> None:
        """Bind the calls; those of queries have the listener."""
        self._queries = FileGroupReader(setup, is_writer=False)
        self._compactions = FileGroupReader(setup._replace(listener=None))
        self._heard = FileGroupReader(setup)

    def fold_log(self, folded: StoredRow | None, key: HoodieKey, entry: LogRow | LogDelete) -> StoredRow:
        """Fold the next log entry of a key into its folded log, for both."""
        before = folded.compacted if isinstance(folded, SplitRow) else folded
        queried = self._queries.fold_log(folded, key, entry)
        return SplitRow.of(queried, self._compactions.fold_log(before, key, entry))

    def read(self, point: MergePoint, base: StoredRow | None, folded: StoredRow | None) -> Outcome[StoredRow]:
        """Merge the stored row with the folded log, for a query or a compaction."""
        if point is MergePoint.SNAPSHOT:
            return self._queries.read(point, base, folded)
        return self._heard.read(point, base, folded.compacted if isinstance(folded, SplitRow) else folded)

    read_once = read

    def read_rules(self) -> tuple[MergeRule | None, ...]:
        """Return the rules by which a query merges."""
        return self._queries.read_rules()

    def log_rule(self) -> LogRule | None:
        """Return the comparison of commit or event time; None for other modes."""
        return self._queries.log_rule()

    def stated_rules(self, point: MergePoint) -> StatedRules | None:
        """Return the rules that a user's class states."""
        return self._of(point).stated_rules(point)

    def single_rows(self, point: MergePoint, key_of: KeyReader | None = None) -> SingleRows:
        """Return what `fold_log` and `read` come to for keys with one row in the log."""
        return self._of(point).single_rows(point, key_of)

    def _of(self, point: MergePoint) -> FileGroupReader:
        return self._queries if point is MergePoint.SNAPSHOT else self._compactions


class ReaderViews(NamedTuple):
    """Which properties readers pass.

    Attributes:
        is_writer: whether a compaction passes the writer's.
        is_split: whether a query then passes others.
    """

    is_writer: bool
    is_split: bool


def reader_views(config: EffectiveMergeConfig, plan: MergePlan) -> ReaderViews:
    """Return which properties readers pass: one view does where no class is asked, or no setting is the user's."""
    is_asked = config.read.mode is RecordMergeMode.CUSTOM
    is_split = is_asked and any(not is_hudis(key) for key in plan.props)
    return ReaderViews(is_split or not is_asked, is_split)


def reader_of(setup: Setup) -> Reader[StoredRow]:
    """Return the reader of a plan."""
    views = reader_views(setup.config, setup.plan)
    return SplitReader(setup) if views.is_split else FileGroupReader(setup, is_writer=views.is_writer)
