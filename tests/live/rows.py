"""Rows for a table of few keys: late ones, duplicates, deletes, nulls, values that paths and types make hard."""

from __future__ import annotations

import datetime
import decimal
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import random

_TEXTS = ("a", "b", "", "ünï", "日本", None)
_UNAVAILABLE = "__debezium_unavailable_value"
_PARTITIONS: dict[str, tuple[Any, ...]] = {
    "encoded": ("a/b", "x=1", "50%", "p q", "it's", "ä:b"),
    "encodedhive": ("a/b", "x=1", "50%", "p q"),
    "slashes": ("2024/01/02", "2024/01/03"),
    "nulls": ("p0", "p1", None, ""),
    "nullshive": ("p0", "p1", None, ""),
    "date": (datetime.date(2024, 1, 2), datetime.date(1969, 12, 31)),
    "number": (7, 12),
    "timeslash": (1_700_000_000_000, 1_710_000_000_000),
    "timeplain": (1_700_000_000_000, 1_710_000_000_000),
}
_PARTITION_TYPES = {"date": "date", "number": "int", "timeslash": "bigint", "timeplain": "bigint"}
_DEBEZIUM = {"_change_operation_type": "string", "_event_origin_ts_ms": "bigint", "blob": "string"}
_EPOCH = datetime.datetime(1970, 1, 1)  # noqa: DTZ001 (Spark takes local times; the session is in UTC)


class Writer(NamedTuple):
    """How versions merge.

    Attributes:
        kind: the payload or merge mode, in a word.
        ordering: the ordering fields, joined by commas.
        kind_of_ts: the type of the column `ts`.
        flagged: whether rows have `_hoodie_is_deleted`.
    """

    kind: str
    ordering: str
    kind_of_ts: str = "bigint"
    flagged: bool = True


