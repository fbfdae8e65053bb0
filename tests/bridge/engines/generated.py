"""Generated keys for the agreement of engines: what a combination has in its tables, and the versions of a key."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bridge import MergePlan
from bridge.config import TableMergeConfig, capabilities, created_properties
from bridge.engines import ARRIVAL, COMMIT, IS_DELETE, ORDERING
from payloads import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NULLS = 0.08
"""The share of null ordering values, most of which make the merge of their key fail."""
STORED = 0.6
"""The share of keys with a stored row."""
ENTRIES = 0.35
"""The share of delete entries in a log."""
DEFAULTS = 0.24
"""The share of delete entries whose ordering value is Hudi's default, Integer 0."""
NO_VALUE = 0.4
"""The share of rows with a gap, where columns are filled."""
VERSIONS = (0, 1, 1, 2, 3, 5)
"""How many newer versions a key has, each as likely."""
READS = frozenset({"snapshot", "compact"})


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class Ordered(NamedTuple):
    """An ordering column: its type in SQL and in Arrow, and the values that are drawn."""

    kind: str
    arrow: pa.DataType
    values: tuple[Any, ...]


ORDERED = {
    "int": Ordered("int", pa.int32(), (-1, 0, 0, 1, 2)),
    "long": Ordered("bigint", pa.int64(), (-1, 0, 1, 2, 2**40)),
    "string": Ordered("string", pa.string(), ("", "a", "b", "é", "￿", "😀")),
    "boolean": Ordered("boolean", pa.bool_(), (True, False)),
    "double": Ordered("double", pa.float64(), (-1.5, -0.0, 0.0, 2.5, float("nan"), float("inf"))),
    "date": Ordered("date", pa.date32(), tuple(datetime.date(1969, 12, day) for day in (30, 31))),
    "timestamp": Ordered(
        "timestamp",
        pa.timestamp("us", tz="UTC"),
        tuple(_EPOCH + datetime.timedelta(microseconds=micros) for micros in (-1, 0, 1, 10**15)),
    ),
    "decimal": Ordered("decimal(8,2)", pa.decimal128(8, 2), tuple(map(decimal.Decimal, ("-1.50", "0.00", "7.25")))),
}
OF_MODES = ("int", "long", "string", "boolean", "double", "timestamp")
WITHOUT_DATES = ("int", "long", "string", "boolean", "timestamp")
WITH_TEXTS = (*WITHOUT_DATES, "date")
OF_PAYLOADS = tuple(ORDERED)
MERGER = "tests.support.user_mergers:AddsUp"
PARTIAL = ("PartialUpdateAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload", "PostgresDebeziumAvroPayload")
_FLAGS = (None, False, False, True)
_TEXTS = (None, "x", "y", "__debezium_unavailable_value")
ENTRY_ORDERING = pa.struct([("type", pa.string()), ("value", pa.string())])
"""The type of `_pb_ordering`."""
_OTHERS = {"string": pa.string(), "int": pa.int32(), "boolean": pa.bool_()}


class Combination(NamedTuple):
    """What the engines must agree on.

    Attributes:
        merges: a merge mode or a payload class, as plans name it.
        ordering: the types of the ordering fields.
        marker: whether a custom delete marker is configured.
        settings: further settings of the plan; `created_by` names the release that created the table.
    """

    program: str
    release: str
    merges: str
    ordering: tuple[str, ...]
    marker: bool = False
    settings: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        deletes = "flag, marker" if self.marker else "flag"
        more = "".join(f", {name}={value}" for name, value in self.settings)
        by = "+".join(self.ordering) or "arrival"
        return f"{self.program} {self.release} {self.merges} by {by}, {deletes}{more}"

    @property
    def reads_log(self) -> bool:
        """Whether the newer side is a log."""
        return self.program in READS

    @property
    def fills(self) -> bool:
        """Whether columns are filled."""
        return self.merges in PARTIAL

    @property
    def fields(self) -> tuple[str, ...]:
        """The ordering fields."""
        if self.merges == "PostgresDebeziumAvroPayload":
            return ("_event_lsn",)
        return tuple(f"o{number}" for number in range(len(self.ordering)))

    @property
    def types(self) -> dict[str, tuple[str, pa.DataType]]:
        """The data columns with their types in SQL and in Arrow."""
        by = {name: ORDERED[kind][:2] for name, kind in zip(self.fields, self.ordering, strict=True)}
        operation = "Op" if self.merges == "AWSDmsAvroPayload" else "op"
        others = {"v": "int", operation: "string", "_hoodie_is_deleted": "boolean"}
        if self.fills:
            others = {"t": "string", **others}
        text = ("string", pa.string())
        return {"id": text, "part": text, **by, **{name: (kind, _OTHERS[kind]) for name, kind in others.items()}}

    @property
    def columns(self) -> str:
        """The data columns, as DDL."""
        return ", ".join(f"{name} {kind}" for name, (kind, _) in self.types.items())

    @property
    def plan(self) -> MergePlan:
        """The plan of the merge."""
        marker = {"hoodie.payload.delete.field": "op", "hoodie.payload.delete.marker": "D"} if self.marker else {}
        kind = "merger" if self.merges.endswith("_ORDERING") or ":" in self.merges else "payload"
        given: dict[str, Any] = {kind: self.merges, "engine": "native", **dict(self.settings)}
        created_by = given.pop("created_by", None)
        plan = MergePlan(
            release=created_by or self.release,
            table_type="cow" if self.program == "upsert" else "mor",
            key="id",
            partition="part",
            ordering=self.fields,
            props=marker,
            **given,
        )
        if created_by is None:
            return plan
        stored = created_properties(plan.writer_options(), plan.table_type, plan.release)
        release = HudiRelease.parse(self.release)
        return dataclasses.replace(plan, release=release, table=TableMergeConfig.from_properties(stored, release))


