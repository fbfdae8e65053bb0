"""The page of every path: the keys that depend on it with all their answers, each with its timeline."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

from bridge.explain.traced_keys import name_of
from bridge.explain.traced_paths import trace_paths
from bridge.pipeline import path_words
from bridge.programs import PathKind
from bridge.report import PAGE_KEYS, Keys, texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.pipeline import Disagreements, KeyAnswer, PathsReport
    from bridge.report import CauseLine, JsonObject, View


def paths_view(found: PathsReport, limit: int = PAGE_KEYS) -> View:
    """Return the page of every path.

    Args:
        found: the answers, still open: some jobs run.
        limit: how many keys are listed at most.
    """
    view, total = found.to_view(), found.counts.depending
    if not total:
        return view
    answers = found.collect(min(limit, PAGE_KEYS), spread=True)
    by_key = [list(same) for _, same in itertools.groupby(answers, key=lambda answer: answer.key)]
    stories, untraced = trace_paths(found, by_key)
    rows = [_row(one, view.causes, found.disagreements, stories.get(name_of(one[0].key.values()))) for one in by_key]
    shown = len(by_key)
    note = "" if shown == total else f"{shown:,} of {total:,} keys, a sample of all; --output json lists more"
    keys = Keys(
        rows,
        found.plan.identity,
        found.plan.partition,
        [kind.title for kind in PathKind],
        [""],
        view.causes,
        total,
        note,
        title="Keys that depend on the path",
    )
    causes = [line._replace(example=_example(rows, at)) for at, line in enumerate(view.causes)]
    return dataclasses.replace(view, keys=keys, causes=causes, notes=[untraced] if untraced else [])


def _row(
    answers: Sequence[KeyAnswer],
    causes: Sequence[CauseLine],
    paths: Disagreements,
    story: JsonObject | None,
) -> JsonObject:
    first = answers[0]
    ends = first.standard or []
    rows = [one.row for one in answers if one.row is not None]
    columns = [name for name in (rows[0] if rows else ()) if len({repr(row[name]) for row in rows}) > 1]
    return {
        "key": texts(first.key.values()),
        "kind": [kind.id for kind in PathKind].index(first.kind or ""),
        "table": 0,
        "cause": [line.id for line in causes].index(first.change or ""),
        "columns": columns,
        "paths": paths.pairs_of(ends),
        "answers": [
            {
                "groups": paths.groups_of(one.number, ends),
                "path": path_words(one.path, one.batches),
                "row": None if one.row is None else dict(zip(one.row, texts(one.row.values()), strict=True)),
                "error": one.error,
            }
            for one in answers
        ],
        "story": story,
    }


def _example(rows: Sequence[JsonObject], cause: int) -> list[tuple[str, str]]:
    """Return the first two answers of a key, as path and end: the second is that after the least change."""
    row = next((one for one in rows if one["cause"] == cause), None)
    return [] if row is None else [(one["path"], _end(one, row["columns"])) for one in row["answers"][:2]]


def _end(answer: JsonObject, columns: Sequence[str]) -> str:
    if answer["error"] is not None:
        return "an error"
    if answer["row"] is None:
        return "no row"
    values = (f"{name} {'null' if answer['row'][name] is None else answer['row'][name]}" for name in columns)
    return ", ".join(values) or "a row"