class Rows:
    """Draws the batches of one table.

    Attributes:
        columns: Spark types by name, as the next batch has them.
    """

    def __init__(self, source: random.Random, writer: Writer, partition: str, key: str) -> None:
        """Choose the columns."""
        self._source = source
        self._writer = writer
        self._partition = partition
        self._key = key
        self._clock = 0
        self.columns: dict[str, str] = {
            "id": "string",
            "n": "bigint",
            "at": "timestamp",
            "part": _PARTITION_TYPES.get(partition, "string"),
            "sub": "string",
            "ev": "bigint",
            "ts": writer.kind_of_ts,
            "name": "string",
            "qty": "int",
            "price": "double",
            "amount": "decimal(12,2)",
            "day": "date",
            "tags": "array<string>",
            "st": "struct<a:int,b:string>",
            "m": "map<string,bigint>",
        }
        if writer.kind in {"postgres", "mysql"}:
            own = {"postgres": {"_event_lsn": "bigint"}}
            file = {"_event_seq": "string", "_event_bin_file": "string", "_event_pos": "bigint"}
            self.columns |= own.get(writer.kind, file) | _DEBEZIUM
        elif writer.kind == "dms":
            self.columns["Op"] = "string"
        elif writer.kind == "marker":
            self.columns["op"] = "string"
        elif writer.flagged:
            self.columns["_hoodie_is_deleted"] = "boolean"

    def add_column(self) -> None:
        """Let later batches have a column more."""
        self.columns = {**self.columns, "added": "string"}

    def promote(self) -> None:
        """Let later batches have a wider type in a column that nothing merges by."""
        if "qty" not in self._writer.ordering:
            self.columns = {**self.columns, "qty": "bigint"}

    def altered(self) -> str:
        """Rename, drop, add again or widen a column, and return how ALTER TABLE says so."""
        held = dict(self.columns)
        title = "name" if "name" in held else "title"
        other = "title" if title == "name" else "name"
        choices = {
            f"rename column {title} to {other}": {other if name == title else name: held[name] for name in held},
            "drop column price" if "price" in held else "add columns (price double)": (
                {name: kind for name, kind in held.items() if name != "price"}
                if "price" in held
                else {**held, "price": "double"}
            ),
        }
        if held["qty"] == "int" and "qty" not in self._writer.ordering:
            choices["alter column qty type string"] = {**held, "qty": "string"}
        if "b:" in held["st"]:
            choices["rename column st.b to c"] = {**held, "st": "struct<a:int,c:string>"}
        clause = self._source.choice(list(choices))
        self.columns = choices[clause]
        return clause

    def batch(self, size: int, *, new: bool = False, twice: bool = False) -> list[dict[str, Any]]:
        """Return rows of random keys; with `new`, of keys in turn, and with `twice`, some of them twice."""
        self._clock += 10
        keys = self._source.sample(range(32), min(size, 32)) if new else self._source.choices(range(32), k=size)
        if twice:
            keys += self._source.choices(keys, k=4)
        return [self._row(key) for key in keys]

    def _row(self, key: int) -> dict[str, Any]:
        source, late = self._source, self._source.random() < 0.3
        at = source.randint(0, 5) if late else self._clock + source.randint(0, 5)
        partitions = _PARTITIONS.get(self._partition, ("p0", "p1"))
        moves = self._key != "auto" and source.random() < 0.1
        part = partitions[(key + moves) % len(partitions)]
        values: dict[str, Any] = {
            "id": f"k{key:03}",
            "n": key % 5 if self._key == "composite" else 9_007_199_254_740_000 + key,
            "at": _EPOCH + datetime.timedelta(days=key, microseconds=123_456),
            "part": part,
            "sub": f"s{key % 2}",
            "ev": 1_700_000_000_000 + key % 2 * 10_000_000_000,
            "ts": self._ts(at),
            "name": source.choice((*_TEXTS, *([_UNAVAILABLE] if "blob" in self.columns else []))),
            "qty": source.choice([0, 1, 2, 7, None]) if "qty" not in self._writer.ordering else source.randint(0, 9),
            "price": source.choice([0.0, -0.0, 1.5, 1e300, None]),
            "amount": source.choice([decimal.Decimal("0.00"), decimal.Decimal("-2.25"), None]),
            "day": source.choice([datetime.date(1969, 11, 5), datetime.date(2024, 2, 29), None]),
            "tags": source.choice([[], ["x", "y"], None]),
            "st": source.choice([{"a": at, "b": None}, {"a": None, "b": "ü"}, None]),
            "m": source.choice([{}, {"k": at}, None]),
            "Op": source.choice("IUUD"),
            "op": source.choice(["U", "U", "d", "D", None]),
            "_hoodie_is_deleted": source.random() < 0.12,
            "_change_operation_type": source.choice("cuuud"),
            "_event_origin_ts_ms": at,
            "_event_lsn": at,
            "_event_seq": f"{at // 10}.{at % 10 * 7}",
            "_event_bin_file": f"mysql-bin.{at // 10:06}",
            "_event_pos": at % 10 * 7,
            "blob": source.choice(["base", _UNAVAILABLE, _UNAVAILABLE, None]),
            "added": source.choice(["new", None]),
        }
        values["title"] = values["name"]
        if self.columns["qty"] == "string" and values["qty"] is not None:
            values["qty"] = str(values["qty"])
        if "c:" in self.columns["st"] and values["st"]:
            values["st"] = {"a": values["st"]["a"], "c": values["st"]["b"]}
        return {name: values[name] for name in self.columns}

    def _ts(self, at: int) -> Any:
        match self._writer.kind_of_ts:
            case "string":
                return f"{at:03}"
            case "double":
                return at + 0.5
            case "timestamp":
                return _EPOCH + datetime.timedelta(seconds=at, microseconds=1)
            case "decimal(10,2)":
                return decimal.Decimal(at) + decimal.Decimal("0.25")
            case _:
                return at
