"""The report of `replay`: one verdict a table type and one for all, the keys that differ, the smallest examples."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.cli.options import SAMPLE
from bridge.compare import Grade, overall
from bridge.engines import COMMIT
from bridge.report import Check, Report, Table, plan_as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.compare import Counts, Difference, Example, Replay, Sides
    from bridge.plan import TableType

_KINDS = ("only left", "only right", "changed")
_EXPLAINED = {
    Grade.IDENTICAL: "both sides follow the same rules",
    Grade.IDENTICAL_HERE: "no key differs after any batch; other data may show differences",
    Grade.ON_TIES: "without the versions of one key that have the same ordering value no key differs",
    Grade.ON_DELETES: "without the deletes no key differs",
    Grade.DIFFERS: "the keys still differ without ties, and without deletes",
}


class Part(NamedTuple):
    """The results of a replay on one table type, as plain values: the frames may be gone.

    Attributes:
        sides: what ran.
        grade: how far the sides agree.
        verdict: the same in a sentence.
        counts: how many keys differ after each commit.
        differences: the keys that differ after the last one, perhaps not all.
        examples: the smallest example of each kind.
        by_identity: how many of the keys differ only because Hudi compares objects.
    """

    sides: Sides
    grade: Grade
    verdict: str
    counts: tuple[Counts, ...]
    differences: list[Difference]
    examples: list[Example]
    by_identity: int

    @classmethod
    def of(cls, answer: Replay, limit: int | None) -> Part:
        """Collect the results of a replay; `limit` limits the keys."""
        grade = answer.grade()
        verdict = _verdict(answer, grade)
        found = answer.differences(limit), answer.examples()
        return cls(answer.sides, grade, verdict, answer.counts, *found, answer.by_identity)

    @property
    def last(self) -> int:
        """How many keys differ after the last commit."""
        return self.counts[-1].total if self.counts else 0

    @property
    def table_type(self) -> TableType:
        """The type of both tables."""
        return self.sides.left.table_type


def _verdict(answer: Replay, grade: Grade) -> str:
    if answer.refused is not None:
        return f"{grade.value}: {answer.refused}"
    last = answer.counts[-1]
    lines = f"{grade.value}: {_EXPLAINED[grade]}."
    if answer.is_equal:
        return lines
    lines += f" After the last of {last.commit} batches {_keys_differ(last.total)}."
    if answer.by_identity:
        lines += f" Of these, {answer.by_identity} only because IGNORE_DEFAULTS of Hudi compares objects, not values."
    return lines


def _keys_differ(number: int) -> str:
    return "1 key differs" if number == 1 else f"{number or 'no'} keys differ"


def report_of(parts: Sequence[Part], to: str, batches: Sequence[str], rows_in: int, sample: int | None) -> Report:
    """Put the results for one or both table types into a report.

    Args:
        parts: one a table type.
        to: the name of the right side.
        batches: the names of the batches.
        rows_in: how many rows they have.
        sample: how many keys to show.
    """
    grade, sides = overall(part.grade for part in parts), parts[0].sides
    report = Report("replay", _joint_verdict(parts, grade), success=grade.is_equal)
    report.plan = plan_as_json(sides.left) | {
        "table_type": sides.left.table_type.value if len(parts) == 1 else "both",
        "from": str(sides.left.release),
        "to": to,
        "upgrade_after": sides.upgrade_after,
        "keep_table_version": sides.keep_table_version,
        "compact_after": list(sides.compact_after),
    }
    report.statistics = {
        "rows_in": rows_in,
        "grade": grade.value,
        "table_types": {part.table_type.value: _figures(part) for part in parts},
        "commits": [
            {"table_type": part.table_type.value, **counts._asdict(), "equal": not counts.total}
            for part in parts
            for counts in part.counts
        ],
        "examples": [
            {"table_type": part.table_type.value} | example._asdict() | {"difference": example.difference._asdict()}
            for part in parts
            for example in part.examples
        ],
    }
    for part in parts:
        report.results += [
            {"table_type": part.table_type.value, **difference._asdict()} for difference in part.differences
        ]
        report.checks += _checks(part, batches)
        report.body += _body(part, batches, sample, alone=len(parts) == 1)
        if sample is not None and part.last > sample:
            report.warnings.append(f"only the first {sample} of {part.last} keys that differ are listed (--sample)")
    if sides.left.fidelity == "intended":
        report.warnings.append("--fidelity intended compares defaults by value, which no release of Hudi does")
    return report


def _joint_verdict(parts: Sequence[Part], grade: Grade) -> str:
    if len(parts) == 1:
        return parts[0].verdict
    each = (f"{part.table_type.long_name} {_short(part)}" for part in parts)
    return f"{grade.value}: {', '.join(each)}."


def _short(part: Part) -> str:
    if part.grade is Grade.REFUSED or part.grade.is_equal:
        return part.grade.value
    return f"{part.grade.value} ({_keys_differ(part.last)} after the last of {part.sides.commits} batches)"


def _figures(part: Part) -> dict[str, Any]:
    return {
        "grade": part.grade.value,
        "verdict": part.verdict,
        "differing": part.last,
        "by_object_identity": part.by_identity,
    }


def _checks(part: Part, batches: Sequence[str]) -> list[Check]:
    name = part.table_type.long_name
    if not part.counts:
        return [Check(name, part.verdict)]
    checks = []
    for batch, counts in zip(batches, part.counts, strict=True):
        failure = f"{_keys_differ(counts.total)}: {_by_kind(counts)}" if counts.total else None
        is_last = counts.commit == part.sides.commits
        lines = [f"{_name(one)}: {one.kind} {', '.join(one.columns)}".rstrip() for one in part.differences]
        checks.append(Check(f"{name} after {batch}", failure, "\n".join(lines) if is_last else ""))
    return checks


def _by_kind(counts: Counts) -> str:
    numbers = zip(_KINDS, counts[1:], strict=True)
    return ", ".join(f"{number} {kind}" for kind, number in numbers if number)


# -- as text


def _body(part: Part, batches: Sequence[str], sample: int | None, *, alone: bool) -> list[str | Table]:
    body: list[str | Table] = [] if alone else [f"{part.table_type.long_name.capitalize()}: {part.verdict}"]
    if part.counts and not part.grade.is_equal:
        body.append(_commits(part.counts, batches))
    for example in part.examples:
        body.append(example_table(example))
        if example.difference.note is not None:
            body.append(f"{_name(example.difference)} {example.difference.note}.")
    if part.last:
        body.append(keys_table(part.differences[: SAMPLE if sample is None else sample], part.last))
    if part.examples:
        row = part.examples[0].row
        rows = " ".join(f"--row {shlex.quote(f'{name}={text}')}" for name, text in row.items())
        both = "" if alone else f" --table-type {part.table_type.value}"
        body.append(f"Why: payload-bridge explain, with the same options{both} and {rows}, shows each merge call.")
    return body


def _commits(counts: Sequence[Counts], batches: Sequence[str]) -> Table:
    lines = [
        {"batch": batch, "commit": one.commit, **dict(zip(_KINDS, one[1:], strict=True))}
        for batch, one in zip(batches, counts, strict=True)
    ]
    return Table.of_rows(("batch", "commit", *_KINDS), lines, "Keys that differ after each commit")


def example_table(example: Example) -> Table:
    """Show the versions of a key in order of arrival, then its row on both sides."""
    difference = example.difference
    absent = dict.fromkeys(difference.left or difference.right or {}, "")
    names = tuple(absent)
    rows = [("left", difference.left), ("right", difference.right)]
    labels = [f"batch {version[COMMIT]}" for version in example.versions]
    labels += [side if row else f"{side}: none" for side, row in rows]
    ends = [row or absent for _, row in rows]
    title = f"The smallest example, {difference.kind}: {_name(difference)} after commit {example.commit}"
    return Table.of_rows(names, [*example.versions, *ends], title, [("row", labels)])


def keys_table(shown: Sequence[Difference], total: int) -> Table:
    """List the keys that differ after the last batch, or some of the `total`."""
    lines = [
        {"kind": one.kind, "columns": ", ".join(one.columns), "only by object": "yes" if one.note else ""}
        for one in shown
    ]
    count = "" if len(shown) == total else f", {len(shown)} of {total}"
    keys = [(name, [one.key[name] for one in shown]) for name in (shown[0].key if shown else ())]
    by_object = ("only by object",) if any(one.note for one in shown) else ()
    title = f"Keys that differ after the last batch{count}"
    return Table.of_rows(("kind", "columns", *by_object), lines, title, keys)


def _name(difference: Difference) -> str:
    return ", ".join(f"{name}={value}" for name, value in difference.key.items())
