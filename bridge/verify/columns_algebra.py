"""ColumnsAlgebra: the operations of a merger that gives columns alone, for the laws: the native engine's fold."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
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
    from collections.abc import Callable, Hashable, Mapping, Sequence

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
        read = ordering_reader(schema, props, release)
        self._read: Callable[[Record], Ordering | None] = (lambda _record: NATURAL_ORDER) if read is None else read

    @functools.cached_property
    def constants(self) -> tuple[Any, ...]:
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

    def merge(self, older: _Carried, newer: _Carried) -> _Carried:
        """Fold two versions.

        Raises:
            PayloadFailedError: the expression fails.
        """
        record, is_delete = self._asked(self._merges.fold, _version(older), _version(newer))
        for side in (newer, older):
            if record == side.record and is_delete is side.is_delete:
                return _Carried(record, is_delete, side.ordering)
        return _Carried(record, is_delete, NATURAL_ORDER if record is None else self._read(record) or NATURAL_ORDER)

    def act(self, row: Record | None, newer: _Carried) -> Record | None:
        """Merge with the stored row; without one, insert anything but a delete; errors as in `merge`."""
        if row is None:
            return None if newer.is_delete else newer.record
        found: Record | None = self._asked(self._merges.met, row, _version(newer))
        return found

    def _asked(self, call: Callable[..., Any], *sides: Any) -> Any:
        try:
            return call(*sides)
        except (Py4JJavaError, PySparkException) as error:
            told = error.java_exception.getMessage() if isinstance(error, Py4JJavaError) else str(error)
            msg = f"{self.name}.merge_columns failed: {told}"
            raise PayloadFailedError(msg) from error

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

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnsAlgebra, (self.merger, self.schema, dict(self.props), self._release)


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
    schema: AvroSchema | str | dict[str, Any] | None = None,
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
        msg = f"{name} merges columns, which runs from Hudi 1.1 on, not under {line}; choose a later --release"
        raise PayloadConfigError(msg)
    given = {"schema": schema, "key": key, "ordering_fields": ordering_fields, "release": line}
    like = subject_of(OverwriteWithLatestMerger, **given, props=dict(props or {}))  # type: ignore[arg-type]
    merger = columns_merger(resolve_merger(name))
    assert merger is not None  # noqa: S101 (it is one)
    return like._replace(algebra=ColumnsAlgebra(merger, like.spec.schema, like.spec.props, line))
