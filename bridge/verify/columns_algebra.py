"""ColumnsAlgebra: the operations of a merger that gives columns alone, for the laws: the native engine's fold.

Spark merges any number of pairs in one frame, so the laws say first what they will ask (`gather`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import SparkSession

from bridge.config import capabilities
from bridge.engines import ColumnMerges, RowVersion
from bridge.spark import local_session
from mergers import OverwriteWithLatestMerger, resolve_merger
from mergers.columns import columns_merger, has_columns_alone
from mergers.laws import Observed, Subject, constants_of, subject_of, through_bytes, words_of
from payloads import NATURAL_ORDER, HudiRelease, PayloadConfigError, PayloadFailedError
from payloads.errors import PayloadBridgeError
from payloads.ordering import Ordering, compare
from payloads.ordering_fields import ordering_reader
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from bridge.report import JsonObject
    from mergers.columns import MergesColumns
    from mergers.laws import Version
    from payloads import AvroSchema, Record
    from payloads.api import Props


class _Carried(NamedTuple):
    """A version with the ordering value that it came with, or that its row has."""

    record: Record | None
    is_delete: bool
    ordering: Ordering | None


class ColumnsAlgebra:
    """A merger of columns: `merge_columns` both folds incoming versions and meets the stored row.

    As on the native engine values tell what a merge gave back, and a delete without data is null on its side.

    A result is kept by its versions, which neither the merger nor Spark can change.

    Attributes:
        merger: the user's merger.
        name: its class.
        schema: the schema of all records.
        is_remote: that a merge takes a call of another process.
    """

    is_remote = True

    def __init__(self, merger: MergesColumns, schema: AvroSchema, props: Props, release: HudiRelease) -> None:
        """Compile the merger's expressions in the active session, or a local one; errors as in `ColumnMerges`."""
        self.merger, self.schema, self.props, self._release = merger, schema, props, release
        self.name = type(merger).__name__
        self._merges = ColumnMerges(SparkSession.getActiveSession() or local_session(), merger, schema, props)
        self._folded: dict[Hashable, Any] = {}
        self._merged: dict[Hashable, Any] = {}
        read = ordering_reader(schema, props, release)
        self._read: Callable[[Record], Ordering | None] = (lambda _record: NATURAL_ORDER) if read is None else read

    @functools.cached_property
    def constants(self) -> tuple[object, ...]:
        """What the code of the merger may compare against."""
        return constants_of(self.merger)

    @functools.cached_property
    def words(self) -> frozenset[str]:
        """The words in the code of the merger, among them the columns that it names."""
        return words_of(self.merger)

    def incoming(self, version: Version) -> _Carried:
        """Build an incoming version, from a copy of the record."""
        record = None if version.record is None else copied(version.record)
        return _Carried(record, version.is_delete or record is None, version.ordering)

    def gather(
        self, merges: Iterable[tuple[_Carried, _Carried]], acts: Iterable[tuple[Record | None, _Carried]]
    ) -> None:
        """Merge pairs of versions, and stored rows with versions, in a frame each; `merge` and `act` know them then."""
        folds = {repr(pair): pair for pair in merges}
        meets = {repr((row, newer)): (row, newer) for row, newer in acts if row is not None}
        new = [key for key in folds if key not in self._folded]
        rows = [(_version(older), _version(newer)) for older, newer in (folds[key] for key in new)]
        self._folded |= zip(new, self._merges.fold(rows) if rows else (), strict=True)
        new = [key for key in meets if key not in self._merged]
        stored = [(row, _version(newer)) for row, newer in (meets[key] for key in new)]
        self._merged |= zip(new, self._merges.merge_with_stored(stored) if stored else (), strict=True)

    def again(self) -> ColumnsAlgebra:
        """Return the same operations, by expressions of their own."""
        return ColumnsAlgebra(self.merger, self.schema, self.props, self._release)

    def merge(self, older: _Carried, newer: _Carried) -> _Carried:
        """Fold two versions.

        Raises:
            PayloadFailedError: the expression fails.
        """
        self.gather([(older, newer)], [])
        record, is_delete = _found(self._folded[repr((older, newer))])
        for side in (newer, older):
            if record == side.record and is_delete is side.is_delete:
                return _Carried(record, is_delete, side.ordering)
        return _Carried(record, is_delete, NATURAL_ORDER if record is None else self._read(record) or NATURAL_ORDER)

    def act(self, row: Record | None, newer: _Carried) -> Record | None:
        """Merge with the stored row; without one, insert anything but a delete; errors as in `merge`."""
        if row is None:
            return None if newer.is_delete else newer.record
        self.gather([], [(row, newer)])
        found: Record | None = _found(self._merged[repr((row, newer))])
        return None if found is None else copied(found)

    def answer(self, version: _Carried) -> Observed:
        """Return data, ordering value and delete mark."""
        return Observed(version.record, version.ordering, version.is_delete)

    def copy(self, version: _Carried) -> _Carried:
        """Copy a version and its data."""
        return version if version.record is None else version._replace(record=copied(version.record))

    def key(self, version: _Carried) -> Hashable:
        """Return the whole state of a version as text."""
        return repr(version)

    def restored(self, version: _Carried) -> _Carried:
        """Rebuild the version from the Avro bytes of its data."""
        return version._replace(record=through_bytes(version.record, self.schema))

    def order(self, left: Ordering, right: Ordering) -> int:
        """Compare as Java does."""
        return compare(left, right)

    def __reduce__(self) -> tuple[object, ...]:
        return ColumnsAlgebra, (self.merger, self.schema, dict(self.props), self._release)


def _found(result: object) -> Any:
    if isinstance(result, PayloadFailedError):
        raise result
    return result


def _version(held: _Carried) -> RowVersion:
    return RowVersion(held.record, held.is_delete)


def gives_columns_alone(name: str) -> bool:
    """Whether a name is that of a merger that has `merge_columns` and no `merge`."""
    if ":" not in name:
        return False
    try:
        return has_columns_alone(resolve_merger(name))
    except (PayloadBridgeError, TypeError):
        return False  # whatever it is, it says so elsewhere


def columns_subject(  # noqa: PLR0913 (what a user may state)
    name: str,
    *,
    release: str | HudiRelease = HudiRelease.latest(),
    schema: AvroSchema | str | JsonObject | None = None,
    key: Sequence[str] = (),
    ordering_fields: Sequence[str] | None = None,
    props: Mapping[str, str] | None = None,
) -> Subject:
    """Return a merger of columns as the subject of a check, with schema and fields as for any merger.

    Raises:
        PayloadConfigError: the release has no mergers of columns.
        PayloadBridgeError: nothing has this name, or a field is not in the schema; and errors as in `ColumnMerges`.
    """
    line = HudiRelease.parse(release)
    if not capabilities(line).buffered_mergers:
        msg = f"{name} merges columns, which runs from Hudi 1.1 on, not under {line}; choose a later release"
        raise PayloadConfigError(msg)
    given = {"schema": schema, "key": key, "ordering_fields": ordering_fields, "release": line}
    like = subject_of(OverwriteWithLatestMerger, **given, props=dict(props or {}))  # type: ignore[arg-type]
    merger = columns_merger(resolve_merger(name))
    assert merger is not None  # noqa: S101 (it is one)
    return like._replace(algebra=ColumnsAlgebra(merger, like.spec.schema, like.spec.props, line))
