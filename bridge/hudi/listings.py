"""The files of a table, as the storage or the metadata table lists them, and in what the two differ."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.file_slices import SliceView, files_of
from bridge.hudi.files import METADATA_FOLDER, Listing
from bridge.hudi.instants import DELTA_COMMIT
from bridge.hudi.metadata_table import lists_files, metadata_listings
from bridge.hudi.properties import PROPERTIES_FILE
from bridge.hudi.written_files import AlteredFile, altered_files

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bridge.hudi.files import TableFiles
    from bridge.hudi.properties import TableProperties
    from bridge.hudi.timeline import ActiveTimeline

_NO_INSTANT = "0"


class TableListings:
    """The file slices by either listing, each worked out once; readers of all releases share them."""

    def __init__(self, files: TableFiles, properties: TableProperties, timeline: ActiveTimeline) -> None:
        """Take a table whose timeline has been listed; its files are when they are asked for."""
        self._files, self._properties, self._timeline = files, properties, timeline
        self._views: dict[bool, SliceView] = {}

    @functools.cached_property
    def has_metadata(self) -> bool:
        """Whether the table has a metadata table that lists its files."""
        return lists_files(self._files, self._properties)

    def view(self, *, by_metadata: bool) -> SliceView:
        """Return the slices by one of the two listings.

        Raises:
            UnreadableTableError: the metadata table can't be read.
        """
        if by_metadata not in self._views:
            own_times = self._properties.has_completion_times
            listings = self._listings(by_metadata=by_metadata)
            self._views[by_metadata] = SliceView(self._timeline, listings, has_completion_times=own_times)
        return self._views[by_metadata]

    def _listings(self, *, by_metadata: bool) -> Iterable[Listing]:
        """Give the partitions; without partition fields the table is one, whatever folders it has.

        Source: BaseHoodieTableFileIndex.listPartitionPaths.

        Raises:
            UnreadableTableError: the table was removed since its timeline was read.
        """
        is_partitioned = bool(self._properties.partition_fields)
        if by_metadata:
            found = metadata_listings(self._files, self._timeline)
            return [one for one in found if is_partitioned or not one.partition]
        listed = [*self._files.partitions()] if is_partitioned else [Listing("", self._files.sizes(""))]
        if not any(one.sizes for one in listed) and not self._files.has_folder(METADATA_FOLDER):
            msg = f"{self._files.path} was removed while it was read; restore the table, or correct the path"
            raise UnreadableTableError(msg)
        return listed

    def altered_files(self) -> list[AlteredFile]:
        """Return the files that a snapshot needs and that are not on the storage as their commits wrote them.

        Raises:
            DamagedFileError: a commit can't be read.
        """
        listings = self.view(by_metadata=False).listings
        found = altered_files(
            self._timeline,
            listings,
            has_completion_times=self._properties.has_completion_times,
            is_partitioned=bool(self._properties.partition_fields),
        )
        reason = self._properties.misfit
        if not self._properties.may_have_logs and any(one.action == DELTA_COMMIT for one in self._timeline.instants):
            reason = "the table is copy-on-write, so the delta commits on its timeline are ignored"
        if reason is not None:
            path = self._files.described(PROPERTIES_FILE)
            found.insert(0, AlteredFile(PROPERTIES_FILE, "", 0, 0, f"{path}: {reason}"))
        return found

    def unlisted(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the files that a snapshot reads by one listing alone: the storage's, and the metadata table's.

        Without a metadata table that lists files there are none.

        Raises:
            UnreadableTableError: the metadata table can't be read.
        """
        if not self.has_metadata:
            return frozenset(), frozenset()
        until = self._timeline.latest or _NO_INSTANT
        stored, listed = (files_of(self.view(by_metadata=which).latest(until)) for which in (False, True))
        return stored - listed, listed - stored
