"""The report of `replay`: one verdict a table type and one for all, the keys that differ, the smallest examples."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bridge.compare.grade import Grade, overall
from bridge.engines import COMMIT
from bridge.pipeline import KINDS
from bridge.report import SAMPLE, Check, Report, Table, plan_as_json, sides_as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bridge.compare.differing import Counts, Difference, Example
    from bridge.compare.replay import ReplayReport
    from bridge.plan import TableType

    Names = tuple[str, str]

_EXPLAINED = {
    Grade.IDENTICAL: "both sides follow the same rules",
    Grade.IDENTICAL_HERE: "no key differs after any batch; other data may show differences",
    Grade.ON_TIES: "without the versions of one key that have the same ordering value no key differs",
    Grade.ON_DELETES: "without the deletes no key differs",
    Grade.DIFFERS: "the keys still differ without ties, and without deletes",
}


def kinds_of(names: Names) -> dict[str, str]:
    """Return how a key differs, in words, by the kinds of JSON."""
    return dict(zip(KINDS, (f"only in {names[0]}", f"only in {names[1]}", "changed"), strict=True))


def verdict_of(found: ReplayReport) -> str:
    """Return the grade of a replay with what it means, in a sentence or two."""
    grade = found.grade
    if found.refused is not None:
        return f"{grade.value}: {found.refused}"
    last = found.counts[-1]
    lines = f"{grade.value}: {_EXPLAINED[grade]}."
    if found.is_equal:
        return lines
    lines += f" After the last of {last.commit} batches {_keys_differ(last.total)}."
    if found.by_identity:
        lines += f" Of these, {found.by_identity} only because IGNORE_DEFAULTS of Hudi compares objects, not values."
    return lines


def _keys_differ(number: int) -> str:
    return "1 key differs" if number == 1 else f"{number or 'no'} keys differ"


def report_replays(parts: Sequence[ReplayReport], sample: int | None, *, whole: bool) -> Report:
    """Report replays of the same batches and settings, one a table type.

    Args:
        parts: the replays.
        sample: how many keys to show; None: all, or a readable number if not `whole`.
        whole: whether the results have all keys.
    """
    first = parts[0].comparison
    grade = overall(part.grade for part in parts)
    limit = SAMPLE if sample is None and not whole else sample
    keys = {_type(part): part.collect(limit) for part in parts}
    report = Report("replay", _joint_verdict(parts, grade), success=grade.is_equal, sides=first.names)
    report.plan = plan_as_json(first.left) | {
        "table_type": first.left.table_type.value if len(parts) == 1 else "both",
        "from": str(first.left.release),
        "to": first.to or first.names[1],
        "upgrade_after": first.upgrade_after,
        "via": [f"{one.after}={one.plan.release}" for one in first.via],
        "keep_table_version": first.keep_table_version,
        "compact_after": list(first.compact_after),
    }
    report.statistics = {
        "rows_in": parts[0].batches.rows,
        "grade": grade.value,
        "table_types": {_type(part).value: _figures(part) for part in parts},
        "commits": [
            {"table_type": _type(part).value, **counts._asdict(), "equal": not counts.total}
            for part in parts
            for counts in part.counts
        ],
        "examples": [
            {"table_type": _type(part).value} | example._asdict() | {"difference": example.difference._asdict()}
            for part in parts
            for example in part.examples
        ],
    }
    first_part, alike = parts[0], _are_alike(parts, keys)
    if alike:
        both = " and ".join(_type(part).long_name for part in parts)
        report.body.append(f"{both.capitalize()} give the same answers.")
    for part in parts:
        shown = keys[_type(part)]
        report.results += [{"table_type": _type(part).value, **difference._asdict()} for difference in shown]
        report.checks += _checks(part, shown)
        if part is first_part or not alike:
            report.body += _body(part, shown[: SAMPLE if sample is None else sample], alone=len(parts) == 1 or alike)
        if sample is not None and _last(part) > sample:
            report.warnings.append(f"only the first {sample} of {_last(part)} keys that differ are listed (--sample)")
    if first.left.fidelity == "intended":
        report.warnings.append("--fidelity intended compares defaults by value, which no release of Hudi does")
    return report


def _are_alike(parts: Sequence[ReplayReport], keys: dict[TableType, list[Difference]]) -> bool:
    """Whether several table types have the same differences, so that their tables are shown once."""
    one, *others = parts
    return bool(others) and all(
        (part.verdict, part.counts, keys[_type(part)], part.examples)
        == (one.verdict, one.counts, keys[_type(one)], one.examples)
        for part in others
    )


def _type(part: ReplayReport) -> TableType:
    return part.comparison.left.table_type


def _last(part: ReplayReport) -> int:
    """Return how many keys differ after the last commit."""
    return part.counts[-1].total if part.counts else 0


def _joint_verdict(parts: Sequence[ReplayReport], grade: Grade) -> str:
    if len(parts) == 1:
        return parts[0].verdict
    each = (f"{_type(part).long_name} {_short(part)}" for part in parts)
    return f"{grade.value}: {', '.join(each)}."


def _short(part: ReplayReport) -> str:
    if part.grade is Grade.REFUSED or part.grade.is_equal:
        return part.grade.value
    commits = part.comparison.commits
    return f"{part.grade.value} ({_keys_differ(_last(part))} after the last of {commits} batches)"


def _figures(part: ReplayReport) -> dict[str, Any]:
    return {
        "grade": part.grade.value,
        "verdict": part.verdict,
        "sides": sides_as_json(part.comparison.names),
        "differing": _last(part),
        "by_object_identity": part.by_identity,
    }


def _checks(part: ReplayReport, keys: Sequence[Difference]) -> list[Check]:
    name = _type(part).long_name
    if not part.counts:
        return [Check(name, part.verdict)]
    checks = []
    kinds = kinds_of(part.comparison.names)
    for batch, counts in zip(part.batches.names, part.counts, strict=True):
        failure = f"{_keys_differ(counts.total)}: {_by_kind(counts, kinds)}" if counts.total else None
        is_last = counts.commit == part.comparison.commits
        lines = [f"{_name(one)}: {kinds[one.kind]} {', '.join(one.columns)}".rstrip() for one in keys]
        checks.append(Check(f"{name} after {batch}", failure, "\n".join(lines) if is_last else ""))
    return checks


def _by_kind(counts: Counts, kinds: dict[str, str]) -> str:
    numbers = zip(kinds.values(), counts[1:], strict=True)
    return ", ".join(f"{number} {kind}" for kind, number in numbers if number)


# -- as text


def _body(part: ReplayReport, keys: Sequence[Difference], *, alone: bool) -> list[str | Table]:
    table_type, names = _type(part), part.comparison.names
    body: list[str | Table] = [] if alone else [f"{table_type.long_name.capitalize()}: {part.verdict}"]
    if part.counts and not part.grade.is_equal:
        body.append(_commits(part))
    for example in part.examples:
        body.append(example_table(example, names))
        if example.difference.note is not None:
            body.append(f"{_name(example.difference)} {example.difference.note}.")
    if _last(part):
        body.append(keys_table(keys, _last(part), names))
    if part.examples:
        row = part.examples[0].row
        rows = " ".join(f"--row {shlex.quote(f'{name}={text}')}" for name, text in row.items())
        both = "" if alone else f" --table-type {table_type.value}"
        body.append(f"Why: payload-bridge explain, with the same options{both} and {rows}, shows each merge call.")
    return body


def _commits(part: ReplayReport) -> Table:
    kinds = (*part.comparison.names, "changed")
    lines = [
        {"batch": batch, "commit": one.commit, **dict(zip(kinds, one[1:], strict=True))}
        for batch, one in zip(part.batches.names, part.counts, strict=True)
    ]
    return Table.of_rows(
        ("batch", "commit", *kinds), lines, "Keys after each commit that are on one side only, or changed"
    )


def example_table(example: Example, names: Names) -> Table:
    """Show the versions of a key in order of arrival, then its row on both sides."""
    difference = example.difference
    absent = dict.fromkeys(difference.left or difference.right or {}, "")
    rows = list(zip(names, (difference.left, difference.right), strict=True))
    labels = [f"batch {version[COMMIT]}" if version[COMMIT] else "in the table" for version in example.versions]
    labels += [side if row else f"{side}: none" for side, row in rows]
    ends = [row or absent for _, row in rows]
    kind = kinds_of(names)[difference.kind]
    title = f"The smallest example, {kind}: {_name(difference)} after commit {example.commit}"
    table = Table.of_rows(tuple(absent), [*example.versions, *ends], title, [("row", labels)])
    changed = [at for at, name in enumerate(absent, start=1) if name in difference.columns]
    last = len(table.rows) - 1
    return replace(table, marks=frozenset((row, at) for row in (last - 1, last) for at in changed))


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


def _name(difference: Difference) -> str:
    return ", ".join(f"{name}={value}" for name, value in difference.key.items())
