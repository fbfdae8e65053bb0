"""Generated keys for the agreement of engines: what a combination has in its tables, and the versions of a key."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import itertools
import random
from typing import Any, NamedTuple

import pyarrow as pa

from bridge import MergePlan
from bridge.config import TableMergeConfig, capabilities, created_properties
from payloads import HudiRelease

NULLS = 0.08
"""The share of null ordering values, most of which make the merge of their key fail."""
READS = frozenset({"snapshot", "compact"})


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
    "decimal": Ordered("decimal(8,2)", pa.decimal128(8, 2), tuple(map(decimal.Decimal, ("-1.50", "0.00", "7.25")))),
}
OF_MODES = ("int", "long", "string", "boolean", "double")
OF_READS = ("int", "long", "string", "boolean")
WITH_TEXTS = ("int", "long", "string", "boolean", "date")
OF_PAYLOADS = tuple(ORDERED)
IN_SCANNED_LOGS = ("int", "long", "string", "boolean", "date")
MERGER = "tests.support.user_mergers:AddsUp"
PARTIAL = ("PartialUpdateAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload", "PostgresDebeziumAvroPayload")
EPOCH = datetime.date(1970, 1, 1)
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


class Key(NamedTuple):
    """A key: its stored row and its newer versions, each a row in the layout of the python engine."""

    stored: tuple[Any, ...] | None
    newer: tuple[tuple[Any, ...], ...]


def draw(combination: Combination, keys: int, seed: int) -> list[Key]:
    """Draw keys."""
    chance = random.Random(f"{seed} {combination}")  # noqa: S311 (the same keys in every run)
    value = itertools.count(1)  # adding 0 would make the values of a version, which columns take for it

    def identity(number: int) -> tuple[Any, ...]:
        return f"k{number:06}", f"p{number % 3}" if number % 7 else None

    def row(number: int, *, newer: bool) -> tuple[Any, ...]:
        by = [None if chance.random() < NULLS else chance.choice(ORDERED[name].values) for name in combination.ordering]
        op = chance.choice((None, "I", "d", "D")) if newer else "I"
        is_flagged = newer or combination.merges == MERGER
        flag = chance.choice((None, False, False, True)) if is_flagged else False if combination.fills else None
        texts = [chance.choice(_TEXTS)] if combination.fills else []
        number_of = None if combination.fills and chance.random() < 0.4 else next(value)
        return (*identity(number), *by, *texts, number_of, op, flag)

    def entry(number: int) -> tuple[Any, ...]:
        return (*identity(number), *(None,) * (len(combination.types) - 2))

    found = []
    for number in range(keys):
        stored = row(number, newer=False) if chance.random() < 0.6 and combination.program != "combine_input" else None
        newer = []
        for arrival in range(chance.choice((0, 1, 1, 2, 3, 5))):
            is_entry = combination.reads_log and chance.random() < 0.35
            data = entry(number) if is_entry else row(number, newer=True)
            ordering = _entry_ordering(combination, chance) if is_entry else None
            newer.append((*data, arrival // 2 + 1, arrival, is_entry, ordering))
        if stored is not None or newer:
            found.append(Key(stored, tuple(newer)))
    return found


def _entry_ordering(combination: Combination, chance: random.Random) -> dict[str, str] | None:
    """Draw what a delete entry has as its ordering value."""
    drawn = chance.random()
    if drawn < NULLS:
        return None
    if drawn < 0.3 or not combination.ordering:
        return {"type": "int", "value": "0"}
    (kind, *_) = combination.ordering
    value = chance.choice(ORDERED[kind].values)
    if isinstance(value, datetime.date):
        return {"type": chance.choice(("int", "local_date")), "value": str((value - EPOCH).days)}
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "string" and capabilities(HudiRelease.parse(combination.release)).delete_block_utf8 is not None:
        kind = chance.choice(("string", "utf8"))
    return {"type": kind, "value": text}
