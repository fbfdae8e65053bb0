"""The writes of `tests/data/indexed_records.json`, each into a table with the keys a and b."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Row = dict[str, Any]

FACTS: list[list[Any]] = json.loads((Path(__file__).parents[1] / "data" / "indexed_records.json").read_text("utf-8"))
COLUMNS = "id string, part string, ts bigint, v int, op string"
LOST = ["a1N", "b1N"]
"""The rows of the table before the write: what a write leaves that loses its row without an error."""


class Write(NamedTuple):
    """A batch whose rows have an `op`, the settings of its plan, and another batch after it."""

    batch: Callable[[str], list[Row]]
    settings: Mapping[str, Any] = {}
    next_batch: Callable[[str], list[Row]] | None = None

    def batches(self, op: str) -> list[list[Row]]:
        """Return the batches, the first of which makes the table."""
        return [BASE, self.batch(op), *([] if self.next_batch is None else [self.next_batch(op)])]


def row(key: str, ts: int = 1, op: str = "N", part: str = "p") -> Row:
    """Return a row, whose v is its ordering value."""
    return {"id": key, "part": part, "ts": ts, "v": ts, "op": op}


def shown(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return rows as the facts have them."""
    return sorted(f"{one['id']}{one['v']}{one['op']}{'' if one['part'] == 'p' else one['part']}" for one in rows)


BASE = [row("a"), row("b")]
_MOVES = {
    "hoodie.global.simple.index.update.partition.path": "true",
    "hoodie.simple.index.update.partition.path": "true",
}
CASES = {
    "existing-key": Write(lambda op: [row("a", 2, op)]),
    "new-key": Write(lambda op: [row("c", 2, op)]),
    "small-file": Write(
        lambda op: [row("a", 2), row("c", 2, op)], {"props": {"hoodie.parquet.small.file.limit": "104857600"}}
    ),
    "dup-existing": Write(lambda op: [row("a", 2, op), row("a", 3, op)]),
    "dup-existing-late": Write(lambda op: [row("a", 3, op), row("a", 2, op)]),
    "dup-new": Write(lambda op: [row("c", 2, op), row("c", 3, op)]),
    "dup-new-late": Write(lambda op: [row("c", 3, op), row("c", 2, op)]),
    "dup-of-three": Write(lambda op: [row("a", 2, op), row("a", 3, op), row("a", 4, op)]),
    "global-moves": Write(lambda op: [row("a", 2, op, "q")], {"global_index": True, "props": _MOVES}),
    "global-stays": Write(lambda op: [row("a", 2, op)], {"global_index": True, "props": _MOVES}),
    "log-alone": Write(lambda op: [row("c", 2, op)], {"inserts_to": "log"}),
    "log-twice": Write(lambda op: [row("c", 2, op)], {"inserts_to": "log"}, lambda op: [row("c", 3, op)]),
    "not-combined": Write(lambda op: [row("a", 2, op), row("a", 3, op)], {"combine_before_upsert": False}),
    "no-ordering": Write(lambda op: [row("a", 2, op)], {"ordering": ()}),
}
