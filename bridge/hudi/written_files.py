"""The files that completed commits wrote and that a snapshot needs, held against what is on the storage.

A commit names each file that it wrote, with its size (HoodieWriteStat). Of a file group the last base file counts, and
the logs on it; older slices may have been cleaned.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from bridge.hudi.errors import DamagedFileError
from bridge.hudi.file_slices import base_file, groups_of, log_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bridge.hudi.file_slices import LogFile
    from bridge.hudi.files import Listing
    from bridge.hudi.timeline import ActiveTimeline


_NO_FIELDS: Final = "the table names no partition fields (hoodie.table.partition.fields), so no reader looks there"


class AlteredFile(NamedTuple):
    """A file that is not as the commit wrote it.

    Attributes:
        path: below the table.
        instant: the commit (requested time).
        written: its bytes, as the commit says; 0 where it does not.
        found: the bytes on the storage; None where the file is missing.
        reason: what is wrong with it, where it is not the size.
    """

    path: str
    instant: str
    written: int
    found: int | None
    reason: str = ""

    def __str__(self) -> str:
        """Say what is wrong with it."""
        if self.reason:
            return self.reason
        if self.found is None:
            return f"{self.path} is missing"
        return f"{self.path} has {self.found} bytes, but the commit {self.instant} wrote {self.written}"


class _WrittenFile(NamedTuple):
    name: str
    instant: str
    size: int


@dataclass
class _WrittenGroup:
    """What commits wrote of a file group."""

    bases: dict[str, _WrittenFile] = field(default_factory=dict)
    logs: dict[str, tuple[_WrittenFile, LogFile]] = field(default_factory=dict)


def altered_files(
    timeline: ActiveTimeline, listings: Iterable[Listing], *, has_completion_times: bool, is_partitioned: bool
) -> list[AlteredFile]:
    """Return the files of the last slices that are missing, or have another size than their commit says, by path.

    So is a commit that can't be read, which a query may not need. What only archived commits say is not looked at.

    Args:
        timeline: that of the table.
        listings: what is on the storage.
        has_completion_times: whether log files are named by their own instant, not by their slice's.
        is_partitioned: whether the table names partition fields; without, readers look into its own folder alone.

    Raises:
        DamagedFileError: a commit that replaced file groups can't be read, on which every query depends.
    """
    present = dict(listings)
    replaced = timeline.replaced(timeline.latest or "")
    found: list[AlteredFile] = []
    groups = _groups(timeline, found)
    logs_of_slices = [] if has_completion_times else list(groups.values())
    lost = _begun_by_open_instants(timeline, logs_of_slices) | _compacted_alone(timeline, present.values())
    why = "{} is open on the timeline, but later commits build on its files"
    found += [AlteredFile("", instant, 0, 0, why.format(instant)) for instant in sorted(lost)]
    for (partition, file_id), group in sorted(groups.items()):
        if (partition, file_id) in replaced:
            continue
        sizes = present.get(partition, {})
        for one, is_log in _needed(timeline, group, has_completion_times=has_completion_times):
            size = sizes.get(one.name)
            # Other commits, and rollbacks, may have appended to a log.
            is_whole = size is not None and (not one.size or (size >= one.size if is_log else size == one.size))
            if not is_whole:
                path = f"{partition}/{one.name}" if partition else one.name
                reason = f"{path} is in a partition, and {_NO_FIELDS}" if partition and not is_partitioned else ""
                found.append(AlteredFile(path, one.instant, one.size, size, reason))
    return found


def _begun_by_open_instants(timeline: ActiveTimeline, groups: Iterable[_WrittenGroup]) -> set[str]:
    """Return the open instants that lost their completion: others wrote logs to their slice, and compacted it.

    Releases until 0.15 leave these logs on their slice, later ones read them with the newest (HoodieFileGroup).
    """
    planned = {one.requested for one in timeline.pending_compactions}
    return {
        log.instant
        for group in groups
        for _, log in group.logs.values()
        if timeline.is_inflight(log.instant) and log.instant not in planned
        if log.instant < max(group.bases, default="")
    }


def _compacted_alone(timeline: ActiveTimeline, listings: Iterable[Iterable[str]]) -> set[str]:
    """Return the pending compactions whose base file is there, and nothing of what they would compact.

    Hudi reads such a base file (AbstractTableFileSystemView.fetchMergedFileSlice), which is not read here.
    """
    planned = {one.requested for one in timeline.pending_compactions}
    return {
        first
        for names in listings
        for group in groups_of(names).values()
        for first in [min([*(base.instant for base in group.bases), *(log.instant for log in group.logs)])]
        if first in planned and any(base.instant == first for base in group.bases)
    }


def _groups(timeline: ActiveTimeline, unread: list[AlteredFile]) -> dict[tuple[str, str], _WrittenGroup]:
    """Return what the commits of the active timeline wrote, by partition and file id; add those that can't be read."""
    found: dict[tuple[str, str], _WrittenGroup] = {}
    for instant in timeline.commits:
        try:
            said = timeline.metadata(instant)
        except DamagedFileError as error:
            unread.append(AlteredFile(instant.file, instant.requested, 0, 0, str(error)))
            continue
        for partition, stats in (said.get("partitionToWriteStats") or {}).items():
            for stat in stats or ():
                name = str(stat.get("path") or "").rpartition("/")[2]
                size = stat.get("fileSizeInBytes")
                written = _WrittenFile(name, instant.requested, size if isinstance(size, int) and size > 0 else 0)
                if (base := base_file(name)) is not None:
                    found.setdefault((partition, base.file_id), _WrittenGroup()).bases[base.instant] = written
                elif (log := log_file(name)) is not None and not log.is_cdc:
                    group = found.setdefault((partition, log.file_id), _WrittenGroup())
                    known = group.logs.get(name)
                    if known is None or known[0].size <= written.size:
                        group.logs[name] = written, log
                    below = base_file(str(stat.get("baseFile") or ""))
                    if below is not None:  # its own commit may be archived
                        group.bases.setdefault(below.instant, _WrittenFile(below.name, below.instant, 0))
    return found


def _needed(
    timeline: ActiveTimeline, group: _WrittenGroup, *, has_completion_times: bool
) -> Iterator[tuple[_WrittenFile, bool]]:
    """Give the files of a group that a snapshot reads, each with whether it is a log."""
    last = max(group.bases, default="")
    if last:
        yield group.bases[last], False
    for written, log in group.logs.values():
        begun = timeline.completion_time(log.instant) if has_completion_times else log.instant
        if begun >= last:
            yield written, True
