"""Rounds: what one draws, what must be there after each of its batches, and the smallest part that still differs."""

from __future__ import annotations

import collections
import dataclasses
import functools
import heapq
import random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tests.soak.models import BOTH, COLUMNS, FLAG, OF, Model, Rows, written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.soak.worlds import World
    from tests.write.payloads import Row

MOST_ROWS: Final = 50_000
_MOST_ROWS_MERGED: Final = 3_000
_TOLD: Final = 4
_STAYS: Final = 0.9
_NEW: Final = ("insert", "bulk_insert")
_OPERATIONS: Final = (*("upsert",) * 6, *_NEW, "insert_overwrite", "insert_overwrite_table", "delete_partition")
_UPGRADES: Final = (("0.13", "0.14"), ("0.14", "0.15"), ("0.15", "1.0"), ("0.15", "1.2"), ("1.0", "1.2"))


class Found(NamedTuple):
    """What became of a round: how many rows were compared, and what differs."""

    rows: int
    differences: tuple[str, ...] = ()


class Written(NamedTuple):
    """A batch: its operation and rows."""

    operation: str
    rows: tuple[Row, ...]


@dataclasses.dataclass(frozen=True)
class Round:
    """A round whose answer real Hudi gave, or gives now.

    Attributes:
        label: what draws it again.
        kind: `frames`, `upgraded`, `merged`, `recorded`, `corpus` or `written`.
        batches: what is written; empty where a table is read.
    """

    label: str
    kind: str
    batches: tuple[Written, ...] = ()

    def run(self, world: World) -> Found:
        """Run it."""
        return world.of_hudi(self)

    def of(self, batches: tuple[Written, ...]) -> Round:
        """Return the round with fewer batches or rows."""
        return dataclasses.replace(self, batches=batches)


@dataclasses.dataclass(frozen=True)
class Modelled(Round):
    """A round that is held against a model.

    Attributes:
        name: of the model.
        settings: of the plan, which the model's go before.
        compact_after: batches after which the log is compacted.
        next_release: who takes the table over after the first batch; empty for nobody.
        beside: before which commit of a merge another writer commits; 0 for none.
    """

    name: str = "sums"
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)
    compact_after: tuple[int, ...] = ()
    next_release: str = ""
    beside: int = 0

    @property
    def model(self) -> Model:
        """What merges."""
        return OF[self.name]

    @property
    def columns(self) -> dict[str, str]:
        """Spark types by name."""
        return COLUMNS | ({FLAG: "boolean"} if self.model.flagged else {})

    def run(self, world: World) -> Found:
        """Hold every snapshot against the model."""
        if self.kind == "merged":
            return world.merged(self)
        expected = list(self.snapshots())
        found = world.simulated(self)
        told = [one for n, rows in enumerate(expected) for one in self._differences(n + 1, rows, found.get(n + 1, ()))]
        return Found(sum(map(len, expected)), tuple(told[:_TOLD]))

    def snapshots(self) -> Iterator[Rows]:
        """Give the rows after each batch, by the model."""
        rows: Rows = {}
        for operation, batch in self.batches:
            rows = written(self.model, rows, operation, batch)
            yield rows

    def _differences(self, number: int, expected: Rows, found: Any) -> Iterator[str]:
        wanted = collections.Counter(tuple(row[name] for name in self.columns) for row in expected.values())
        got = collections.Counter(found)
        for what, rows in (("missing", wanted - got), ("too many", got - wanted)):
            yield from (f"after batch {number}, {what}: {row}" for row in heapq.nsmallest(_TOLD, rows, key=repr))

    def of(self, batches: tuple[Written, ...]) -> Modelled:
        """As the base's; a compaction after a batch that is gone is gone."""
        kept = tuple(number for number in self.compact_after if number <= len(batches))
        return dataclasses.replace(self, batches=batches, compact_after=kept)

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.name}, {self.settings}, compacted after {self.compact_after or 'none'}"]
        lines[0] += f", then {self.next_release}" if self.next_release else ""
        for number, (operation, rows) in enumerate(self.batches, 1):
            told = "; ".join(str(tuple(row.values())) for row in rows[:_TOLD])
            lines.append(f"batch {number}, {operation}, {len(rows)} rows: {told}")
        return "\n    ".join(lines)


