"""Tables of keys that differ: the list of them, one key with its versions and both rows, and what a replay shows."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from bridge.compare.over_represented import values_table
from bridge.compare.replay_verdict import keys_differ
from bridge.engines import COMMIT
from bridge.pipeline import KINDS
from bridge.report import SAMPLE, Check, Severity, Table, json_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

    from bridge.compare.comparison import Comparison
    from bridge.compare.difference import Counts, Difference, Example
    from bridge.compare.grade import Grade
    from bridge.compare.over_represented import OverRepresented
    from bridge.pipeline import Batches
    from bridge.plan import TableType

    Names = tuple[str, str]


def kinds_of(names: Names) -> dict[str, str]:
    """Return how a key differs, in words, by the kinds of JSON."""
    return dict(zip(KINDS, (f"only in {names[0]}", f"only in {names[1]}", "changed"), strict=True))


def by_kind(counts: Counts, kinds: dict[str, str]) -> str:
    """Say how many keys differ in each way in which some do."""
    return ", ".join(f"{number} {kind}" for kind, number in zip(kinds.values(), counts[1:], strict=True) if number)


def example_table(example: Example, names: Names) -> Table:
    """Show the versions of a key in order of arrival, then its row on both sides."""
    difference = example.difference
    absent = dict.fromkeys(difference.left or difference.right or {}, "")
    rows = list(zip(names, (difference.left, difference.right), strict=True))
    labels = [f"batch {version[COMMIT]}" if version[COMMIT] else "in the table" for version in example.versions]
    labels += [side if row else f"{side}: none" for side, row in rows]
    ends = [row or absent for _, row in rows]
    kind = kinds_of(names)[difference.kind]
    title = f"The smallest example, {kind}: {name_of(difference)} after commit {example.commit}"
    table = Table.of_rows(tuple(absent), [*example.versions, *ends], title, [("row", labels)])
    changed = [at for at, name in enumerate(absent, start=1) if name in difference.columns]
    last = len(table.rows) - 1
    return replace(table, marks=frozenset((row, at) for row in (last - 1, last) for at in changed))


def commits_table(counts: Sequence[Counts], batches: Sequence[str], names: Names) -> Table:
    """Count the keys that differ after each commit, by kind."""
    kinds = (*names, "changed")
    lines = [
        {"batch": batches[one.commit - 1], "commit": one.commit, **dict(zip(kinds, one[1:], strict=True))}
        for one in counts
    ]
    title = "Keys after each commit that are on one side only, or changed"
    return Table.of_rows(("batch", "commit", *kinds), lines, title)


def keys_table(
    shown: Sequence[Difference], total: int, names: Names, what: str = "Keys that differ after the last batch"
) -> Table:
    """List the keys that differ, or some of the `total`."""
    kinds = kinds_of(names)
    lines = [
        {"kind": kinds[one.kind], "columns": ", ".join(one.columns), "only by object": "yes" if one.note else ""}
        for one in shown
    ]
    count = "" if len(shown) == total else f", {len(shown)} of {total}"
    keys = [(name, [one.key[name] for one in shown]) for name in (shown[0].key if shown else ())]
    by_object = ("only by object",) if any(one.note for one in shown) else ()
    title = f"{what}{count}"
    return Table.of_rows(("kind", "columns", *by_object), lines, title, keys)


def name_of(difference: Difference) -> str:
    """Return the columns that identify a row, with their values."""
    return ", ".join(f"{name}={value}" for name, value in difference.key.items())


def quarantine_table(rows: DataFrame, numbers: Mapping[str, int], table_type: TableType) -> Table:
    """List some of the rows whose keys a side can't merge; `numbers` has how many each side has."""
    counted = " and ".join(f"{number} on the {side}" for side, number in sorted(numbers.items()))
    title = f"Rows in quarantine, {table_type.long_name}: {counted}"
    return Table.of_rows(tuple(rows.columns), json_rows(rows.limit(SAMPLE)), title)


