"""The timeline of a table: its instants with their states, what they say, and which of them count for a reader.

Source: HoodieActiveTimeline and ActiveTimelineV2, HoodieDefaultTimeline.containsOrBeforeTimelineStarts.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from bridge.hudi.archive import archived_commits
from bridge.hudi.errors import DamagedFileError, UnreadableTableError
from bridge.hudi.instant_files import CONTAINER, parsed
from bridge.hudi.instants import COMPLETES_AS, DELTA_COMMIT, instants_of
from bridge.hudi.parquet_footers import open_parquet
from bridge.hudi.schema_on_read import SchemaHistory
from bridge.hudi.schema_text import record_schema
from payloads.errors import SchemaError, parse_error_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from bridge.hudi.files import TableFiles
    from bridge.hudi.instants import Instant
    from bridge.hudi.properties import TableProperties
    from bridge.report import JsonObject
    from payloads.avro import AvroSchema

_NO_WRITES = frozenset({"compact", "log_compact", "cluster", "index"})
_SCHEMA_FOLDER = ".hoodie/.schema"
_ARCHIVED_AT_ONCE = 256  # instants, each with the statistics of all files that it wrote


class ActiveTimeline:
    """The instants of a table.

    Attributes:
        instants: the active ones, by requested time.
    """

    def __init__(self, files: TableFiles, properties: TableProperties) -> None:
        """List the active timeline.

        Raises:
            HudiTableError: it can't be listed, or is not there.
        """
        self._files = files
        self._properties = properties
        self._folder = properties.timeline_folder
        self._metadata = functools.cache(self._read_metadata)
        if not files.has_folder(self._folder):
            msg = (
                f"{files.described(self._folder)}, the timeline of the table, is missing; without it no file counts: "
                "restore the folder, or correct hoodie.timeline.path"
            )
            raise UnreadableTableError(msg)
        self.instants = instants_of(files.names(self._folder))

    @functools.cached_property
    def commits(self) -> tuple[Instant, ...]:
        """The completed instants that wrote data; delta commits only in a table that may have logs.

        Source: HoodieTableMetaClient.getCommitsTimeline.
        """
        found = (instant for instant in self.instants if instant.is_completed and instant.is_commit)
        return tuple(one for one in found if self._properties.may_have_logs or one.action != DELTA_COMMIT)

    @property
    def latest(self) -> str | None:
        """The requested time of the last completed commit: what a snapshot query shows; None for an empty table."""
        return self.commits[-1].requested if self.commits else None

    @functools.cached_property
    def writes(self) -> tuple[Instant, ...]:
        """What users wrote or are writing: the commits that no table service made, pending or not, and restores."""
        return tuple(i for i in self.instants if i.action == "restore" or (i.is_commit and not self._is_service(i)))

    def _is_service(self, instant: Instant) -> bool:
        if not instant.is_completed:
            return self._is_scheduled(instant)
        return str(self.metadata(instant).get("operationType") or "").lower() in _NO_WRITES

    def commits_with(self, name: str) -> Iterator[tuple[str, str]]:
        """Give requested time and value of an entry of the extra metadata, for each completed commit that has it.

        Archived commits come last.

        Raises:
            DamagedFileError: a file of the timeline can't be read.
        """
        for instant in reversed(self.commits):
            yield from _entry(instant.requested, self.metadata(instant), name)
        for path, rows in self._history(["instantTime", "metadata"]):
            # Avro and JSON have the name as it is: what lacks it is not parsed.
            found = rows.filter(pc.match_substring(rows.column(1), name))
            for requested, data in zip(*(column.to_pylist() for column in found.columns), strict=True):
                yield from _entry(requested, self._parsed(data, path), name)
        if not self._properties.has_completion_times:
            for requested, metadata in archived_commits(self._files, self._properties.history_folder):
                yield from _entry(requested, metadata, name)

    @functools.cached_property
    def pending_compactions(self) -> tuple[Instant, ...]:
        """The compactions that have been scheduled and have not completed."""
        return tuple(i for i in self.instants if i.action == "compaction" and not i.is_completed)

    @functools.cached_property
    def first_incomplete(self) -> str | None:
        """The requested time of the first commit that never completed; what was scheduled alone does not count."""
        open_ = (i for i in self.instants if i.is_commit and not i.is_completed and not self._is_scheduled(i))
        return next((instant.requested for instant in open_), None)

    def _is_scheduled(self, instant: Instant) -> bool:
        """Whether an instant is a table service that has a plan: layout 1 calls a clustering a replacecommit."""
        return instant.action in COMPLETES_AS or (
            instant.action == "replacecommit" and bool(self.plan(instant).get("clusteringPlan"))
        )

    def is_valid(self, requested: str) -> bool:
        """Whether what an instant wrote counts: it completed, or is older than the timeline's start, so archived."""
        return requested in self._completed or self.before_start(requested)

    def before_start(self, requested: str) -> bool:
        """Whether an instant is older than the first one that counts, so that only the archive can have it."""
        return self.start is not None and requested < self.start

    def knows(self, requested: str) -> bool:
        """Whether an instant is on the active timeline in any state, or so old that the archive may have it."""
        return self.before_start(requested) or requested in self._active

    @functools.cached_property
    def _active(self) -> frozenset[str]:
        return frozenset(instant.requested for instant in self.instants)

    def is_inflight(self, requested: str) -> bool:
        """Whether an instant is on the active timeline and has not completed."""
        return requested in self.open_instants

    def completion_time(self, requested: str) -> str:
        """Return when an instant completed; its requested time where neither timeline nor archive say it."""
        return self._completed.get(requested) or self._archived.get(requested) or requested

    def metadata(self, instant: Instant) -> JsonObject:
        """Return what the file of an instant's last state says; empty for an empty file.

        Raises:
            DamagedFileError: it is neither JSON nor an Avro container; or readers need its list of written files, and
                there is none.
        """
        found = self._metadata(instant.file)
        if found and instant.file in self._listed and found.get("partitionToWriteStats") is None:
            raise self._damaged(self._path_of(instant.file), "it has no list of written files")
        return found

    @functools.cached_property
    def _listed(self) -> frozenset[str]:
        """The files of the commits whose list of written files every reader converts, and fails without (layout 2)."""
        replacing = (instant for instant in self.commits if instant.action == "replacecommit")
        needed = (*self.commits[-1:], *replacing) if self._properties.has_completion_times else ()
        return frozenset(instant.file for instant in needed)

    def plan(self, instant: Instant) -> JsonObject:
        """Return the plan that an instant was requested with."""
        return self._metadata(f"{instant.requested}.{instant.action}.requested")

    def replaced(self, until: str) -> frozenset[tuple[str, str]]:
        """Return (partition, file id) of the file groups that commits up to `until` (requested time) replaced."""
        return frozenset(
            (partition, file_id)
            for instant in self.commits
            if instant.action == "replacecommit" and instant.requested <= until
            for partition, ids in (self.metadata(instant).get("partitionToReplaceFileIds") or {}).items()
            for file_id in ids or ()
        )

    def written(self, instants: Iterable[Instant]) -> dict[str, set[str]]:
        """Return the names of the files that instants wrote, by partition."""
        found: dict[str, set[str]] = {}
        for instant in instants:
            for partition, stats in (self.metadata(instant).get("partitionToWriteStats") or {}).items():
                names = (str(stat.get("path") or "").rpartition("/")[2] for stat in stats or ())
                found.setdefault(partition, set()).update(filter(None, names))
        return found

    def write_schema(self, until: str, *, of_services: bool) -> AvroSchema | None:
        """Return the columns of the last write up to `until`; None where no commit has a schema.

        Args:
            until: a requested time.
            of_services: whether the commits of table services count.

        Raises:
            DamagedFileError: a commit can't be read, or its schema is not that of a record.
        """
        for instant, extra in self._writes(until, of_services=of_services):
            try:
                return record_schema(str(extra["schema"]))
            except SchemaError as error:
                reason = f"it has no valid table schema: {error}"
                raise self._damaged(self._path_of(instant.file), reason) from error
        return None

    def _writes(self, until: str, *, of_services: bool = False) -> Iterator[tuple[Instant, Mapping[str, Any]]]:
        """Give each commit up to `until` that has a schema, the last one first, with its extra metadata."""
        for instant in reversed(self.commits):
            if instant.requested <= until:
                found = self.metadata(instant)
                extra = found.get("extraMetadata") or {}
                is_write = str(found.get("operationType") or "").lower() not in _NO_WRITES
                if extra.get("schema") and (is_write or of_services):
                    yield instant, extra

    def schema_history(self, until: str) -> SchemaHistory | None:
        """Return the schemas by which a query as of `until` reads on read; None where the last write has none.

        Raises:
            DamagedFileError: they can't be parsed.
        """
        latest = next((extra.get("latest_schema") for _, extra in self._writes(until)), None)
        names = [name for name in self._files.names(_SCHEMA_FOLDER) if name.endswith(".schemacommit")]
        if not latest or not names:
            return None
        path = f"{_SCHEMA_FOLDER}/{names[-1]}"  # each has all schemas before it
        try:
            return SchemaHistory.parse(self._files.read(path).decode(), latest)
        except (ValueError, LookupError, TypeError) as error:
            raise self._damaged(path, error) from error

    def instant_at(self, moment: str) -> str | None:
        """Return the last completed commit that was requested at `moment` or before."""
        return max((c.requested for c in self.commits if c.requested <= moment), default=None)

    @functools.cached_property
    def earliest_kept(self) -> str | None:
        """The earliest commit whose files the last clean kept; None where nothing was cleaned."""
        cleans = [instant for instant in self.instants if instant.action == "clean" and instant.is_completed]
        return (self.metadata(cleans[-1]).get("earliestCommitToRetain") or None) if cleans else None

    def archived(self, is_wanted: Callable[[str], bool]) -> frozenset[str]:
        """Return the requested times of archived instants whose completion time is wanted; layout 1 archives none."""
        return frozenset(requested for requested, completed in self._archived.items() if is_wanted(completed))

    @functools.cached_property
    def _completed(self) -> dict[str, str | None]:
        return {instant.requested: instant.completed for instant in self.commits}

    @functools.cached_property
    def open_instants(self) -> frozenset[str]:
        """The requested times of commits on the active timeline that have not completed."""
        return frozenset(i.requested for i in self.instants if i.is_commit and not i.is_completed)

    @functools.cached_property
    def start(self) -> str | None:
        """The first instant of the commits and pending compactions; a savepoint's commit may outlive its neighbours."""
        kept = {instant.requested for instant in self.instants if instant.action == "savepoint"}
        counted = sorted(instant.requested for instant in (*self.commits, *self.pending_compactions))
        return next((requested for requested in counted if requested not in kept), None)

    @functools.cached_property
    def _archived(self) -> dict[str, str]:
        """Completion times of archived instants; layout 1 archives none."""
        found: dict[str, str] = {}
        for _, rows in self._history(["instantTime", "completionTime"]):
            pairs = zip(*(column.to_pylist() for column in rows.columns), strict=True)
            found.update({requested: completed for requested, completed in pairs if completed})
        return found

    def _history(self, columns: list[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Give columns of the archived timeline in batches, each with the path of its file; none in layout 1."""
        folder = self._properties.history_folder
        if not self._properties.has_completion_times or "_version_" not in self._files.names(folder):
            return
        number = self._files.read(f"{folder}/_version_").decode().strip()
        manifest_path = f"{folder}/manifest_{number}"
        try:
            manifest = json.loads(self._files.read(manifest_path))
            names = [str(entry["fileName"]) for entry in manifest["files"]]
        except (ValueError, LookupError, TypeError) as error:
            raise self._damaged(manifest_path, error) from error
        present = set(self._files.names(folder))
        for name in names:
            path = f"{folder}/{name}"
            if name not in present:
                raise self._damaged(path, "the manifest names it, but it is missing")
            try:
                with self._files.open(path) as stream:
                    for rows in open_parquet(stream).iter_batches(_ARCHIVED_AT_ONCE, columns=columns):
                        yield path, rows.select(columns)
            except (pa.ArrowException, OSError) as error:
                raise self._damaged(path, error) from error

    def _path_of(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _read_metadata(self, name: str) -> dict[str, object]:
        path = self._path_of(name)
        data = self._files.read(path)
        is_completed = not name.endswith((".requested", ".inflight"))
        if data and is_completed and self._properties.has_completion_times and not data.startswith(CONTAINER):
            raise self._damaged(path, "it is not an Avro container")
        return self._parsed(data, path) if data else {}

    def _parsed(self, data: bytes, path: str) -> dict[str, object]:
        try:
            return parsed(data)
        except (SchemaError, ValueError, StopIteration) as error:
            raise self._damaged(path, error) from error

    def _damaged(self, path: str, reason: object) -> DamagedFileError:
        file, why = self._files.described(path), parse_error_text(reason)
        msg = f"{file} can't be read: {why}; repair the timeline with Hudi's own tools"
        return DamagedFileError(msg)


def _entry(requested: str, metadata: Mapping[str, object], name: str) -> Iterator[tuple[str, str]]:
    """Give an instant and what its extra metadata says under a name, if it does."""
    extra = metadata.get("extraMetadata")
    if isinstance(extra, dict) and name in extra:
        yield requested, str(extra[name])
