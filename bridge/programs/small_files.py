"""The small-file rule of merge-on-read writes: when Hudi merges a batch into base files instead of the log.

A partition that gets new keys puts them into small base files without a log, and then merges all that the batch has
for these file groups copy-on-write. So keys of one partition path depend on each other: the program below keeps the
keys of a path in the memory of one task, and refuses a path that is too large for it. The sizes of files are not
simulated: every base file counts as small, and the file with fewer rows as the smaller one.

Source: UpsertPartitioner and SparkUpsertDeltaCommitPartitioner, all releases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.config import keys
from bridge.errors import InputError
from bridge.merge import MergePointError, located
from bridge.programs.commit_loop import CommitLoop
from bridge.programs.files import Files
from bridge.programs.key_state import fold_version

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from bridge.merge import Carrier, RecordMerge, StoredRow
    from bridge.plan import MergePlan
    from bridge.programs.commit_loop import VisibleRows
    from bridge.programs.program import Arrival, Emit
    from mergers import HoodieKey
    from payloads import Record


MOST_BYTES = 1 << 29
"""How much text a partition path may have in a task; Python's objects take a few times as much."""
MEASURED_EVERY = 256
"""The first version of every so many keys is measured."""
TOO_LARGE = (
    "the small-file rule keeps the keys of a partition path in the memory of one task, and this one has more than "
    f"%d, about %d MiB; leave out {keys.SMALL_FILE_LIMIT}, or give batches with less of this partition"
)
"""What is wrong with a path of so many keys and MiB; Java formats it, too."""


def small_file_candidates(props: Mapping[str, str]) -> int:
    """Return how many small files of a partition a batch may rewrite; 0 if the rule is off.

    The limit counts only where it is set: a plan says nothing about file sizes otherwise.
    """
    return int(props.get(keys.SMALL_FILE_CANDIDATES, "1")) if int(props.get(keys.SMALL_FILE_LIMIT, "0")) > 0 else 0


def inserts_into_files(props: Mapping[str, str]) -> bool:
    """Whether a setting says that new rows go to the small file that a partition has, not to a new one."""
    return int(props.get(keys.SMALL_FILE_LIMIT, "0")) > 0


def fills_small_files(plan: MergePlan) -> bool:
    """Whether the operation insert goes to a small file that the partition has.

    So it does by Hudi's own limit of 100 MiB, until a setting turns it off. A file of a merge-on-read table that has a
    log is none.
    """
    return int(plan.props.get(keys.SMALL_FILE_LIMIT, "104857600")) > 0


def updates_by_insert(plan: MergePlan) -> bool:
    """Whether an insert of a key that the small file has updates its row (HoodieMergeHandle, not HoodieConcatHandle).

    Source: HoodieMergeHandleFactory and HoodieWriteConfig.allowDuplicateInserts, all releases.
    """
    return fills_small_files(plan) and not keys.DUPLICATE_INSERTS.read(plan.props, plan.release)


class _FileSize:
    """The size of a file group: how many rows its base file has, and whether there is a log."""

    def __init__(self) -> None:
        self.rows = 0
        self.has_log = False


class _PlacedKey:
    """A key of the path.

    Attributes:
        named: the record that it began with.
        files: its file groups: one, or none.
        file: the file that has its row; None if none has.
        versions: those of the current commit.
        rows: how many rows the commit has.
    """

    def __init__(self, merge: RecordMerge, key: HoodieKey, named: Record) -> None:
        self.named = named
        self.files = Files(merge, log_updates=True)
        self.files.start(key)
        self.file: _FileSize | None = None
        self.versions: list[Carrier] = []
        self.rows = 0

    def write(self, merge: RecordMerge, file: _FileSize, *, to_log: bool) -> None:
        """Write the versions of the commit to the file that has the key, or that new keys go to."""
        versions, self.versions = self.versions, []
        self.files.log_updates = to_log
        self.files.write(merge, versions)
        if to_log:
            file.has_log = file.has_log or self.files.has_log
        self.settle(file)

    def settle(self, file: _FileSize) -> None:
        """Note in which file the row is, after a write."""
        holds = self.files.is_found
        if holds != (self.file is file):
            file.rows += 1 if holds else -1
        self.file = file if holds else None


