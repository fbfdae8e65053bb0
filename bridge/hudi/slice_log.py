"""What the log of a slice has for each key, folded by the calls of a release's reader."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bridge.engines.python import is_of_all_keys
from bridge.errors import InputError, MergeFailedError
from bridge.hudi.errors import HudiTableError
from bridge.merge import SKIPPED, Action, Listener, MergePoint, MergePointError, RecordMerge, of_another_key
from bridge.spark import META_COLUMNS
from payloads import PayloadFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from bridge.hudi.record_positions import NamedRows
    from bridge.hudi.slice_query import SliceQuery
    from bridge.merge import Outcome, StoredRow
    from bridge.report import JsonObject
    from mergers import HoodieKey
    from payloads import PayloadRef
    from payloads.avro import Record

_KEY = META_COLUMNS[2]
_FAILED = object()
"""In place of what was folded: the key can't be merged."""


def _source_of(payload: PayloadRef | None) -> str:
    """Return where a compiled class comes from, in brackets; nothing for any other class."""
    names = () if payload is None else (*(Path(jar).name for jar in payload.jars), *payload.package)
    return f" (of {', '.join(names)})" if names else ""


class SliceLog:
    """What the log of one slice has for each key.

    Attributes:
        folded: by key, in the order in which keys first appear.
        failed: the keys that can't be merged, and why, where they are quarantined; they show no row.
        by_position: whether each row of the base file merges by its position.
        named: the rows that the log names then, if all rows of the base file are read.
    """

    def __init__(
        self, merge: RecordMerge, query: SliceQuery, *, by_position: bool = False, named: NamedRows | None = None
    ) -> None:
        """Begin a log without entries."""
        self.folded: JsonObject = {}
        self.failed: dict[str, MergePointError] = {}
        self._quarantines = query.quarantines
        self.merge: Any = merge
        self._payload = query.plan.payload_name
        self._source = _source_of(query.plan.payload)
        self._key_columns = query.checked_key
        self._own: dict[str, Record] = {}
        self.by_position = by_position
        self.named = named
        self._copies: dict[str, int] = {}
        self._matched: collections.Counter[str] = collections.Counter()

    def matched(self, key: str) -> Any:
        """Return what a base row of this key merges with; None for nothing.

        A base file may hold a key twice. Merged by key, the first row takes what the log has. Merged by position, each
        does: the writer logs an update for every row that it finds.
        """
        if key in self._matched and not self.by_position and key not in self.failed:
            return None
        self._matched[key] += 1
        return self.folded[key]

    def unmatched(self) -> list[tuple[str, Any]]:
        """Return the keys that no base row had; one whose base file has it more often once for each row not matched.

        An increment leaves out the base rows of other commits, and shows what the log has at their positions.
        """
        return [
            (key, folded)
            for key, folded in self.folded.items()
            for _ in range(self._copies.get(key, 1) - self._matched[key])
        ]

    def is_copy(self, key: str, number: int) -> bool:
        """Note the number of an entry of a key within its commit; return whether it is that of another position."""
        if number > 1 and self.by_position:
            self._copies[key] = max(self._copies.get(key, 1), number)
            return True
        return False

    def note(self, key: str, record: Record) -> None:
        """Keep the columns of the record key as the first entry of a key has them, where a class may change them."""
        if self._key_columns and key not in self._own:
            self._own[key] = {name: record.get(name) for name in self._key_columns}

    def add(self, key: HoodieKey, fold: Callable[..., object]) -> None:
        """Fold the next entry of a key.

        Raises:
            MergeFailedError: the merge failed, and failing keys are not quarantined.
        """
        name = key.record_key
        if name in self.failed:
            return
        try:
            self.folded[name] = fold(self.folded.get(name), key)
        except Exception as error:  # noqa: BLE001 (whatever a payload raises)
            self.fail(name, error)
            self.folded[name] = _FAILED

    def snapshot(self, base: StoredRow | None, key: str, folded: object) -> Outcome[StoredRow]:
        """Merge the row of the base file, if any, with what was folded, as a query does.

        Raises:
            MergeFailedError: the merge failed, and failing keys are not quarantined.
        """
        if key in self.failed:
            return SKIPPED
        try:
            # Merged by position, the log may be read for several rows of a key.
            read = self.merge.snapshot if self.by_position else self.merge.snapshot_once
            outcome: Outcome[StoredRow] = read(base, folded)
            self._check_key(outcome, self._own.get(key) if base is None else base.record)
        except Exception as error:  # noqa: BLE001 (whatever a payload raises)
            self.fail(key, error)
            return SKIPPED
        return outcome

    def _check_key(self, outcome: Outcome[StoredRow], own: Record | None) -> None:
        """Raise PayloadFailedError where a merge made a record of another key than its versions have."""
        made = None if outcome.version is None else outcome.version.record
        if own is None or made is None:
            return
        for name in self._key_columns:
            value, expected = made.get(name), own[name]
            if value != expected and (value == value or expected == expected):  # noqa: PLR0124 (NaN is NaN)
                raise PayloadFailedError(of_another_key(f"{name}={value!r}"))

    def fail(self, key: str, error: Exception) -> None:
        """Quarantine a key, if that is wanted.

        Raises:
            MergeFailedError: it is not.
            PayloadBridgeError: the failure is not the key's: a file, the settings or the machine.
        """
        failure = error if isinstance(error, MergePointError) else MergePointError(MergePoint.SNAPSHOT, error)
        if isinstance(failure.error, HudiTableError | InputError):
            raise failure.error from error
        if not self._quarantines or is_of_all_keys(failure):
            point = failure.point and failure.point.value
            reason = f"{failure.reason}{self._source}"
            raise MergeFailedError(reason, self._payload, point, {_KEY: key}) from error
        self.failed[key] = failure


class KeyListener(Listener, Protocol):
    """Told of every merge call of some keys of a slice, and of which key each call is."""

    def begins(self, key: str) -> None:
        """Note the record key that the next calls merge."""

    def ends(self, key: str, row: Record | None) -> None:
        """Note the row that a query shows of a key, with meta columns; None for no row."""


class ListenedLog(SliceLog):
    """A log whose listener hears which key is merged, and what a query shows of it."""

    def __init__(
        self,
        merge: RecordMerge,
        query: SliceQuery,
        listener: KeyListener,
        *,
        by_position: bool = False,
        named: NamedRows | None = None,
    ) -> None:
        """Begin a log without entries, as `slice_log` does."""
        super().__init__(merge, query, by_position=by_position, named=named)
        self._listener = listener

    def add(self, key: HoodieKey, fold: Callable[..., object]) -> None:
        """Fold the next entry of a key; errors as in `SliceLog.add`."""
        self._listener.begins(key.record_key)
        super().add(key, fold)

    def snapshot(self, base: StoredRow | None, key: str, folded: object) -> Outcome[StoredRow]:
        """Merge the row of the base file, if any, with what was folded; errors as in `SliceLog.snapshot`."""
        self._listener.begins(key)
        outcome = super().snapshot(base, key, folded)
        shown = base if outcome.action is Action.KEEP else outcome.version
        self._listener.ends(key, None if shown is None else shown.record)
        return outcome


def slice_log(
    merge: RecordMerge,
    query: SliceQuery,
    listener: KeyListener | None,
    *,
    by_position: bool = False,
    named: NamedRows | None = None,
) -> SliceLog:
    """Return a log without entries; `merge` has the same listener."""
    if listener is None:
        return SliceLog(merge, query, by_position=by_position, named=named)
    return ListenedLog(merge, query, listener, by_position=by_position, named=named)
