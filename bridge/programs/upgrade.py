"""A table that is upgraded: commits of one release, then those of the next on the same table.

Source: UpgradeDowngrade and its handlers of 1.1.1 and 1.2.0.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import TableMergeConfig, capabilities, change_version, created_properties, keys
from bridge.errors import PlanError
from bridge.merge import LogDelete, LogRow, StoredRow, logged_row
from bridge.plan import TableType
from bridge.programs.commits import Simulate
from bridge.programs.program import Origin
from bridge.programs.small_files import small_file_candidates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from bridge.merge import Carrier, RecordMerge
    from bridge.plan import MergePlan
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey

_FILL = "FILL_UNAVAILABLE"


class Handover(NamedTuple):
    """What happens to a table between two releases.

    Attributes:
        after: the last commit of the old release.
        kept: the new release on the table as the old one left it.
        upgraded: the new release on the upgraded table; None if the table keeps its version.
        upgrading: how the batch that upgrades is combined; None if the table keeps its version.
    """

    after: int
    kept: MergePlan
    upgraded: MergePlan | None = None
    upgrading: MergePlan | None = None


def handover(
    old: MergePlan,
    new: MergePlan,
    *,
    after: int,
    keep_table_version: bool = False,
    properties: Mapping[str, str] | None = None,
) -> Handover:
    """Return how a table that `old` made continues under the release, payload and properties of `new`.

    `properties` are what a real table stores; without them it stores what `old` creates.

    Raises:
        PlanError: there is nothing to upgrade, or more differs than what the writer passes.
        MergeConfigError: the settings contradict each other; in Hudi's words.
    """
    check_upgrade(old, new)
    created = created_properties(old.writer_options(), old.table_type, old.release)
    if properties is not None:
        created = dict(properties)
    stored = TableMergeConfig.from_properties(created, old.release)
    kept = dataclasses.replace(new, table=stored)
    version = capabilities(new.release).created_version
    if keep_table_version or version == stored.version:
        return Handover(after, kept)
    changed = change_version(created, version, new.release, new.writer_options())
    table = TableMergeConfig.from_properties(changed, new.release)
    upgraded = dataclasses.replace(new, table=table)
    # Its writer's properties were collected before the upgrade, so that dedup does not know the marker yet.
    is_filled = table.partial_update_mode == _FILL
    before = dataclasses.replace(table, partial_update_mode=None) if is_filled else table
    return Handover(after, kept, upgraded, dataclasses.replace(new, table=before))


def check_upgrade(old: MergePlan, new: MergePlan) -> None:
    """Refuse plans that make no upgrade of one table.

    Raises:
        PlanError: saying why.
    """
    problem = None
    if capabilities(new.release).payload_writer:
        problem = f"an upgrade to Hudi {new.release} is not ported, only to 1.1 and 1.2; name one of these"
    elif new.release < old.release:
        problem = f"Hudi {new.release} is older than {old.release}; an upgrade goes to a later release"
    elif (old.table_type, old.identity) != (new.table_type, new.identity):
        problem = "an upgrade changes neither the table type nor what identifies a row; give both plans the same"
    elif new.global_index:
        problem = "an upgrade of a table with a global index is not ported; leave the index out"
    elif old.runs_java or new.runs_java:
        problem = "an upgrade runs two releases at once, and the jvm engine only one; use a Python payload"
    elif old.table_type is TableType.MERGE_ON_READ and small_file_candidates(old.props):
        problem = f"an upgrade with the small-file rule is not ported; leave out {keys.SMALL_FILE_LIMIT}"
    if problem is not None:
        raise PlanError(problem)


class Upgrade(Simulate):
    """Commits of two releases on one table. Adds what `Simulate` adds.

    A merge-on-read table that is upgraded is compacted first, by the code of the new release under the settings and the
    table version of the old one: 1.2 writes what its own reader showed before.
    After the last commit of all there is nothing to write: then the new release only reads.
    """

    def __init__(
        self,
        merge: RecordMerge,
        *,
        commits: int,
        log_updates: bool,
        handover: Handover,
        compact_after: Collection[int] = (),
    ) -> None:
        """Set up a table; `merge` has the calls of the old release, the rest is as in `Simulate`."""
        super().__init__(merge, commits=commits, log_updates=log_updates, compact_after=compact_after)
        after, kept, upgraded, upgrading = handover
        self._after = after
        self._only_read = after == commits
        self._old = self._kept = self._new = self._upgrading = merge
        self._entries: list[StoredRow | LogDelete] = []
        # Reading copy-on-write merges nothing, nor does upgrading it.
        if log_updates or (upgraded is None and not self._only_read):
            self._kept = self._new = self._upgrading = merge.with_plan(kept)
        if upgraded is not None:
            self._new = merge.with_plan(upgraded)
            self._upgrading = self._new if upgrading is None else merge.with_plan(upgrading)
        self._compacts = upgraded is not None

    def start(self, key: HoodieKey) -> None:
        """Begin a key of an empty table of the old release."""
        super().start(key)
        self.merge, self._entries = self._old, []

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of the table, the visible row and the log entries."""
        yield from super().held()
        yield from (entry for entry in self._entries if isinstance(entry, StoredRow))

    def fold_input(self, arrival: Arrival) -> None:
        """Combine an incoming version with those of its batch before it."""
        merge = self.merge
        if arrival.commit == self._after + 1:
            self.merge = self._upgrading
        super().fold_input(arrival)
        self.merge = merge

    def take_stored(self, arrival: Arrival, emit: Emit) -> None:
        """Take a stored row, or note a log entry: the new release folds the log that the table has."""
        if arrival.origin is not Origin.LOG:
            super().take_stored(arrival, emit)
        elif arrival.is_delete:
            self._entries.append(LogDelete(arrival.ordering))
        else:
            self._entries.append(logged_row(self.key, LogRow(arrival.record or {}, arrival.source)))

    def append_log(self, entry: LogRow | LogDelete) -> None:
        """Note an entry, also as it is: another release folds the same log anew."""
        super().append_log(entry)
        if self._commit <= self._after:
            self._entries.append(entry if isinstance(entry, LogDelete) else logged_row(self.key, entry))

    def compact(self) -> None:
        """Merge the log into the base file."""
        super().compact()
        self._entries.clear()

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        if self._commit <= self._after < next_commit:
            super()._end_commit(self._after + 1, emit)
            self._hand_over(emit)
        super()._end_commit(next_commit, emit)

    def _hand_over(self, emit: Emit) -> None:
        """Let the new release take over the table; what it sees counts from its first commit on."""
        self.merge, self.log = self._kept, None
        for entry in self._entries:
            same = entry if isinstance(entry, LogDelete) else LogRow(entry.record or {}, entry.source)
            self.log = self.merge.fold_log(self.log, self.key, same)
        self._entries.clear()
        if self._compacts:
            self.compact()
        self.merge = self._new
        self.query(self._after if self._only_read else self._after + 1, emit)
