"""File slices: which base file and log files hold a file group, now or as of an instant.

An own reader of the names on storage. hudi-rs 0.5 was measured first: of 402 tables that real Hudi wrote it gives other
slices for 9 (pending compactions of version 6, a first commit that never completed) and refuses 6.
Source: AbstractTableFileSystemView, HoodieFileGroup.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bridge.hudi.files import Listing
    from bridge.hudi.timeline import ActiveTimeline

_BASE_FILE = re.compile(r"([^_.][^_]*)_([^_]+)_(\d+)(\.(?:parquet|orc|hfile|lance))")
_LOG_FILE = re.compile(r"\.([^_]+)_(\d+)\.log\.(\d+)(?:_([\w-]+))?(\.cdc)?")
_CDC = ".cdc"


class LogFile(NamedTuple):
    """A log file, in the order in which readers take the files of a slice.

    Attributes:
        instant: of its name: its slice's (table versions 5 and 6) or its own delta commit's (8 and 9).
        version: its number.
        token: the write token; empty in very old tables.
        suffix: `.cdc` or empty.
        name: its name.
        file_id: its file group.
    """

    instant: str
    version: int
    token: str
    suffix: str
    name: str
    file_id: str

    @property
    def is_cdc(self) -> bool:
        """Whether it holds change data, which does not belong to a snapshot."""
        return self.suffix == _CDC


class BaseFile(NamedTuple):
    """A base file."""

    file_id: str
    instant: str
    name: str


@dataclass(frozen=True)
class FileSlice:
    """What a reader merges: one base file, or none, and the log files on it.

    Attributes:
        partition: the path of the partition.
        file_id: the file group.
        base_instant: the instant that the slice begins with.
        base_file: the name of the base file; None where there are log files alone.
        log_files: the names of the log files, in reading order, CDC files included.
        size: bytes of all its files.
    """

    partition: str
    file_id: str
    base_instant: str
    base_file: str | None = None
    log_files: tuple[str, ...] = ()
    size: int = field(default=0, compare=False)

    def path_of(self, name: str) -> str:
        """Return the path of one of its files, below the table."""
        return f"{self.partition}/{name}" if self.partition else name

    @property
    def last_file(self) -> str:
        """The name of the file that was written last."""
        return next(reversed(self.data_logs), self.base_file or "")

    @property
    def data_logs(self) -> tuple[str, ...]:
        """The log files that a snapshot reads."""
        return tuple(name for name in self.log_files if not name.endswith(_CDC))


def files_of(slices: Iterable[FileSlice], *, bases_only: bool = False) -> frozenset[str]:
    """Return the paths of the files that some slices read, below the table."""
    return frozenset(
        one.path_of(name)
        for one in slices
        for name in (*filter(None, [one.base_file]), *(() if bases_only else one.log_files))
    )


@dataclass
class _Group:
    """The files of a file group."""

    bases: list[BaseFile] = field(default_factory=list)
    logs: list[LogFile] = field(default_factory=list)


@dataclass
class _Slice:
    base: BaseFile | None = None
    is_lost: bool = False  # it has a base file whose commit never completed
    logs: list[LogFile] = field(default_factory=list)


class _FileGroup(NamedTuple):
    """A file group: where it is, the bytes of files of its partition, its slices, and its pending compaction."""

    partition: str
    file_id: str
    sizes: Mapping[str, int]
    slices: dict[str, _Slice]
    compaction: str | None

    def file_slice(self, key: str, logs: Iterable[LogFile]) -> FileSlice:
        """Return one of its slices, with these logs."""
        base, names = self.slices[key].base, tuple(log.name for log in logs)
        files = names if base is None else (base.name, *names)
        size = sum(self.sizes[name] for name in files)
        return FileSlice(self.partition, self.file_id, key, base and base.name, names, size)


class SliceView:
    """The file slices of a table, worked out from one listing.

    Attributes:
        listings: the files of each partition.
    """

    def __init__(self, timeline: ActiveTimeline, listings: Iterable[Listing], *, has_completion_times: bool) -> None:
        """Take the timeline and what lies in each partition; the timeline must have been listed first."""
        self._timeline = timeline
        self._own_instants = has_completion_times  # log files are named by their own instant, not by their slice's
        self.listings = list(listings)
        self._compactions = {
            (operation["partitionPath"] or "", operation["fileId"]): instant.requested
            for instant in timeline.pending_compactions
            for operation in timeline.plan(instant).get("operations") or ()
        }

    @property
    def pending_groups(self) -> frozenset[tuple[str, str]]:
        """Partition and file id of the file groups that a compaction is planned for which has not completed."""
        return frozenset(self._compactions)

    def latest(self, until: str) -> list[FileSlice]:
        """Return the slices that a snapshot as of `until` (requested time) reads, by partition and file id."""
        return list(self._chosen(until, bases_only=False))

    def latest_bases(self, until: str) -> list[FileSlice]:
        """Return the slices that a read-optimized query reads: of each file group the last one with a base file."""
        return list(self._chosen(until, bases_only=True))

    def groups(self, until: str) -> list[list[FileSlice]]:
        """Return all slices of each file group that the files still hold, the oldest first; replaced ones, too."""
        found = [
            [one.file_slice(key, one.slices[key].logs) for key in self._counted(one, until)] for one in self._groups
        ]
        return [slices for slices in found if slices]

    def on_pending_compactions(self) -> frozenset[str]:
        """Return the log files that are named after a compaction which has not completed: of versions 5 and 6 alone."""
        return frozenset(
            log.name
            for one in self._groups
            for log in (one.slices[one.compaction].logs if one.compaction else ())
            if log.instant == one.compaction
        )

    def strays(self, until: str) -> Iterator[FileSlice]:
        """Give the logs that a snapshot as of `until` leaves out: by their name they continue no file of their group.

        Each is a slice without a base file; only table versions 5 and 6 name logs so.
        """
        for one in () if self._own_instants else self._current(until):
            for key in sorted(self._strays(one, until)):
                yield one.file_slice(key, one.slices[key].logs)

    def _chosen(self, until: str, *, bases_only: bool) -> Iterator[FileSlice]:
        for one in self._current(until):
            slices, keys = one.slices, self._counted(one, until)
            if bases_only:
                keys = [key for key in keys if slices[key].base is not None][-1:]
            if not keys:
                continue
            key, logs = keys[-1], slices[keys[-1]].logs
            if key == one.compaction and len(keys) > 1:  # not executed yet: what it will read is still the slice
                key = keys[-2]
                logs = sorted([*slices[key].logs, *logs])
            yield one.file_slice(key, () if bases_only else logs)

    def _current(self, until: str) -> Iterator[_FileGroup]:
        """Give the groups that no commit up to `until` replaced."""
        replaced = self._timeline.replaced(until)
        return (one for one in self._groups if (one.partition, one.file_id) not in replaced)

    @functools.cached_property
    def _groups(self) -> list[_FileGroup]:
        """Each file group with its slices, by partition and file id."""
        return [
            _FileGroup(partition, file_id, sizes, self._slices(group, compaction), compaction)
            for partition, sizes in self.listings
            for file_id, group in sorted(groups_of(sizes).items())
            for compaction in [self._compactions.get((partition, file_id))]
        ]

    def _counted(self, one: _FileGroup, until: str) -> list[str]:
        """Return the instants of the slices of a group that count as of `until`, in order."""
        strays = self._strays(one, until)
        keys = (key for key in one.slices if key <= until and key not in strays)
        return sorted(key for key in keys if self._counts(key, one.slices[key], one.compaction))

    def _counts(self, key: str, found: _Slice, compaction: str | None) -> bool:
        """Whether a slice is more than what a writer left that never completed."""
        if key == compaction or self._timeline.is_valid(key):
            return bool(found.base or found.logs)
        # Version 6: an inflight instant began the slice with a log; its blocks are judged one by one.
        return not self._own_instants and found.base is None and bool(found.logs) and not found.is_lost

    def _strays(self, one: _FileGroup, until: str) -> frozenset[str]:
        """Return the slices without a base file whose logs continue none, by their name, and are read all the same.

        0.15 passes over such logs, or reads them alone; 1.0 and later take those of an unknown instant, or of one after
        the last base file, for logs of that file. A compaction, and the first write of a group, begin a slice of logs.
        """
        logged = [key for key, found in one.slices.items() if found.logs and not (found.base or found.is_lost)]
        if self._own_instants or not logged:
            return frozenset()
        first = min((key for key in logged if key <= until and self._timeline.is_valid(key)), default=None)
        begun = max((key for key, found in one.slices.items() if found.base and key <= until), default=first)
        return frozenset(
            key
            for key in logged
            if begun is not None and key != one.compaction and (key > begun or not self._timeline.knows(key))
        )

    def _slices(self, group: _Group, compaction: str | None) -> dict[str, _Slice]:
        slices: dict[str, _Slice] = defaultdict(_Slice)
        for base in group.bases:
            # A compaction that did not complete may have left a part of its base file.
            if self._timeline.is_valid(base.instant) and base.instant != compaction:
                slices[base.instant].base = base
            elif not self._own_instants and base.instant != compaction:
                slices[base.instant].is_lost = True
        if compaction is not None:
            slices[compaction]  # it takes log files before it has a base file
        for log in sorted(group.logs):
            if not self._own_instants:
                slices[log.instant].logs.append(log)
                continue
            key = self._slice_of(log, slices)
            if self._timeline.is_valid(log.instant) and not self._timeline.is_inflight(log.instant):
                slices[key].logs.append(log)
        return slices

    def _slice_of(self, log: LogFile, slices: dict[str, _Slice]) -> str:
        """Return the last slice that had begun when the log file's commit completed, or the one that it begins."""
        if slices:
            completed = self._timeline.completion_time(log.instant)
            begun = [key for key in slices if key <= completed]
            if begun:
                return max(begun)
        slices[log.instant]  # later log files lie on it, too
        return log.instant


def groups_of(names: Iterable[str]) -> dict[str, _Group]:
    """Return the base files and logs among some names, by file id."""
    groups: dict[str, _Group] = defaultdict(_Group)
    for name in names:
        if (base := base_file(name)) is not None:
            groups[base.file_id].bases.append(base)
        elif (log := log_file(name)) is not None:
            groups[log.file_id].logs.append(log)
    return groups


def base_file(name: str) -> BaseFile | None:
    """Return what the name of a base file says; None for another file."""
    match = _BASE_FILE.fullmatch(name)
    return None if match is None else BaseFile(match[1], match[3], name)


def log_file(name: str) -> LogFile | None:
    """Return what the name of a log file says; None for another file."""
    match = _LOG_FILE.fullmatch(name)
    if match is None:
        return None
    return LogFile(match[2], int(match[3]), match[4] or "", match[5] or "", name, match[1])
