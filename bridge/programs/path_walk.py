"""Paths: the ways that the versions of one key can take through a table, walked in plain Python.

A path is a table type, a way of splitting the versions, in their order of arrival, into commits, and the commits after
which the log is compacted. Paths that reach the same state go on as one, so the work grows with the pairs of versions
and the states, not with the number of paths.
"""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from bridge.merge import PayloadVersion, SplitRow, StoredRow, located, parts_of
from bridge.plan import TableType
from bridge.programs.program import Arrival, Origin
from mergers.laws import canonical, copied_payload, payload_key
from payloads.avro import JavaString
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from bridge.merge import Carrier, MergePointError
    from bridge.programs.key_timeline import KeyTimeline
    from mergers import HoodieKey
    from payloads import AvroSchema

    _Input = tuple[Carrier, ...] | Exception

C = TypeVar("C", bound="Carrier | None")

FEW = 16
"""The number of versions of a key up to which every way of splitting them into commits is a path."""
STATES = 64
"""The number of states between two commits that are followed, those of the nearest paths; few payloads have more."""


class Path(NamedTuple):
    """One way through a table.

    Attributes:
        table_type: the type of the table.
        commits: how many versions of the key each commit writes, in order of arrival.
        compact_after: the commits after which the log is compacted, from 1.
    """

    table_type: TableType
    commits: tuple[int, ...]
    compact_after: tuple[int, ...] = ()


class PathEnd(NamedTuple):
    """What is at the end of a path.

    Attributes:
        path: the path.
        row: what a query sees; None for no row.
        failure: why the path ends before, and at which merge point; None if it does not.
    """

    path: Path
    row: StoredRow | None
    failure: MergePointError | None = None

    @property
    def error(self) -> Exception | None:
        """What the failed call raised."""
        return None if self.failure is None else self.failure.error


@dataclasses.dataclass(frozen=True)
class KeyHistory:
    """The versions of a key in order of arrival, each with the number of the batch that it came in.

    A version is a row without schema, whose ordering value overrides what the ordering fields say unless it is None.
    """

    key: HoodieKey
    versions: Sequence[StoredRow]
    batches: Sequence[int]

    def __len__(self) -> int:
        return len(self.versions)

    def chosen(self, positions: Iterable[int]) -> KeyHistory:
        """Return the history of the versions at `positions`, counted from 0."""
        found = list(positions)
        return KeyHistory(self.key, [self.versions[at] for at in found], [self.batches[at] for at in found])


def as_given(batches: Sequence[int]) -> tuple[int, ...]:
    """Return how many versions each batch has: the commits of the path that the batches take as they are."""
    return tuple(len(list(same)) for _, same in itertools.groupby(batches))


class _Commit(NamedTuple):
    """The last commit of a path, and the one before it."""

    before: _Commit | None
    size: int
    is_compacted: bool = False


class _State(NamedTuple):
    """A key after some commits, with the nearest path there.

    `steps` is how far that is from the batches as they are: commits joined or split, then compactions.
    """

    base: StoredRow | None = None
    log: Carrier | None = None
    steps: tuple[int, int] = (0, 0)
    last: _Commit | None = None


