"""The page of rows that differ: how many in which way, and the list of them with both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.compare.tables import kinds_of
from bridge.pipeline import KINDS
from bridge.report import Figure, Keys, View, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.compare.difference import Difference
    from bridge.report import JsonObject


def rows_view(
    shown: Sequence[Difference], counts: Sequence[int], names: tuple[str, str], headline: str, title: str
) -> View:
    """Return a page of rows that differ.

    Args:
        shown: the rows to list.
        counts: how many rows differ, by kind, in the order of `KINDS`.
        names: what the sides are called.
        headline: the result in one sentence.
        title: what the list has.
    """
    kinds = tuple(kinds_of(names).values())
    total = sum(counts)
    note = "" if len(shown) == total else f"{len(shown):,} of {total:,} are listed"
    keys = Keys(
        [_row(one) for one in shown],
        tuple(shown[0].key) if shown else (),
        kinds=kinds,
        total=total,
        note=note,
        title=title,
        sides=names,
    )
    figures = [Figure(f"{number:,}", kind) for number, kind in zip(counts, kinds, strict=True)]
    return View(headline, figures, keys=keys)


def _row(one: Difference) -> JsonObject:
    return {
        "key": texts(one.key.values()),
        "kind": KINDS.index(one.kind),
        "table": 0,
        "cause": None,
        "columns": one.columns,
        "left": _texts(one.left),
        "right": _texts(one.right),
        "note": one.note,
        "story": None,
    }


def _texts(row: JsonObject | None) -> dict[str, str | None] | None:
    return None if row is None else dict(zip(row, texts(row.values()), strict=True))
