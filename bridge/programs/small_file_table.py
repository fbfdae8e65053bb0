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
from bridge.programs.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.listeners import CommitListener
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


class _FileSize:
    """The size of a file group: how many rows its base file has, and whether there is a log."""

    def __init__(self) -> None:
        self.rows = 0
        self.has_log = False


class _PlacedKey:
    """A key of the path.

    Attributes:
        named: the record that it began with.
        table: the key through the commits.
        file: the file that has its row; None if none has.
    """

    def __init__(self, table: Table, key: HoodieKey, named: Record) -> None:
        self.named = named
        self.table = table
        self.table.start(key)
        self.file: _FileSize | None = None

    def write(self, file: _FileSize, next_commit: int, emit: Emit, *, to_log: bool) -> None:
        """End a commit that writes to the file that has the key, or that new keys go to."""
        files = self.table.files
        files.log_updates = to_log
        self.end_commit(next_commit, emit)
        file.has_log = file.has_log or files.has_log
        self.settle(file)

    def end_commit(self, next_commit: int, emit: Emit) -> None:
        """End a commit, and run the compactions before the next; a failure says of which key."""
        try:
            self.table.end_commit(next_commit, emit)
        except Exception as error:
            raise self._located(error) from error

    def finish(self, emit: Emit) -> None:
        """Emit what is visible after the last commit; a failure says of which key."""
        try:
            self.table.finish(emit)
        except Exception as error:
            raise self._located(error) from error

    def _located(self, error: Exception) -> MergePointError:
        failure = located(error)
        identity = {name: self.named.get(name) for name in self.table.merge.plan.identity}
        return MergePointError(failure.point, failure.error, identity)

    def settle(self, file: _FileSize) -> None:
        """Note in which file the row is, after a write."""
        holds = self.table.files.is_found
        if holds != (self.file is file):
            file.rows += 1 if holds else -1
        self.file = file if holds else None


class SmallFileTable:
    """The keys of one partition path through the commits of a merge-on-read table with the small-file rule.

    Each key is a `Table`; this says before each commit which keys write to a log. Adds what `Table` adds.

    Attributes:
        listener: is told what became of the rows of each key.
    """

    listener: CommitListener | None = None

    def __init__(
        self, merge: RecordMerge, *, commits: int, candidates: int, compact_after: Collection[int] = ()
    ) -> None:
        """Set up a partition; `candidates` is how many small files a batch may rewrite, the rest as in `Table`."""
        self._merge = merge
        self._commits = commits
        self._candidates = candidates
        self._compactions = frozenset(compact_after)
        self._start()

    def start(self, key: HoodieKey) -> None:  # noqa: ARG002 (the path alone matters)
        """Begin a partition path."""
        self._start()

    def _start(self) -> None:
        self._commit = self._measured = 0
        self._keys: dict[HoodieKey, _PlacedKey] = {}
        self._files: list[_FileSize] = []
        self._touched: dict[HoodieKey, _PlacedKey] = {}

    def accept(self, arrival: Arrival, emit: Emit) -> None:
        """Take a version of any key of the path."""
        if arrival.commit != self._commit:
            self._end_commit(arrival.commit, emit)
        named = arrival.record or {}
        key = self._merge.key_of(named)
        stored = self._keys.get(key)
        if stored is None:
            self._check_size(arrival)
            stored = self._keys[key] = _PlacedKey(self._new_table(), key, named)
        self._touched[key] = stored
        stored.table.accept(arrival, emit)

    def finish(self, emit: Emit) -> None:
        """End the last commits and emit what is visible then."""
        self._end_commit(self._commits + 1, emit)
        for stored in self._keys.values():
            stored.finish(emit)

    def held(self) -> Iterator[Carrier]:
        """Give the carriers of every key."""
        for stored in self._keys.values():
            yield from stored.table.held()

    def _new_table(self) -> Table:
        table = Table(self._merge, commits=self._commits, log_updates=True, compact_after=self._compactions)
        table.listener = self.listener
        return table

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

    def _end_commit(self, next_commit: int, emit: Emit) -> None:
        """End a commit of every key that has rows in it, and a compaction of all keys."""
        touched, self._touched = self._touched, {}
        new = [stored for stored in touched.values() if stored.file is None]
        chosen = self._small_files() if new else []
        for stored in touched.values():
            if stored.file is not None:
                stored.write(stored.file, next_commit, emit, to_log=stored.file not in chosen)
        home = chosen[0] if chosen else _FileSize()
        for stored in new:
            stored.write(home, next_commit, emit, to_log=False)
        if home.rows and home not in self._files:
            self._files.append(home)
        if any(self._commit <= commit < next_commit for commit in self._compactions):
            for stored in self._keys.values():
                stored.end_commit(next_commit, emit)
                if stored.file is not None:
                    stored.settle(stored.file)
            for file in self._files:
                file.has_log = False
        self._commit = next_commit

    def _small_files(self) -> list[_FileSize]:
        small = [file for file in self._files if not file.has_log]
        return sorted(small, key=lambda file: file.rows)[: self._candidates]