class Walk:
    """The walks of one history through one table type.

    Attributes:
        is_complete: whether every state was followed so far.
    """

    def __init__(self, table: KeyTimeline, table_type: TableType, history: KeyHistory) -> None:
        """Set up an empty table; `table` has the calls of the release, and is used again by the next walk."""
        self.is_complete = True
        self._table = table
        self._type = table_type
        self._history = history
        self._is_end = [True, *(False for _ in history.versions)]  # whether a batch ends before a position
        for position in itertools.accumulate(as_given(history.batches)):
            self._is_end[position] = True
        table.start(history.key)

    def ends(self) -> Iterator[tuple[tuple[int, int], PathEnd]]:
        """Give the answer of every state in which paths end, with the steps of the nearest one."""
        size = len(self._history)
        reached: list[dict[Hashable, _State]] = [{} for _ in range(size + 1)]
        reached[0][None] = _State()
        for start in range(size):
            states, reached[start] = self._followed(reached[start]), {}
            stops = self._stops(start)
            for stop, batch in self._inputs(start, max(stops)):
                for state in states if stop in stops else ():
                    try:
                        for after in self._written(state, batch, start, stop):
                            self._keep_nearest(reached[stop], after)
                    except Exception as error:  # noqa: BLE001 (an error is an answer, whoever's code it comes from)
                        yield self._steps(state, start, stop), self._failed(state, stop, error)
        for state in reached[size].values():
            yield state.steps, self._seen(state)

    def along(self, path: Path) -> PathEnd:
        """Return the answer of one path."""
        state, start = _State(), 0
        for number, stop in enumerate(itertools.accumulate(path.commits), start=1):
            *_, (_, batch) = self._inputs(start, stop)
            try:
                written, *compacted = self._written(state, batch, start, stop)
            except Exception as error:  # noqa: BLE001 (as above)
                return PathEnd(path, None, located(error))
            state, start = compacted[0] if compacted and number in path.compact_after else written, stop
        return self._seen(state)._replace(path=path)

    def _followed(self, states: dict[Hashable, _State]) -> list[_State]:
        nearest = sorted(states.values(), key=lambda state: state.steps)
        self.is_complete = self.is_complete and len(nearest) <= STATES
        return nearest[:STATES]

    def _stops(self, start: int) -> set[int]:
        """Return where a commit that begins at a version can end; see `key_paths`."""
        size = len(self._history)
        if size <= FEW:
            return set(range(start + 1, size + 1))
        stops = {start + 1} | (set() if start else {size})
        if self._is_end[start]:
            ends = (stop for stop in range(start + 1, size + 1) if self._is_end[stop])
            stops |= set(itertools.islice(ends, 2))
        return stops

    def _inputs(self, start: int, stop: int) -> Iterator[tuple[int, _Input]]:
        """Give what the versions from `start` combine to, one more at a time; a failure of one fails them all."""
        table, history = self._table, self._history
        combined: _Input = ()
        for position in range(start, stop):
            if not isinstance(combined, Exception):
                version = history.versions[position]
                record = None if version.record is None else copied(version.record)
                batch, source, ordering = history.batches[position], version.source, version.ordering_value
                table.input = list(combined)
                try:
                    table.fold_input(Arrival(Origin.INCOMING, batch, record, source, ordering=ordering))
                    combined = tuple(table.input)
                except Exception as error:  # noqa: BLE001 (as above)
                    combined = error
            yield position + 1, combined

    def _written(self, state: _State, batch: _Input, start: int, stop: int) -> Iterator[_State]:
        """Give the state after a commit, and that after a compaction, where there is something to compact."""
        if isinstance(batch, Exception):
            raise batch
        table = self._table
        table.base, table.log = _copy(state.base), _copy(state.log)
        versions = [*map(_copy, batch)]
        if self._type is TableType.MERGE_ON_READ:
            table.write_log(versions)
        else:
            table.write_base(versions)
        steps, last = self._steps(state, start, stop), _Commit(state.last, stop - start)
        yield _State(_copy(table.base), _copy(table.log), steps, last)
        if table.log is not None:
            table.compact()
            regrouped, compactions = steps
            yield _State(table.base, None, (regrouped, compactions + 1), last._replace(is_compacted=True))

    def _keep_nearest(self, reached: dict[Hashable, _State], state: _State) -> None:
        found = reached.setdefault(key := _state_key(state, self._table.merge.schema), state)
        if state.steps < found.steps:
            reached[key] = state

    def _steps(self, state: _State, start: int, stop: int) -> tuple[int, int]:
        """Return how far a path is from the batches as they are after a commit."""
        regrouped, compactions = state.steps
        return regrouped + sum(self._is_end[start + 1 : stop]) + (not self._is_end[stop]), compactions

    def _seen(self, state: _State) -> PathEnd:
        path = self._path(state.last)
        try:
            return PathEnd(path, self._table.merge.snapshot(state.base, _copy(state.log)).version)
        except Exception as error:  # noqa: BLE001 (as above)
            return PathEnd(path, None, located(error))

    def _failed(self, state: _State, stop: int, error: Exception) -> PathEnd:
        """Return the answer of a path that fails in the commit up to `stop`; the versions after it are one commit."""
        before = self._path(state.last)
        sizes = (stop - sum(before.commits), len(self._history) - stop)
        commits = (*before.commits, *(size for size in sizes if size))
        return PathEnd(before._replace(commits=commits), None, located(error))

    def _path(self, last: _Commit | None) -> Path:
        commits: list[_Commit] = []
        while last is not None:
            commits.append(last)
            last = last.before
        commits.reverse()
        compact_after = tuple(number for number, one in enumerate(commits, start=1) if one.is_compacted)
        return Path(self._type, tuple(one.size for one in commits), compact_after)


def _copy(carrier: C) -> C:
    """Return a copy of a carrier, so that what code does to it on one path is unknown on every other."""
    return cast("C", None if carrier is None else _copied(carrier))


def _copied(carrier: Carrier) -> Carrier:
    if isinstance(carrier, PayloadVersion):
        return PayloadVersion(carrier.key, copied_payload(carrier.payload), carrier.source)  # type: ignore[arg-type]
    record = copied(carrier.record) if isinstance(carrier.record, dict) else carrier.record
    kept = (carrier.schema, carrier.source, carrier.operation, carrier.ordering_value, carrier.made_at)
    row = StoredRow(carrier.key, record, *kept)
    return SplitRow.of(row, _copied(carrier.compacted)) if isinstance(carrier, SplitRow) else row  # type: ignore[arg-type]


def _state_key(state: _State, schema: AvroSchema) -> Hashable:
    """Return what is equal for states from which all goes on alike; `schema` is that of rows which name none."""
    base = None if state.base is None else _row_key(state.base, schema)
    log = state.log
    if log is None:
        return base
    if isinstance(log, PayloadVersion):
        known = payload_key(log.payload)
        return base, object() if known is None else known
    parts = (part for part in parts_of(log) if isinstance(part, StoredRow))
    return base, *((one.operation, _row_key(one, schema), repr(one.ordering_value)) for one in parts)


def _row_key(row: StoredRow, schema: AvroSchema) -> Hashable:
    """Return what is equal for rows of the same values, types and columns, whose texts order alike."""
    record, own = row.record, row.schema
    if record is None:
        return None
    known = own or schema
    taken_out = tuple([name for name, value in record.items() if type(value) is JavaString])
    # The encoding leaves out what the schema does not name, as meta columns.
    extra = () if len(record) == len(known.by_name) else (name for name in record if name not in known.by_name)
    further = tuple((name, repr(record[name])) for name in extra)
    return canonical(record, known), id(own), further, taken_out
