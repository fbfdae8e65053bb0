"""Programs that send the versions of one key through every path, as the engines run them."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

from bridge.errors import RowCountsError
from bridge.merge import Action, StoredRow
from bridge.plan import TableType
from bridge.programs.path_search import PathSearch
from bridge.programs.path_walk import KeyHistory, Path
from bridge.programs.program import Arrival, Origin
from bridge.programs.table import Table
from payloads.errors import PayloadBridgeError
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from bridge.merge import Carrier, RecordMerge
    from bridge.programs.listeners import CommitListener
    from bridge.programs.path_search import KeyPaths
    from bridge.programs.path_walk import PathEnd
    from bridge.programs.program import Emit
    from mergers import HoodieKey


class AllPaths:
    """Emits the different results of a key if there are several, or if not every state could be followed.

    Adds the path to the answer, as JSON text of the fields of `bridge.pipeline.all_paths.PATH_TYPE`. All versions of a
    key are in the memory of one task.

    Attributes:
        listener: is told what becomes of the rows of each key on one path: that of the batches as they are, in the
            first of the table types, without compactions.
    """

    listener: CommitListener | None = None

    def __init__(self, merge: RecordMerge, *, table_types: Collection[str]) -> None:
        """Set up the search; `table_types` are the names of the types whose paths are tried."""
        types = [TableType(one) for one in table_types]
        self.search = PathSearch(merge, types)
        self._merge = merge.with_plan(dataclasses.replace(merge.plan, table_type=types[0]))
        self._key: HoodieKey = None  # type: ignore[assignment]  # there is one from `start` on
        self._versions: list[StoredRow] = []
        self._batches: list[int] = []

    def start(self, key: HoodieKey) -> None:
        """Begin a key."""
        self._key, self._versions, self._batches = key, [], []

    def accept(self, arrival: Arrival, emit: Emit) -> None:  # noqa: ARG002
        """Take a version."""
        self._versions.append(StoredRow(None, arrival.record, None, arrival.source, None, arrival.ordering))
        self._batches.append(arrival.commit)

    def finish(self, emit: Emit) -> None:
        """Search; the paths of a single version, too, may differ: in a base file and in a log.

        Raises:
            MergePointError: what every path ends in.
        """
        self.emit_answers(KeyHistory(self._key, self._versions, self._batches), emit)
        if self.listener is not None:
            self._tell(self.listener)

    def _tell(self, listener: CommitListener) -> None:
        """Write the batches as they are, and tell what becomes of the rows."""
        plan = self._merge.plan
        log_updates = plan.table_type is TableType.MERGE_ON_READ
        table = Table(self._merge, commits=self._batches[-1], log_updates=log_updates)
        table.listener = listener
        table.start(self._key)
        try:
            for batch, version in zip(self._batches, self._versions, strict=True):
                record = None if version.record is None else copied(version.record)
                ordering = version.ordering_value
                table.accept(Arrival(Origin.INCOMING, batch, record, version.source, ordering=ordering), _nothing)
            table.finish(_nothing)
        except RowCountsError:
            raise
        except PayloadBridgeError:  # what payloads raise is in a MergePointError
            listener.failed(len(self._versions))

    def answers(self, history: KeyHistory) -> KeyPaths:
        """Return the answers of a history.

        Raises:
            MergePointError: what every path ends in.
        """
        found = self.search.paths(history)
        if found.failure is not None:
            raise found.failure
        return found

    def emit_answers(self, history: KeyHistory, emit: Emit) -> None:
        """Emit the answers of a history where they differ or are incomplete."""
        found = self.answers(history)
        if found.depends or not found.is_complete:
            of = {"of": len(found.answers), "is_complete": found.is_complete}
            first: dict[str, object] = {}
            if found.depends and found.change is not None:
                ends = self.search.standard(history, found)
                first = {
                    "kind": found.kind.id,
                    "change": found.change.id,
                    "standard": [number for number, _ in ends],
                    "seen": [seen.value for _, seen in ends],
                }
            for number, answer in enumerate(found.answers, start=1):
                _emit(emit, answer, history, {"number": number, **of, **(first if number == 1 else {})})

    def held(self) -> Iterator[Carrier]:
        """Give the versions."""
        return iter(self._versions)


class SmallestHistory(AllPaths):
    """Emits the fewest versions of a key on which its answer depends on the path, then two answers.

    Adds what `AllPaths` adds; `number` counts the versions, and is 0 and -1 for the answers.
    """

    def emit_answers(self, history: KeyHistory, emit: Emit) -> None:
        """Emit the smallest history."""
        found = self.search.smallest(history)
        if found is None:
            return
        of = {"of": len(found.history), "is_complete": True}
        _emit(emit, found.left, found.history, {"number": 0, **of})
        _emit(emit, found.right, found.history, {"number": -1, **of})
        for number, version in enumerate(found.history.versions, start=1):
            row = None if version.record is None else version
            text = {"number": number, "batches": list(found.history.batches), **of}
            emit(Action.KEEP, row, json.dumps(text))


def _emit(emit: Emit, answer: PathEnd, history: KeyHistory, more: Mapping[str, object]) -> None:
    path: Path = answer.path
    text = {
        "table_type": path.table_type.value,
        "commits": path.commits,
        "compact_after": path.compact_after,
        "batches": list(history.batches),
        "error": None if answer.error is None else str(answer.error) or type(answer.error).__name__,
        **more,
    }
    emit(Action.SKIP if answer.row is None else Action.KEEP, answer.row, json.dumps(text))


def _nothing(action: Action, row: Carrier | None, *extras: object) -> None:
    """Drop an outcome."""