class SmallFileTable(CommitLoop):
    """The keys of one partition path through the commits of a merge-on-read table with the small-file rule.

    Adds to an outcome what `Simulate` adds.
    """

    def __init__(
        self, merge: RecordMerge, *, commits: int, candidates: int, compact_after: Collection[int] = ()
    ) -> None:
        """Set up a partition; `candidates` is how many small files a batch may rewrite, the rest as in `Simulate`."""
        super().__init__(commits, compact_after)
        self._merge = merge
        self._candidates = candidates
        self._keys: dict[HoodieKey, _PlacedKey] = {}
        self._files: list[_FileSize] = []
        self._touched: dict[HoodieKey, _PlacedKey] = {}
        self._measured = 0
        self._current: _PlacedKey | None = None  # the key that is being merged

    def start(self, key: HoodieKey) -> None:  # noqa: ARG002 (the path alone matters)
        """Begin a partition path."""
        self._keys, self._files, self._touched, self._measured = {}, [], {}, 0
        self.rewind()
        self._current = None

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of any key of the path; a failure says of which key."""
        try:
            super().accept(arrival, emit)
        except Exception as error:
            if self._current is None:
                raise
            raise self._of_key(error, self._current) from error

    def finish(self, emit: Emit) -> None:
        """End the last commits; a failure says of which key."""
        try:
            super().finish(emit)
        except Exception as error:
            if self._current is None:
                raise
            raise self._of_key(error, self._current) from error

    def _of_key(self, error: Exception, at_fault: _PlacedKey) -> MergePointError:
        failure = located(error)
        identity = {name: at_fault.named.get(name) for name in self._merge.plan.identity}
        return MergePointError(failure.point, failure.error, identity)

    def _each(self, found: Iterable[_PlacedKey]) -> Iterator[_PlacedKey]:
        for self._current in found:
            yield self._current
        self._current = None

    def fold_input(self, arrival: Arrival) -> None:
        """Take a version of any key of the path."""
        self._current = None
        named = arrival.record or {}
        key = self._merge.key_of(named)
        stored = self._keys.get(key)
        if stored is None:
            self._check_size(arrival)
            stored = self._keys[key] = _PlacedKey(self._merge, key, named)
        version = self._merge.incoming(key, arrival.record, arrival.source, arrival.ordering)
        fold_version(self._merge, stored.versions, version)
        stored.rows += 1
        self._touched[key] = stored

    def written(self) -> Sequence[tuple[int, VisibleRows]]:
        """Return the keys that have rows in the current commit, each with their number."""
        return [(stored.rows, stored.files) for stored in self._touched.values()]

    def visible(self) -> list[StoredRow]:
        """Return the rows of the path that queries see."""
        return [row for stored in self._keys.values() for row in stored.files.visible()]

    def _check_size(self, arrival: Arrival) -> None:
        """Refuse a path that one task can't hold, by the text of every 256th key's first version.

        Raises:
            InputError: it is too large.
        """
        if len(self._keys) % MEASURED_EVERY:
            return
        self._measured += len(repr(arrival.record))
        held = self._measured * MEASURED_EVERY
        if held > MOST_BYTES:
            raise InputError(TOO_LARGE % (len(self._keys), held >> 20))

    def end_table(self, commit: int, emit: Emit) -> None:
        """Emit what is visible until `commit`."""
        for stored in self._each(self._keys.values()):
            stored.files.end(commit, emit)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of every key."""
        for stored in self._keys.values():
            yield from stored.files.held()
            yield from stored.versions

    def write_commit(self, emit: Emit) -> None:
        """Write what the commit has for the keys of the path, and take their snapshots."""
        new = [stored for stored in self._touched.values() if stored.file is None]
        chosen = self._small_files() if new else []
        for stored in self._each(self._touched.values()):
            if stored.file is not None:
                stored.write(self._merge, stored.file, to_log=stored.file not in chosen)
        home = chosen[0] if chosen else _FileSize()
        for stored in self._each(new):
            stored.write(self._merge, home, to_log=False)
        if home.rows and home not in self._files:
            self._files.append(home)
        for stored in self._each(self._touched.values()):
            stored.files.query(self._commit, emit)
            stored.rows = 0
        self._touched = {}

    def _small_files(self) -> list[_FileSize]:
        small = [file for file in self._files if not file.has_log]
        return sorted(small, key=lambda file: file.rows)[: self._candidates]

    def compact_after(self, commit: int, emit: Emit) -> None:
        """Compact the file groups that have a log, and take the snapshots of their keys."""
        for stored in self._each(self._keys.values()):
            if stored.file is not None and stored.file.has_log:
                stored.files.compact(commit)
                stored.files.query(commit, emit)
                stored.settle(stored.file)
        for file in self._files:
            file.has_log = False
