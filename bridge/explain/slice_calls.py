"""The merge calls of some keys of a file slice, key by key, and the row that a query shows of each."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from bridge.errors import MergeFailedError
from bridge.explain.row import ExplainedSide
from bridge.explain.trace import Trace
from bridge.explain.traced_programs import CallListener
from bridge.explain.versions import plain
from bridge.hudi import SliceReader

if TYPE_CHECKING:
    from bridge.explain.traced_programs import TracedCall
    from bridge.hudi import FileSlice, SliceQuery
    from bridge.plan import MergePlan
    from payloads import AvroSchema, Record


class SliceCalls(CallListener):
    """Notes the calls of a slice, each with its key.

    Attributes:
        by_key: the calls of each record key in order; none of a key whose log holds partial rows.
        shown: the rows that the query shows of each record key that the log has, without meta columns; None for no row.
    """

    def __init__(self, plan: MergePlan, schema: AvroSchema) -> None:
        """Listen to a merge of the plan, of records of `schema`."""
        super().__init__(plan, schema)
        self.by_key: dict[str, list[TracedCall]] = {}
        self.shown: dict[str, list[Record | None]] = {}
        self._key = ""

    def begins(self, key: str) -> None:
        """Note the record key that the next calls merge."""
        self._key = key

    def ends(self, key: str, row: Record | None) -> None:
        """Note the row that a query shows of a key."""
        self.shown.setdefault(key, []).append(plain(row))

    def merged(self, *call: Any) -> None:
        """Note a call; the arguments are those of `CallListener.merged`."""
        super().merged(*call)
        self.by_key.setdefault(self._key, []).append(self.noted[-1])

    def side(self, key: str) -> ExplainedSide:
        """Return what the query did with the versions of a key, as the only commit of a table."""
        calls = [call._replace(commit=1) for call in self.by_key.get(key, ())]
        return ExplainedSide(self.merging_plan, Trace(calls, {1: self.shown[key][-1]} if key in self.shown else {}))


def noted_calls(query: SliceQuery, found: FileSlice) -> SliceCalls:
    """Read the keys of `query.keys` in a slice; a call that fails ends what is noted.

    Raises:
        HudiTableError: a file can't be read.
    """
    listener = SliceCalls(query.plan, query.schema)
    with contextlib.suppress(MergeFailedError):
        for _ in SliceReader(query, listener).read(found):
            pass
    return listener
