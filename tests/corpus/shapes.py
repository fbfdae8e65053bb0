"""The shapes of the corpus: a class of each kind that users write, the columns of its table, and what it is given."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from payloads import HudiRelease
from tests.conformance.record_cases import TABLE_TYPES, WRITE_PAYLOAD, Batch, Case

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Draw = Callable[[random.Random, int], Any]

_JAVA: Final = Path(__file__).with_name("java")
_KEYS: Final = 60
_COMMITS: Final = 4
_FIRST, _LATER = 45, 28
_COMPACT_AFTER: Final = (3,)
_FLAG: Final = "_hoodie_is_deleted"
_NULLS = 0.2
BUILDS: Final = {HudiRelease.V0_15: "until 1.0", HudiRelease.V1_2: "from 1.1"}
"""The releases that the classes are compiled for, and how the lines are marked that only this build has."""


def build_of(release: HudiRelease) -> HudiRelease:
    """Return the build whose classes run in a release."""
    return HudiRelease.V0_15 if release < HudiRelease.V1_1 else HudiRelease.V1_2


def source_of(name: str, build: HudiRelease) -> str:
    """Return the text of a class for a build: its own file, or the common one without the lines of the other build."""
    own = _JAVA / BUILDS[build].replace(" ", "_").replace(".", "_") / name
    if own.exists():
        return own.read_text("utf-8")
    others = tuple(f"// {mark}" for one, mark in BUILDS.items() if one is not build)
    lines = (_JAVA / name).read_text("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.rstrip().endswith(others))


# -- what columns hold; a value depends on the row's ordering value where it is a time of its own


def _one_of(*values: Any, nulls: float = _NULLS) -> Draw:
    return lambda source, _: None if source.random() < nulls else source.choice(values)


def _number(top: int, step: float = 1, nulls: float = _NULLS) -> Draw:
    return lambda source, _: None if source.random() < nulls else source.randrange(top) * step


_CITY = "string", _one_of("Oslo", "Lima", "Bergen", "Tromsø")
_NOTE = "string", _one_of("a", "b", "", "a longer note, with commas; and a quote'")
_NOTHING = "string", lambda _source, _: None
_POINTS = "bigint", _number(50)
_AMOUNT = "double", _number(400, 0.25)
_DELETED = "boolean", lambda source, _: source.choice((True, False, None)) if source.random() < 0.25 else False
_DOTLESS, _LONG_S, _KELVIN = "SK\u0131P", "clo\u017fed", "\u212aEEP"
"""Texts whose letters are those of SKIP in any case, of CLOSED in upper case, of keep in lower case."""
_NOT_DELETED = "boolean", lambda _source, _: False
_OP = "string", _one_of("I", "U", "U", "U", "U", "D", nulls=0.1)
_JSON = "string", _one_of('{"a":1,"b":{"c":2}}', '{"b":null,"d":[1,"x"]}', '{"é":"ü","a":"1"}', "{}", "7", "null")


@dataclass(frozen=True)
class Shape:
    """A class and its tables.

    Attributes:
        name: that of its source, and of its tables.
        columns: type and values of each column besides key, partition and `ts`.
        package: of the class.
        ordering: the ordering field.
        options: more options of the writer.
        library: a source that is compiled into a jar of its own.
        java: the class, where another shape has it too.
        deletes: whether a row is a delete, of which the first batch has none.
        only_stored: whether deletes are of keys that are stored then: each is the only row of its key in its batch, and
            newer than those before.
        strategy: the strategy id of a merger; empty for a payload.
        twin: the Python class that does the same as a merger for Spark's rows, which the jvm engine refuses.
    """

    name: str
    columns: Mapping[str, tuple[str, Draw]]
    package: str = "com.acme"
    ordering: str = "ts"
    options: Mapping[str, str] = field(default_factory=dict)
    library: str | None = None
    java: str | None = None
    deletes: Callable[[Mapping[str, Any]], bool] = lambda _: False
    only_stored: bool = False
    strategy: str = ""
    twin: str | None = None

    @property
    def class_name(self) -> str:
        """The full name of the class."""
        return f"{self.package}.{self.java or self.name}"

    @property
    def schema_ddl(self) -> str:
        """The columns of its tables."""
        own = ", ".join(f"{name} {kind}" for name, (kind, _) in self.columns.items())
        return f"id string, part string, ts bigint, {own}"

    def runs_in(self, release: HudiRelease) -> bool:
        """Whether tables of a release take it; mergers came with 1.0."""
        return not self.strategy or release >= HudiRelease.V1_0

    def case(self, table_type: str, release: HudiRelease, seed: int) -> Case:
        """Return a table of it, `cow` or `mor`."""
        names = ("datasource.write.precombine", "payload.ordering", "payload.event.time")
        options = {f"hoodie.{name}.field": self.ordering for name in names} | dict(self.options)
        return Case(
            name=self.name,
            table_type=table_type,
            payload_class=None if self.strategy else self.class_name,
            ordering=self.ordering,
            options=options | (self._merging() if self.strategy else {WRITE_PAYLOAD: self.class_name}),
            schema_ddl=self.schema_ddl,
            batches=tuple(Batch(tuple(rows)) for rows in drawn(self, seed)),
            compact_after=_COMPACT_AFTER if table_type == "mor" else (),
            reads_with=self._merging() if self.strategy else {},
        )

    def _merging(self) -> dict[str, str]:
        return {
            "hoodie.write.record.merge.mode": "CUSTOM",
            "hoodie.write.record.merge.strategy.id": self.strategy,
            "hoodie.write.record.merge.custom.implementation.classes": self.class_name,
            "hoodie.logfile.data.block.format": "parquet",  # all that a merger for Spark's rows can read
        }


def drawn(shape: Shape, seed: int) -> list[list[dict[str, Any]]]:
    """Draw the batches of a shape: new keys, updates, late rows, ties, nulls, deletes, and keys several times."""
    source = random.Random(f"{seed}/{shape.name}")  # noqa: S311 (seeded on purpose)
    keys, last = [f"k{number:02}" for number in range(_KEYS)], dict[str, int]()
    stored = set[str]()
    found = []
    for number in range(_COMMITS):
        batch = []
        for key in source.sample(keys, _LATER if number else _FIRST):
            rows = [_row(shape, source, key, last) for _ in range(source.choice((1, 1, 1, 1, 2, 2, 3)))]
            deleting = next((row for row in rows if shape.deletes(row)), None)
            if deleting is not None and (shape.only_stored or not number):
                if key not in stored:
                    continue
                rows = [_at(shape, source, deleting, last[key] + 1)]
                stored.remove(key)
            else:
                stored.add(key)
            batch += rows
            last[key] = max(last.get(key, 0), *(row["ts"] for row in rows))
        source.shuffle(batch)
        found.append(batch)
    return found


def _row(shape: Shape, source: random.Random, key: str, last: Mapping[str, int]) -> dict[str, Any]:
    before = last.get(key, 10)
    ts = before + source.choice((1, 2, 3, 1, 2, 3, 0, 0, -1, -4))
    values = {name: draw(source, ts) for name, (_, draw) in shape.columns.items()}
    return {"id": key, "part": "p", "ts": ts, **values}


def _at(shape: Shape, source: random.Random, row: dict[str, Any], ts: int) -> dict[str, Any]:
    """Return a row with another time."""
    if shape.ordering == "ts":
        return row | {"ts": ts}
    return row | {"ts": ts, shape.ordering: shape.columns[shape.ordering][1](source, ts)}


def _op_ts(_: random.Random, ts: int) -> str:
    return f"2024-05-01 10:00:{ts:02}.000000"


SHAPES: Final = {
    shape.name: shape
    for shape in (
        Shape("FillsStored", {"city": _CITY, "points": _POINTS, _FLAG: _DELETED}),
        Shape(
            "PatchesStoredPayload",
            {"city": _CITY, "note": _NOTE, "amount": _AMOUNT, _FLAG: _DELETED},
            package="org.apache.hudi.common.model",
        ),
        Shape("StampsIncoming", {"city": _CITY, "audit": _NOTHING, _FLAG: _DELETED}),
        Shape("DeletesByHook", {"op": _OP, "city": _CITY}, deletes=lambda row: row["op"] == "D"),
        Shape(
            "DeletesByBoth",
            {"op": _OP, "city": _CITY, _FLAG: _DELETED},
            java="DeletesByHook",
            deletes=lambda row: row["op"] == "D",
        ),
        Shape("StrictlyNewer", {"city": _CITY, "points": _POINTS, _FLAG: _DELETED}),
        Shape("CountsMerges", {"city": _CITY, "merges": ("int", lambda _source, _: None), _FLAG: _DELETED}),
        Shape("SumsAmounts", {"amount": _AMOUNT, "quantity": _POINTS, "city": _CITY}),
        Shape("ListsChanges", {"city": _CITY, "amount": _AMOUNT, "changed": _NOTHING, "before": _NOTHING}),
        Shape("MergesJson", {"attributes": _JSON, "city": _CITY, _FLAG: _DELETED}),
        Shape(
            "GoldenGate",
            {"op_type": _OP, "op_ts": ("string", _op_ts), "city": _CITY, "points": _POINTS},
            ordering="op_ts",
            deletes=lambda row: row["op_type"] == "D",
            only_stored=True,
        ),
        Shape(
            "ChangeCapture",
            {
                "_change_operation_type": ("string", _one_of("c", "u", "u", "u", "d", "r", nulls=0.1)),
                "_event_lsn": ("bigint", lambda _, ts: ts),
                "city": _CITY,
                "note": ("string", _one_of("__debezium_unavailable_value", "long", "longer")),
            },
            ordering="_event_lsn",
            deletes=lambda row: row["_change_operation_type"] == "d",
            only_stored=True,
        ),
        Shape(
            "ReadsProperties",
            {"city": _CITY, "points": _POINTS, "kept": _NOTHING, _FLAG: _DELETED},
            options={"acme.keep.columns": "city,points"},
        ),
        Shape(
            "DeletesByProperty",
            {"state": ("string", _one_of("new", "open", "open", "open", "gone")), "city": _CITY},
            options={"acme.delete.column": "state", "acme.delete.value": "gone"},
            deletes=lambda row: row["state"] == "gone",
            only_stored=True,
        ),
        Shape(
            "DeletesUnknown",
            {"op": _OP, "city": _CITY},
            java="DeletesByProperty",
            deletes=lambda row: row["op"] == "D",
        ),
        Shape("CopiesRecord", {"city": _CITY, "note": _NOTE}),
        Shape("TellsClasses", {"city": _CITY, "told": _NOTHING}),
        Shape("CachesPositions", {"city": _CITY, "points": _POINTS, _FLAG: _DELETED}),
        Shape("RemembersRecord", {"city": _CITY, "origin": _NOTHING, _FLAG: _DELETED}),
        Shape(
            "ConvertsCurrency",
            {
                "amount": _AMOUNT,
                "currency": ("string", _one_of("EUR", "USD", "GBP", "NOK")),
                "euros": ("double", lambda _source, _: None),
            },
            library="Rates.java",
        ),
        Shape(
            "KeepsMarked",
            {
                "city": ("string", _one_of("Oslo", "__KEEP__", "Lima")),
                "note": ("string", _one_of("__KEEP__", "b", "")),
                "points": _POINTS,
                _FLAG: _DELETED,
            },
        ),
        Shape(
            "KeepsFirstSeen",
            {
                "first_seen": ("bigint", _number(90, nulls=0.1)),
                "city": _CITY,
                _FLAG: _NOT_DELETED,
            },
        ),
        Shape("NeverReopens", {"status": ("string", _one_of("NEW", "OPEN", "OPEN", "CLOSED")), "city": _CITY}),
        Shape("LeavesOut", {"city": _CITY, "note": _NOTE, _FLAG: _DELETED}),
        Shape(
            "ComparesLetters",
            {
                "op": ("string", _one_of("U", "U", "U", "U", "skip", "Skip", "SKIP", _DOTLESS)),
                "status": ("string", _one_of("open", "open", "open", "open", "closed", "Closed", _LONG_S)),
                "note": ("string", _one_of("a", "b", "keep", "Keep", _KELVIN)),
            },
        ),
        Shape("FillsNulls", {"city": _CITY, "points": _POINTS}, strategy="0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d01"),
        Shape(
            "LargerPoints",
            {"city": _CITY, "points": _POINTS},
            strategy="0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d02",
            twin="tests.corpus.merger_twins:LargerPoints",
        ),
        Shape(
            "AddsPoints",
            {"city": _CITY, "points": _POINTS},
            strategy="0b5d9a1c-51a4-4a7e-a1f4-5f0e4a6c7d03",
            twin="tests.corpus.merger_twins:AddsPoints",
        ),
    )
}
TYPES: Final = tuple(TABLE_TYPES)