class Replayed(Protocol):
    """What `replay_body` shows of a `ReplayReport`, which imports this module."""

    @property
    def comparison(self) -> Comparison:
        """The two tables."""

    @property
    def batches(self) -> Batches:
        """What both have written."""

    @property
    def verdict(self) -> str:
        """The result in a sentence."""

    @property
    def grade(self) -> Grade:
        """How far both agree."""

    @property
    def counts(self) -> Sequence[Counts]:
        """The keys that differ after each commit."""

    @property
    def examples(self) -> Sequence[Example]:
        """The smallest example of each kind."""

    @property
    def over_represented(self) -> Sequence[OverRepresented]:
        """The values that are more frequent among the keys that differ than among all rows."""


def replay_body(part: Replayed, keys: Sequence[Difference], *, alone: bool, of_table: bool) -> list[str | Table]:
    """Show the keys of one table type, or of a real table, that differ: after each commit, by example, as a list."""
    table_type, names = part.comparison.left.table_type, part.comparison.names
    body: list[str | Table] = [] if alone else [f"{table_type.long_name.capitalize()}: {part.verdict}"]
    if part.counts and not part.grade.is_equal:
        body.append(commits_table(part.counts, part.batches.names, names))
    for example in part.examples:
        body.append(example_table(example, names))
        if example.difference.note is not None:
            body.append(f"{name_of(example.difference)} {example.difference.note}.")
    if part.counts and part.counts[-1].total:
        body.append(keys_table(keys, part.counts[-1].total, names))
    body += values_table(part.over_represented, "keys")
    if part.examples and of_table:  # explain traces the calls of batches; of a table, those of readers
        body.append("Why: the page that --report FILE.html writes has the merge calls of the keys that differ.")
    elif part.examples:
        row = part.examples[0].row
        rows = " ".join(f"--row {shlex.quote(f'{name}={text}')}" for name, text in row.items())
        both = "" if alone else f" --table-type {table_type.value}"
        body.append(f"Why: payload-bridge explain, with the same options{both} and {rows}, shows each merge call.")
    return body


def replay_checks(part: Replayed, keys: Sequence[Difference]) -> list[Check]:
    """Return what a test framework is told: a check a commit, of the last one with the keys that differ."""
    name = part.comparison.left.table_type.long_name
    checks = []
    if part.grade.severity is Severity.REFUSED or not part.counts:
        checks.append(Check(name, part.grade.severity, part.verdict))
    kinds = kinds_of(part.comparison.names)
    for counts in part.counts:
        batch = part.batches.names[counts.commit - 1]
        severity = Severity.CHANGED if counts.total else Severity.UNCHANGED
        told = f"{keys_differ(counts.total)}: {by_kind(counts, kinds)}" if counts.total else ""
        is_last = counts.commit == part.comparison.commits
        lines = [f"{name_of(one)}: {kinds[one.kind]} {', '.join(one.columns)}".rstrip() for one in keys]
        checks.append(Check(f"{name} after {batch}", severity, told, "\n".join(lines) if is_last else ""))
    return checks


def example_of(row: Difference, names: tuple[str, str]) -> Table:
    """Show a row that differs as two readers show it; `names` are theirs."""
    absent = dict.fromkeys(row.left or row.right or {}, "")
    labels = [name if side else f"{name}: none" for name, side in zip(names, (row.left, row.right), strict=True)]
    key = ", ".join(f"{name}={value}" for name, value in row.key.items())
    title = f"Example, {kinds_of(names)[row.kind]}: {key}"
    table = Table.of_rows(tuple(absent), [row.left or absent, row.right or absent], title, [("reader", labels)])
    changed = [at for at, name in enumerate(table.columns) if name in row.columns]
    return replace(table, marks=frozenset((line, at) for line in (0, 1) for at in changed))
