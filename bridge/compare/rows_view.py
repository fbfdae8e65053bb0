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
        names: the labels of both in reports.
        headline: the result in one sentence.
        title: what the list has.
    """
    kinds = tuple(kinds_of(names).values())
    total = sum(counts)
    note = "" if len(shown) == total else f"{len(shown):,} of {total:,} are listed"
    keys = Keys(
        [row_of_page(one) for one in shown],
        tuple(shown[0].key) if shown else (),
        kinds=kinds,
        total=total,
        note=note,
        title=title,
        sides=names,
    )
    return View(headline, figures_of(counts, names), keys=keys)


def row_of_page(
    one: Difference, *, table: int = 0, cause: int | None = None, story: JsonObject | None = None
) -> JsonObject:
    """Return a row of the list of a page, as in `Keys.rows`."""
    return {
        "key": texts(one.key.values()),
        "kind": KINDS.index(one.kind),
        "table": table,
        "cause": cause,
        "columns": one.columns,
        "left": _texts(one.left),
        "right": _texts(one.right),
        "note": one.note,
        "story": story,
    }


def figures_of(counts: Sequence[int], names: tuple[str, str]) -> list[Figure]:
    """Return how many rows differ in which way; `counts` is in the order of `KINDS`."""
    return [Figure(f"{number:,}", kind) for number, kind in zip(counts, kinds_of(names).values(), strict=True)]


def _texts(row: JsonObject | None) -> dict[str, str | None] | None:
    return None if row is None else dict(zip(row, texts(row.values()), strict=True))
