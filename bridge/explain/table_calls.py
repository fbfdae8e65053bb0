"""The merge calls behind one row of a real table: its file slices are read once more, in this process, with a listener.

What a query merges in whole columns is merged call by call here, which is what whole columns stand for.
"""

from __future__ import annotations

import dataclasses
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bridge.engines import KIND, RecordReader, in_driver
from bridge.explain.slice_calls import noted_calls
from bridge.explain.versions import ordering_text, plain, same_record
from bridge.hudi import GroupVersions
from bridge.report import json_record
from bridge.spark import META_COLUMNS, with_meta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bridge.explain.traced_programs import TracedCall
    from bridge.explain.versions import Side
    from bridge.hudi import FileSlice, HudiTable, SliceQuery
    from payloads import AvroSchema, Record

_KEY, _PARTITION = META_COLUMNS[2], META_COLUMNS[3]
PLACE = ("_pb_file", "_pb_block", "_pb_position")
"""The columns of a version that say where it is."""


class TableCall(NamedTuple):
    """One merge call of a query on a table.

    Attributes:
        point: the merge point.
        method: the payload method, or the operation of the merge mode.
        older: the older version: `v1` for the first one, and so on, `a delete at 5`, or `m1` for a row that a call
            created; None for none.
        newer: the newer version.
        result: the result; None for no row.
        rule: what decided, in words.
        made: by name, the rows that are in no file, in data columns, if this call is the first to return them.
    """

    point: str
    method: str
    older: str | None
    newer: str | None
    result: str | None
    rule: str
    made: Mapping[str, Mapping[str, object]] = MappingProxyType({})

    @property
    def words(self) -> str:
        """The versions, the result and the rule, in words."""
        older = "" if self.older is None else f"{self.older}, then "
        return f"{older}{self.newer} -> {self.result or 'no row'}\n{self.rule}"


def calls_of(table: HudiTable, versions: Sequence[Mapping[str, object]]) -> tuple[TableCall, ...]:
    """Return the calls by which a query of the table merges the versions of a row, in order.

    A call that fails ends those of its slice; `table_row` says why.

    Args:
        table: the table, as the reader that is asked opens it.
        versions: rows of `HudiTable.versions`, in the order in which they are numbered.

    Raises:
        HudiTableError: a file can't be read.
    """
    answer = table.queries().snapshot()
    query = dataclasses.replace(answer.query, plan=in_driver(table.queries().plan, table.spark), shown=None)
    found: list[TableCall] = []
    for one in answer.slices:
        files = {one.base_file, *one.data_logs}
        own = [each for each in versions if each[PLACE[0]] in files and each[_PARTITION] == one.partition]
        if one.data_logs and own:
            keys = frozenset(str(each[_KEY]) for each in own)
            of_slice = dataclasses.replace(query, keys=keys)
            labels = _Labels(query.schema, dict(_numbered(of_slice, one, versions)), query.plan.ordering)
            found += (labels.told(call) for call in noted_calls(of_slice, one).noted)
    return tuple(found)


def _numbered(
    query: SliceQuery, found: FileSlice, versions: Sequence[Mapping[str, object]]
) -> Iterator[tuple[int, Record]]:
    """Give the number of each version in a slice, and its record."""
    numbers = {tuple(one[name] for name in PLACE): number for number, one in enumerate(versions, start=1)}
    groups = GroupVersions(dataclasses.replace(query, keys=None))  # rows are counted as the versions were
    records = RecordReader(with_meta(query.schema), groups.arrow)
    wanted = pa.array(sorted(query.keys or ()), pa.string())
    for batch in groups.read([found]):
        has_row = pc.not_equal(batch.column(KIND), "delete")
        rows = batch.filter(pc.and_(has_row, pc.is_in(batch.column(_KEY), wanted)))
        places = zip(*(rows.column(name).to_pylist() for name in PLACE), strict=True)
        for place, record in zip(places, records.rows(rows), strict=True):
            if place in numbers:
                yield numbers[place], plain(record) or {}


class _Labels:
    """Names versions v1, v2 and so on by their data, rows that calls made m1, m2."""

    def __init__(self, schema: AvroSchema, versions: dict[int, Record], ordering: tuple[str, ...]) -> None:
        self._schema, self._versions, self._ordering = schema, versions, ordering
        self._made: list[Record] = []

    def told(self, call: TracedCall) -> TableCall:
        """Return a call with the names of its sides."""
        before = len(self._made)
        older, newer, result = (self._name(side) for side in (call.older, call.newer, call.result))
        made = {
            f"m{number}": json_record(record, self._schema)
            for number, record in enumerate(self._made[before:], start=before + 1)
        }
        return TableCall(call.point.value, call.method, older, newer, result, call.rule, made)

    def _name(self, side: Side | None) -> str | None:
        if side is None:
            return None
        if side.record is None:
            return f"a delete{'' if side.ordering is None else f' at {ordering_text(side.ordering, self._ordering)}'}"
        same = (number for number, one in self._versions.items() if same_record(side.record, one, self._schema))
        if (number := next(same, None)) is not None:
            return f"v{number}"
        for number, one in enumerate(self._made, start=1):
            if same_record(side.record, one, self._schema):
                return f"m{number}"
        self._made.append(side.record)
        return f"m{len(self._made)}"
