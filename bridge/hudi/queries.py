"""Queries of a table: which slices each reads, and by which rules; decided once, before any row is read.

A query is that of the release that counts as the table's writer, or of the one given: releases differ in which
blocks count, in how versions merge, and in where partition values come from.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple

from bridge.config import assumed_writer, assumed_writer_of, capabilities, keys
from bridge.hudi.base_files import bootstrap_sources
from bridge.hudi.block_order import BlockRules
from bridge.hudi.errors import UnreadableTableError
from bridge.hudi.file_slices import SliceView
from bridge.hudi.files import Listing, TableFiles
from bridge.hudi.listings import TableListings
from bridge.hudi.partition_values import check_paths, columns_in_paths, text_columns
from bridge.hudi.properties import PROPERTIES_FILE, TableProperties
from bridge.hudi.slice_query import Commits, SliceQuery
from bridge.hudi.stray_logs import check_strays
from bridge.hudi.table_class import TableClass
from bridge.hudi.table_schema import table_schema
from bridge.hudi.timeline import ActiveTimeline
from bridge.hudi.timestamp_units import local_timestamps, shown_schema
from bridge.hudi.vectors import vector_columns, written_by
from bridge.plan import CALL_TIMEOUT, MergePlan
from bridge.plan_arguments import payload_reference
from bridge.spark import META_COLUMNS
from payloads import HudiRelease, PayloadBridgeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    from bridge.config import Capabilities
    from bridge.hudi.file_slices import FileSlice
    from bridge.hudi.instants import Instant
    from payloads import HoodieRecordPayload, PayloadRef
    from payloads.avro import AvroSchema

LATEST_STATE = "latest_state"
"""The form of an increment that is answered (`hoodie.datasource.query.incremental.format`)."""
_NO_INSTANT = "0"
_SCANNER = HudiRelease.V0_15
"""The release whose rules fold logs where a payload scans them."""


class Answer(NamedTuple):
    """A query that is ready to run.

    Attributes:
        query: what each task needs.
        slices: what is read.
    """

    query: SliceQuery
    slices: list[FileSlice]


class TableQueries:
    """The queries that a table answers, as one release answers them.

    The timeline is listed first and the files after it, so that a commit that completes meanwhile is not half seen.

    Attributes:
        files, properties, timeline, listings, release: the table's, and the release that reads it.
    """

    def __init__(  # noqa: PLR0913 (what is known of it)
        self,
        path: str,
        release: str | HudiRelease | None = None,
        *,
        bootstrap: str | None = None,
        payload: str | type[HoodieRecordPayload] | PayloadRef | None = None,
        call_timeout: int = CALL_TIMEOUT,
        engine: str = "auto",
        in_tasks: Callable[[MergePlan], MergePlan] | None = None,
    ) -> None:
        """Open a table.

        Args:
            path: its base path.
            release: the release that reads; None for the one that counts as the table's writer.
            bootstrap: where the bootstrapped files lie now, if not where the table says.
            payload: the payload class that merges, in place of the table's own.
            call_timeout: see `TableClass`.
            engine: see `TableClass`.
            in_tasks: see `TableClass`.

        Raises:
            PayloadBridgeError: it can't be read (HudiTableError), release or class are unknown, or `in_tasks` raises.
        """
        self.files = TableFiles(path)
        self.properties = TableProperties.read(self.files)
        own = assumed_writer_of(self.properties.merge)
        self.release = self._checked(own if release is None else HudiRelease.asked(release))
        self._bootstrap = bootstrap or self.properties.bootstrap_source
        self.timeline = ActiveTimeline(self.files, self.properties)
        self.listings = TableListings(self.files, self.properties, self.timeline)
        if release is None:
            with contextlib.suppress(PayloadBridgeError):  # raised again by the query
                self.release = written_by(own, self.schema(self.timeline.latest or _NO_INSTANT))
        named = payload_reference(payload, self.release)
        self.table_class = TableClass(named, call_timeout, engine, in_tasks)
        if named is not None:
            self.properties = self.table_class.stored(self.properties, self.release)
            self.table_class.check(self.plan, path)

    def _checked(self, release: HudiRelease) -> HudiRelease:
        newest = capabilities(release).created_version
        if self.properties.version > newest:
            msg = (
                f"{self.files.path} has table version {self.properties.version}, but Hudi {release} reads only "
                f"{newest} and below; use release {assumed_writer(self.properties.version)} or later"
            )
            raise UnreadableTableError(msg)
        if capabilities(release).file_group_reader and keys.TIMELINE_LAYOUT not in self.properties.stored:
            lacking = f"the properties lack {keys.TIMELINE_LAYOUT}, without which Hudi finds no table"
            msg = f"{self.files.path}: {lacking}; restore {PROPERTIES_FILE}"
            raise UnreadableTableError(msg)
        return release

    def read_by(self, release: str | HudiRelease, stored: Mapping[str, str] | None = None) -> TableQueries:
        """Return the queries of another release's reader, or of other properties, on the same instant and files.

        Raises:
            UnreadableTableError: the release can't read the table's version.
            PayloadConfigError: unknown release.
        """
        _ = self.slices
        other = copy.copy(self)
        other.__dict__.pop("plan", None)
        other.release = self._checked(HudiRelease.asked(release))
        other.properties = self.properties if stored is None else TableProperties(stored)
        return other

    @property
    def _able(self) -> Capabilities:
        return capabilities(self.release)

    @property
    def slices(self) -> SliceView:
        """The file slices of the table, of the files that the metadata table lists or that lie on the storage.

        Raises:
            UnreadableTableError: the metadata table can't be read.
        """
        return self.listings.view(by_metadata=self.lists_by_metadata)

    @property
    def lists_by_metadata(self) -> bool:
        """Whether the release finds the files by the metadata table of the table."""
        return self._able.lists_by_metadata and self.listings.has_metadata

    @functools.cached_property
    def plan(self) -> MergePlan:
        """How the table's own settings merge its versions in this release.

        Raises:
            PlanError, MergeConfigError: the release can't read such a table.
        """
        return self.table_class.plan(self.properties, self.release)

    @property
    def merging_plan(self) -> MergePlan:
        """The plan with which tasks merge: they call a compiled class in the JVM of their executor.

        Raises:
            PlanError, MergeConfigError: the release can't read such a table, or no JVM is at hand for the class.
            EngineError, PayloadNotFoundError, PayloadConstructorError: the class is not there, or does not link.
        """
        return self.table_class.called(self.plan, self.files.path)

    @property
    def unnamed_class(self) -> str | None:
        """Why versions can't be merged: settings that contradict each other, a class that the table alone names."""
        return self.table_class.unnamed(self.properties, self.release, self.files.path)

    def snapshot(self, as_of: str | None = None, *, schema_on_read: bool = False) -> Answer:
        """Return the query of all rows, now or as of an instant (requested time).

        With `schema_on_read`, files are read by the ids of their columns, if the table has a schema history.

        Raises:
            UnreadableTableError: the files of that time are cleaned, or a commit before it never completed.
        """
        until = self.timeline.latest or _NO_INSTANT
        if as_of is not None:
            self._check_time_travel(as_of)
            until = self.timeline.instant_at(as_of) or _NO_INSTANT
        query = self._query(until, merges=self._is_merge_on_read)
        if schema_on_read:
            query = dataclasses.replace(query, history=self.timeline.schema_history(until))
        return Answer(query, self._read_slices(self.slices.latest(until)))

    def _read_slices(self, found: list[FileSlice]) -> list[FileSlice]:
        """Return the slices of which anything is read: Spark splits the files of a table without logs, empty ones away.

        Source: PartitionedFileUtil.splitFiles.
        """
        return found if self._is_merge_on_read else [one for one in found if one.size]

    def read_optimized(self) -> Answer:
        """Return the query of base files alone."""
        until = self.timeline.latest or _NO_INSTANT
        return Answer(self._query(until, merges=False), self.slices.latest_bases(until))

    def incremental(self, begin: str, end: str | None = None, form: str = LATEST_STATE) -> Answer:
        """Return the query of rows that commits after `begin` wrote, as the files of these commits alone show them.

        Args:
            begin: completion time in table versions 8 and 9, else requested time; 1.0 includes it in version 8.
            end: the last such time; None for the newest.
            form: `latest_state`.

        Raises:
            UnreadableTableError: the table has no meta columns to tell commits by, or (until 0.15) a commit in between
                never completed; or another `form`.
        """
        if form != LATEST_STATE:
            msg = f"{self.files.path}: {form} queries are not supported, only {LATEST_STATE}; compare two snapshots"
            raise UnreadableTableError(msg)
        if self.timeline.commits and not self.properties.has_meta_fields:
            msg = (
                f"{self.files.path} has no meta columns, so rows don't say their commit; compare two snapshots instead"
            )
            raise UnreadableTableError(msg)
        chosen = [instant for instant in self.timeline.commits if self._is_between(instant, begin, end)]
        first = self.timeline.first_incomplete
        if not self._able.file_group_reader and first is not None and chosen and first < chosen[-1].requested:
            msg = (
                f"{self.files.path}: the commit {first} never completed, and Hudi {self.release} reads no increment "
                "past it; roll it back first, or use a later release"
            )
            raise UnreadableTableError(msg)
        until = chosen[-1].requested if chosen else _NO_INSTANT
        written = self.timeline.written(chosen)
        own_times = self.properties.has_completion_times
        archived = self.timeline.archived(functools.partial(self._is_within, begin, end))
        after = begin if self._is_merge_on_read and not own_times else None
        commits = Commits(archived.union(instant.requested for instant in chosen), after)
        if self._able.incremental_scans and self._is_merge_on_read and self._is_cleaned(written):
            # 1.0 scans the whole table then, and shows the rows of these commits that base files have.
            query = self._query(until, merges=False)
            return Answer(dataclasses.replace(query, commits=commits), self.slices.latest_bases(until))
        view = self.slices if archived else self._view_of(written)
        # An increment of 0.15 reads the files directly, and so has what they store.
        query = self._query(until, merges=self._is_merge_on_read or not self._able.file_group_reader)
        if self._able.incremental_scans and not own_times:  # 1.0 still scans logs of old tables as 0.15 does
            plan = self.table_class.called(self.table_class.plan(self.properties, _SCANNER), self.files.path)
            query = dataclasses.replace(query, plan=plan)
        return Answer(dataclasses.replace(query, commits=commits), view.latest(until))

    def _view_of(self, written: Mapping[str, AbstractSet[str]]) -> SliceView:
        """Return the file slices of some files alone; where commits are archived, Hudi looks at all files instead."""
        listings = [
            Listing(partition, {name: size for name, size in sizes.items() if name in written.get(partition, ())})
            for partition, sizes in self.slices.listings
        ]
        return SliceView(self.timeline, listings, has_completion_times=self.properties.has_completion_times)

    def _is_cleaned(self, written: Mapping[str, AbstractSet[str]]) -> bool:
        """Whether the cleaner has removed files that these commits wrote."""
        present = dict(self.slices.listings)
        return any(names - present.get(partition, {}).keys() for partition, names in written.items())

    def _is_between(self, instant: Instant, begin: str, end: str | None) -> bool:
        own_times = self.properties.has_completion_times
        return self._is_within(begin, end, instant.completed or instant.requested if own_times else instant.requested)

    def _is_within(self, begin: str, end: str | None, moment: str) -> bool:
        includes_begin = self.properties.has_completion_times and self._able.incremental_scans
        after = moment >= begin if includes_begin else moment > begin
        return after and (end is None or moment <= end)

    # -- parts

    @property
    def _is_merge_on_read(self) -> bool:
        return self.properties.may_have_logs

    def _query(self, until: str, *, merges: bool) -> SliceQuery:
        schema = shown_schema(self.schema(until), self._able.log_units)
        local = () if self._able.timestamp_ntz else local_timestamps(schema)
        if local:
            raise UnreadableTableError.from_local_timestamps(self.files.path, local, str(self.release))
        paths_tell = columns_in_paths(self.properties, self._able, merges=merges)
        stored_source = self.properties.bootstrap_source
        query = SliceQuery(
            files=self.files,
            properties=self.properties,
            schema=schema,
            plan=self.merging_plan if merges else self.plan,
            rules=self._rules(until),
            paths_tell=paths_tell,
            text_columns=text_columns(self.properties, self._able, paths_tell),
            vectors=vector_columns(schema) if self._able.shows_vectors else {},
            null_columns=self._null_columns,
            bootstrapped=bootstrap_sources(self.files, stored_source) if stored_source else None,
            sources=TableFiles(self._bootstrap) if self._bootstrap else None,
            unnamed_class=self.unnamed_class if merges else None,
        )
        if merges:
            check_strays(self.files, self.slices, query.rules)
        check_paths(query, () if until == _NO_INSTANT else self.slices.listings)
        return query

    @property
    def _null_columns(self) -> tuple[str, ...]:
        """The meta columns of a table without: 0.15 shows the file name."""
        if self.properties.has_meta_fields:
            return ()
        return META_COLUMNS if self._able.file_group_reader else META_COLUMNS[:-1]

    def _rules(self, until: str) -> BlockRules:
        timeline = self.timeline
        return BlockRules(
            release=self.release,
            until=until,
            excluded=timeline.open_instants,
            completed=frozenset(instant.requested for instant in timeline.commits),
            start=timeline.start,
            checks_blocks=not self.properties.has_completion_times,
        )

    def schema(self, until: str) -> AvroSchema:
        """Return the columns of the table as of an instant, without meta columns; errors: `table_schema`."""
        return table_schema(self.files, self.properties, self.timeline, until, of_services=self._able.service_schemas)

    def _check_time_travel(self, as_of: str) -> None:
        first = self.timeline.first_incomplete
        if first is not None and as_of >= first:
            msg = (
                f"{self.files.path}: the commit {first} never completed, and a query as of {as_of} would hide that; "
                "roll it back first, or choose an earlier instant"
            )
            raise UnreadableTableError(msg)
        kept = self.timeline.earliest_kept
        if kept is not None and as_of < kept:
            msg = (
                f"{self.files.path}: the cleaner has removed files that a query as of {as_of} needs; "
                f"the earliest instant that it kept is {kept}"
            )
            raise UnreadableTableError(msg)
