"""A merger in Python that states the rule of a class, and a test of it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from mergers.rules.source.literals import WIDTH, literal, names_in, quoted
from mergers.rules.words import TERMS, labelled, lines_of
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.rules.source.examples import Example
    from mergers.rules.source.merger import MergerRules, PointRule
    from payloads.avro import AvroSchema

STORED: Final = "Merges a version with the stored row, or with the entry before it in a log."
BATCH: Final = "Merges two versions of one batch, before either meets a stored row."


def python_merger(  # noqa: PLR0913, PLR0917 (what a file says)
    name: str, payload: str, release: str, strategy: str, rules: MergerRules, runs_in: str
) -> str:
    """Return the source of a merger.

    Args:
        name: its name.
        payload: the class whose rule it states.
        release: the release in which the class was asked.
        strategy: its strategy id.
        rules: what it does.
        runs_in: the release in which the class is called, where a column is left to it.
    """
    points = [(name, rules.stored, Point.STORED, STORED)]
    if rules.batch is not None:
        points.append((f"{name}OfBatch", rules.batch, Point.BATCH, BATCH))
    delegates = any(rule.left for _, rule, _, _ in points)
    asked = sum(rule.asked for _, rule, _, _ in points)
    about = f"merges like {payload} in Hudi {release}, as checked on {asked:,} pairs of versions."
    marker = rules.marker
    told = (
        [
            "",
            f"Hudi looks for deletes itself: hoodie.payload.delete.field={marker.column} and",
            f"hoodie.payload.delete.marker={marker.text}.",
        ]
        if marker
        else []
    )
    lines = [
        *_docstring(f"{name} {about}", told, ""),
        "",
        "from __future__ import annotations",
        "",
        *(["from mergers import AvroRecordMerger, HoodieAvroIndexedRecord, adapt_merger"] if delegates else []),
        *_imported("payloads.rules", set().union(*(names_in(rule.rule) for _, rule, _, _ in points))),
        *([""] if delegates else []),
        *([f"PAYLOAD = {quoted(payload)}", f"RELEASE = {quoted(runs_in)}"] if delegates else []),
    ]
    for at, (own, rule, point, does) in enumerate(points):
        first = at == 0
        batch = points[1][0] if first and len(points) > 1 else None
        lines += ["", "", *_class(own, rule, point, does, strategy if first else None, batch, name)]
    return "\n".join(lines) + "\n"


def python_test(  # noqa: PLR0913, PLR0917 (what a file says)
    module: str,
    name: str,
    rules: MergerRules,
    examples: Sequence[tuple[Point, Example]],
    schema: AvroSchema,
    ordering: Sequence[str],
) -> str:
    """Return the source of a pytest file: what the merger makes of the pairs of `examples`."""
    of_batch = rules.batch is not None
    classes = [name, *([f"{name}OfBatch"] if of_batch else [])]
    lines = [
        *_docstring(f"{name} on the smallest pair of versions for each of its branches.", [], ""),
        "",
        "from __future__ import annotations",
        "",
        "import pytest",
        "from mergers import HoodieAvroIndexedRecord, HoodieEmptyRecord, HoodieKey, adapt_merger",
        "from payloads import parse_schema",
        "",
        *_imported(module, set(classes)),
        "",
        'KEY = HoodieKey("key")',
        literal(list(ordering), "ORDERING = "),
        "SCHEMA = parse_schema(",
        literal(schema.source, "    ", ","),
        ")",
        "PAIRS = [",
    ]
    for point, one in examples:
        lines += ["    pytest.param(", f"        {classes[-1] if point is Point.BATCH else name},"]
        lines += [literal(row, "        ", ",") for row in (one.older.record, one.newer.record, one.merged)]
        lines += [f"        id={quoted(one.shows)},", "    ),"]
    lines += [
        "]",
        "",
        "",
        "def version(row):",
        '    """Return a version of a row; None is a delete."""',
        "    if row is None:",
        "        return HoodieEmptyRecord(KEY)",
        "    record = HoodieAvroIndexedRecord(KEY, row, SCHEMA)",
        "    ordering = record.get_ordering_value(SCHEMA, {}, ORDERING)",
        "    return HoodieAvroIndexedRecord(KEY, row, SCHEMA, None, ordering)",
        "",
        "",
        '@pytest.mark.parametrize(("merger", "older", "newer", "expected"), PAIRS)',
        "def test_merge(merger, older, newer, expected):",
        "    merged = adapt_merger(merger).merge(version(older), version(newer), SCHEMA, {})",
        "    assert (None if merged is None else merged.record) == expected",
    ]
    return "\n".join(lines) + "\n"


def _class(  # noqa: PLR0913, PLR0917 (what a class says)
    name: str, rule: PointRule, point: Point, does: str, strategy: str | None, batch: str | None, base: str
) -> list[str]:
    """Return the lines of a merger; one that leaves columns to the class calls it, and a merger by its rule."""
    own = [f"    {key} = {base}.{key}" for key in ("merging_strategy", "record_type")]
    if strategy is not None:
        own = [f"    merging_strategy = {quoted(strategy)}", '    record_type = "AVRO"']
    stated = [*own, literal(rule.rule, "    rule = ")]
    if not rule.left:
        table = ["", *word_table(rule, point)]
        return [f"class {name}:", *_docstring(does, table, "    "), "", *stated, *_offers(batch)]
    columns = ", ".join(f"`{column}`" for column in rule.left)
    about = f"The rule of {name} for all columns but {columns}."
    mode = "combine" if point is Point.STORED else "pre_combine"
    taken = ", ".join(f"{quoted(column)}: by_class.record[{quoted(column)}]" for column in rule.left)
    return [
        f"class {name}Rule:",
        *_docstring(about, ["", *word_table(rule, point)], "    "),
        "",
        *stated,
        "",
        "",
        f"class {name}:",
        *_docstring(f"{does} The class decides {columns}.", [], "    "),
        "",
        f"    merging_strategy = {name}Rule.merging_strategy",
        f"    record_type = {name}Rule.record_type",
        "",
        "    def __init__(self):",
        f"        self._rule = adapt_merger({name}Rule)",
        f'        self._class = AvroRecordMerger(PAYLOAD, RELEASE, "{mode}")',
        "",
        "    def merge(self, older, newer, schema, props):",
        '        """Return a version; None deletes."""',
        "        merged = self._rule.merge(older, newer, schema, props)",
        "        if merged is None or merged.record is None or merged.marked_delete:",
        "            return merged",
        "        by_class = self._class.merge(older, newer, schema, props)",
        f"        row = {{**merged.record, {taken}}}",
        "        return HoodieAvroIndexedRecord(newer.key, row, schema)",
        *_offers(batch),
    ]


def _offers(batch: str | None) -> list[str]:
    if batch is None:
        return []
    return [
        "",
        "    def as_pre_combining_mode(self):",
        '        """Return the merger for two versions of one batch."""',
        f"        return {batch}()",
    ]


def word_table(rule: PointRule, point: Point) -> list[str]:
    """Lay out a rule in words, in two columns."""
    words = [(label, line.text) for label, line in labelled(lines_of(rule.rule, TERMS[point]))]
    words += [(f"`{column}`", "the class decides") for column in rule.left]
    labels = [label for label, _ in words]
    wide = min(max(map(len, labels)), 24) + 2
    lines: list[str] = []
    for label, text in words:
        parts = textwrap.wrap(text, WIDTH - 4 - wide)
        if len(label) + 2 > wide:
            lines += [label, *(" " * wide + part for part in parts)]
        else:
            lines += [f"{label:<{wide}}{parts[0]}", *(" " * wide + part for part in parts[1:])]
    return lines


def _docstring(first: str, rest: Iterable[str], indent: str) -> list[str]:
    told = textwrap.wrap(first, WIDTH - len(indent) - 6)
    lines = [line.replace("\\", "\\\\").replace('"""', r"\"\"\"") for line in (*told, *rest)]
    if len(lines) == 1:
        return [f'{indent}"""{lines[0]}"""']
    return [f'{indent}"""{lines[0]}', *(f"{indent}{line}".rstrip() for line in lines[1:]), f'{indent}"""']


def _imported(module: str, names: set[str]) -> list[str]:
    ordered = sorted(names, key=lambda name: (not name.isupper(), name))
    flat = f"from {module} import {', '.join(ordered)}"
    if len(flat) <= WIDTH:
        return [flat]
    return [f"from {module} import (", *(f"    {name}," for name in ordered), ")"]