def drawn(label: str, kinds: dict[str, int]) -> Round:
    """Draw a round of one of some kinds, by their weights; a label draws the same one everywhere."""
    source = random.Random(label)  # noqa: S311 (no secret)
    (kind,) = source.choices([*kinds], [*kinds.values()])
    if kind not in {"frames", "upgraded", "merged"}:
        return Round(label, kind)
    names = [name for name, one in OF.items() if kind == "frames" or _takes(kind, name, one)]
    name = source.choice(names)
    model = OF[name]
    release, later = source.choice(_UPGRADES) if kind == "upgraded" else (source.choice(model.releases), "")
    table_type = source.choice(BOTH if kind == "merged" else model.table_types)
    if name == "sums" and release < "1.0" < later:
        table_type = "mor"  # 0.15 stores no class for copy-on-write tables, and 1.2 then merges by another one
    most = _MOST_ROWS_MERGED if kind == "merged" else MOST_ROWS
    operations = ("upsert",) if kind != "frames" else (*_OPERATIONS, *(("delete",) if table_type == "cow" else ()))
    batches: list[Written] = []
    keys = int(most ** source.random()) + 1
    for number in range(source.randint(2, 5)):
        operation = source.choice(operations) if number else "upsert"
        size = int(most ** source.random())
        batches.append(Written(operation, _rows(source, model, operation, size, keys, number)))
    compact = tuple(n for n in range(1, len(batches) + 1) if table_type == "mor" and source.random() < 0.4)
    engine = "auto" if ":" in model.settings.get("payload", "") else source.choice(("auto", "python", "native"))
    settings: dict[str, Any] = {"release": release, "table_type": table_type, "engine": engine}
    settings["props"] = {"hoodie.parquet.small.file.limit": "0"}  # else an insert may update the row of a small file
    beside = source.randint(0, len(batches))
    return Modelled(label, kind, tuple(batches), name, settings, compact, later, beside)


def _takes(kind: str, name: str, model: Model) -> bool:
    return model.upgrades if kind == "upgraded" else name.endswith("of 0.15")


def _rows(  # noqa: PLR0913, PLR0917 (what is drawn before)
    source: random.Random, model: Model, operation: str, size: int, keys: int, batch: int
) -> tuple[Row, ...]:
    """Draw rows of a batch; all but upserts have a key once, and inserts have keys that no batch had before."""
    rows = []
    for at in range(size):
        number = source.randrange(keys) if operation == "upsert" else at
        row: Row = {
            "id": f"k{number}",
            "part": f"p{number % 3 if source.random() < _STAYS else 3}",
            "ts": source.randrange(20),
            "name": source.choice(("a", "ü", "b", None, "skip")),
            "qty": source.randint(-4, 4),
            "Op": source.choice("IUUD") if operation in {"upsert", "delete"} else "I",
        }
        if operation in _NEW:
            row["id"] = f"new{batch}-{at}"
        if operation != "upsert":  # an insert that a class refuses is for upserts
            row |= {"qty": abs(row["qty"])}
        if model.flagged:
            row[FLAG] = operation == "upsert" and source.random() < 0.15
        rows.append(row)
    return tuple(rows)


def shrunk(round_: Round, differs: Callable[[Round], bool], tries: int = 150) -> Round:
    """Return a part that still differs: halves of its batches and of their rows are left out as long as it does."""
    left = [tries]

    def least(items: tuple[Any, ...], of: Callable[[tuple[Any, ...]], Round]) -> Round:
        found = of(items)
        parts = _halves(items)
        while left[0] and (part := next(parts, None)):
            left[0] -= 1
            if differs(of(part)):
                found, parts = of(part), _halves(part)
        return found

    small = least(round_.batches, round_.of)
    for at in range(len(small.batches)):
        small = least(small.batches[at].rows, functools.partial(_with_rows, small, at))
    return least(small.batches, small.of)


def _with_rows(round_: Round, at: int, rows: tuple[Row, ...]) -> Round:
    batches = round_.batches
    return round_.of((*batches[:at], batches[at]._replace(rows=rows), *batches[at + 1 :]))


def _halves(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Give the halves of what has several, and where these are few, all but one."""
    if middle := len(items) // 2:
        yield from (items[middle:], items[:middle])
    if middle in {1, 2, 3}:
        yield from (items[:at] + items[at + 1 :] for at in range(len(items)))
