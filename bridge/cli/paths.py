"""The report of `simulate --all-paths`: the keys whose row depends on the path, and the smallest sequence."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from bridge.cli.options import SAMPLE
from bridge.cli.verb import wants_json
from bridge.explain import commits_words, compaction_words, path_words, step_words
from bridge.pipeline import all_paths, counted, key_answers, smallest
from bridge.programs import FEW, SMALL_FILE_LIMIT, STATES, small_file_candidates
from bridge.report import Report, Table, cell, plan_as_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bridge.pipeline import Batch, Counts, KeyAnswer, SmallestFound
    from bridge.plan import MergePlan, TableType
    from bridge.report import Label


def path_report(read: Sequence[Batch], plan: MergePlan, types: Sequence[TableType], sample: int | None) -> Report:
    """Run batches through every path of tables of `types`; `sample` keys are listed, all in JSON without it."""
    batches = [batch.frame for batch in read]
    limit = SAMPLE if sample is None and not wants_json() else sample
    found = all_paths(batches, plan, table_types=types).persist()
    try:
        counts = counted(batches, found, plan)
        answers = key_answers(found, plan, limit) if counts.depending else []
        example = smallest(batches, found, plan, table_types=types) if counts.depending else None
    finally:
        found.unpersist()
    by_key = [list(same) for _, same in itertools.groupby(answers, key=lambda answer: answer.key)]

    report = Report("simulate", _verdict(counts, example, types), success=not counts.depending)
    report.plan = plan_as_json(plan) | {"table_type": "both" if len(types) > 1 else types[0].value, "all_paths": True}
    report.statistics = {
        "rows_in": counts.rows,
        "keys": counts.keys,
        "depending_keys": counts.depending,
        "keys_of_many_versions": counts.many,
        "incomplete_keys": counts.incomplete,
        "smallest": None if example is None else _example_as_json(example),
    }
    report.results = [_key_as_json(of_key) for of_key in by_key]
    report.warnings += _warnings(counts, plan)
    if sample is not None and counts.depending > sample:
        report.warnings.append(f"only the first {sample} of {counts.depending} keys are listed (--sample)")
    if example is not None:
        report.body += _story(example)
    if answers:
        report.body.append(_keys(answers, len(by_key), counts.depending))
    return report


def _verdict(counts: Counts, example: SmallestFound | None, types: Sequence[TableType]) -> str:
    tables = "" if len(types) > 1 else f" through a {types[0].long_name} table"
    if example is None:
        return f"No key of {counts.keys} depends on the path{tables}."
    step = step_words(example.left.path, example.right.path, example.left.batches)
    keys = "1 key" if counts.depending == 1 else f"{counts.depending} keys"
    return f"{keys} of {counts.keys} {'depends' if counts.depending == 1 else 'depend'} on the path{tables}. {step}"


def _warnings(counts: Counts, plan: MergePlan) -> Iterator[str]:
    if counts.many:
        yield (
            f"{counts.many} of {counts.keys} keys have more than {FEW} versions; of these a commit has one version, a "
            "batch, two batches that follow each other, or all versions, and nothing in between was tried"
        )
    if counts.incomplete:
        yield (
            f"of {counts.incomplete} keys more than {STATES} states were reached between two commits and only the "
            "nearest followed; they may have more results"
        )
    if small_file_candidates(plan.props):
        yield f"{SMALL_FILE_LIMIT} is ignored: the paths of a key do not depend on the other keys of its partition"


# -- as text


def _story(example: SmallestFound) -> Iterator[str | Table]:
    """Show the versions, then both paths side by side with the rows at their ends."""
    left, right = example.left, example.right
    versions = example.versions
    key = ", ".join(f"{name}={cell(value)}" for name, value in left.key.items())
    labels: list[Label] = [
        ("version", [f"v{number}" for number in range(1, len(versions) + 1)]),
        ("batch", left.batches),
    ]
    yield Table.of_rows(tuple(versions[0]), versions, f"The smallest sequence that shows it: {key}", labels)
    told = zip(_told(left), _told(right), strict=True)
    rows: list[tuple[str, ...]] = [(name, one, other) for (name, one), (_, other) in told]
    sides = [one.row or {} for one in (left, right)]
    names = dict.fromkeys(name for side in sides for name in side if name not in left.key)
    rows += [(name, *(cell(side[name]) if name in side else "" for side in sides)) for name in names]
    yield Table(("", "one path", "another"), rows, "Two paths, one step apart")


def _told(answer: KeyAnswer) -> list[tuple[str, str]]:
    return [
        ("table", answer.path.table_type.long_name),
        ("commits", commits_words(answer.path)),
        ("compacted", compaction_words(answer.path, answer.batches) or "never"),
        ("a query sees", "a row" if answer.row else f"an error: {answer.error}" if answer.error else "no row"),
    ]


def _keys(answers: list[KeyAnswer], shown: int, depending: int) -> Table:
    """List the keys with their results."""
    names = [name for name in _columns(answers) if name not in answers[0].key]
    rows = [answer.row or dict.fromkeys(names, "") for answer in answers]
    count = "" if shown == depending else f", {shown} of {depending}"
    title = f"Keys that depend on the path, each result with the nearest path to it{count}"
    key = [(name, [answer.key[name] for answer in answers]) for name in answers[0].key]
    return Table.of_rows(names, rows, title, [*key, ("path", [_path_and_end(answer) for answer in answers])])


def _path_and_end(answer: KeyAnswer) -> str:
    told = path_words(answer.path, answer.batches)
    if answer.row is None:
        told += ": no row" if answer.error is None else ": an error"
    return told


def _columns(answers: list[KeyAnswer]) -> list[str]:
    return next((list(answer.row) for answer in answers if answer.row is not None), [])


# -- as JSON


def _key_as_json(answers: list[KeyAnswer]) -> dict[str, Any]:
    first = answers[0]
    return {"key": first.key, "batches": first.batches, "answers": [_answer_as_json(answer) for answer in answers]}


def _answer_as_json(answer: KeyAnswer) -> dict[str, Any]:
    path = answer.path
    return {
        "path": path_words(path, answer.batches),
        "table_type": path.table_type.value,
        "commits": path.commits,
        "compact_after": path.compact_after,
        "row": answer.row,
        "error": answer.error,
    }


def _example_as_json(example: SmallestFound) -> dict[str, Any]:
    left, right = example.left, example.right
    return {
        "key": left.key,
        "versions": example.versions,
        "batches": left.batches,
        "left": _answer_as_json(left),
        "right": _answer_as_json(right),
        "meaning": step_words(left.path, right.path, left.batches),
    }