def draw(combination: Combination, keys: int, seed: int) -> pa.Table:
    """Draw the versions of keys, the stored row of each first, then the newer ones as they arrive.

    The columns are the data and what engines know of newer versions, all of which is null of a stored row: commit,
    arrival, whether it is a delete entry of a log, and the ordering value that such an entry has.
    """
    chance = np.random.default_rng([*f"{seed} {combination}".encode()])  # the same keys in every run
    has_stored = (chance.random(keys) < STORED) & (combination.program != "combine_input")
    newer = chance.choice(np.array(VERSIONS), keys)
    number = np.repeat(np.arange(keys), has_stored + newer)
    rows = len(number)
    first = np.cumsum(has_stored + newer) - (has_stored + newer)
    arrival = np.arange(rows) - (first + has_stored)[number]  # -1 of a stored row
    is_newer = arrival >= 0
    is_entry = is_newer & (chance.random(rows) < ENTRIES) & combination.reads_log
    drawn = _Rows(combination, chance, is_newer, is_entry)
    ids = pa.array([f"k{key:06}" for key in range(keys)])
    columns = {
        "id": ids.take(pa.array(number)),
        "part": _chosen([None, "p0", "p1", "p2"], np.where(number % 7, number % 3 + 1, 0), pa.string()),
        **drawn.data(),
        COMMIT: pa.array(arrival // 2 + 1, pa.int64(), mask=~is_newer),
        ARRIVAL: pa.array(arrival, pa.int64(), mask=~is_newer),
        IS_DELETE: pa.array(is_entry, mask=~is_newer),
        ORDERING: drawn.entry_ordering(),
    }
    return pa.table(columns)


class _Rows:
    """Draws the columns of versions."""

    def __init__(
        self,
        combination: Combination,
        chance: np.random.Generator,
        is_newer: NDArray[np.bool_],
        is_entry: NDArray[np.bool_],
    ) -> None:
        self._combination, self._chance = combination, chance
        self._is_newer, self._is_entry, self._rows = is_newer, is_entry, len(is_newer)

    def data(self) -> dict[str, pa.Array]:
        """Return the data columns but those of the key; a delete entry has none of them."""
        combination = self._combination
        found = dict(zip(combination.fields, map(self._ordering_values, combination.ordering), strict=True))
        if combination.fills:
            found["t"] = self._any_of(_TEXTS, pa.string())
        # Adding 0 would make the values of a version, which columns take for it.
        value, no_value = np.arange(1, self._rows + 1), self._chance.random(self._rows) < NO_VALUE
        found["v"] = pa.array(value, pa.int32(), mask=no_value & combination.fills)
        stored_operation, stored_flag = pa.scalar("I"), pa.scalar(False if combination.fills else None, pa.bool_())
        operation, flag = self._any_of((None, "I", "d", "D"), pa.string()), self._any_of(_FLAGS, pa.bool_())
        named = [name for name in combination.types if name in {"Op", "op"}]
        found[named[0]] = pc.if_else(self._is_newer, operation, stored_operation)
        is_flagged = self._is_newer | (combination.merges == MERGER)
        found["_hoodie_is_deleted"] = pc.if_else(is_flagged, flag, stored_flag)
        return {name: pc.if_else(self._is_entry, None, column) for name, column in found.items()}

    def _ordering_values(self, name: str) -> pa.Array:
        _, kind, values = ORDERED[name]
        is_null = self._chance.random(self._rows) < NULLS
        return _chosen((None, *values), np.where(is_null, 0, 1 + self._numbers(len(values))), kind)

    def entry_ordering(self) -> pa.Array:
        """Return what delete entries have as their ordering values."""
        combination, default = self._combination, {"type": "int", "value": "0"}
        has_none, has_default = (self._chance.random(self._rows) < share for share in (NULLS, DEFAULTS))
        own = _entry_orderings(combination)
        index = np.where(has_default | (not own), 1, 2 + self._numbers(max(len(own), 1)))
        return _chosen((None, default, *own), np.where(has_none | ~self._is_entry, 0, index), ENTRY_ORDERING)

    def _any_of(self, values: Sequence[Any], kind: pa.DataType) -> pa.Array:
        return _chosen(values, self._numbers(len(values)), kind)

    def _numbers(self, below: int) -> NDArray[np.int64]:
        return self._chance.integers(below, size=self._rows)


def _chosen(values: Sequence[Any], index: NDArray[np.int64], kind: pa.DataType) -> pa.Array:
    return pa.array(values, kind).take(pa.array(index))


def _entry_orderings(combination: Combination) -> list[dict[str, str]]:
    """Return the ordering values of delete entries in which the table's ordering field is written."""
    if not combination.ordering:
        return []
    (kind, *_) = combination.ordering
    values, types = ORDERED[kind].values, [kind]
    if kind == "date":
        values, types = tuple((value - _EPOCH.date()).days for value in values), ["int", "local_date"]
    if kind == "timestamp":
        values, types = tuple((value - _EPOCH) // datetime.timedelta(microseconds=1) for value in values), ["long"]
    if kind == "boolean":
        values = tuple(str(value).lower() for value in values)
    if kind == "string" and capabilities(HudiRelease.parse(combination.release)).delete_block_utf8 is not None:
        types = ["string", "utf8"]
    return [{"type": name, "value": str(value)} for name in types for value in values]
