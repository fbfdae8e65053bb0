"""The page on what an upgrade changes for each class, from recorded tables.

`python -m tests.support.what_changes` writes it. Its figures are those of real Hudi: the same batches, written by
0.15.0 and by 1.2.0. Why a key differs is what the traces of this project say.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from bridge.config import SUCCESSORS
from bridge.explain import ExplainReport, SidesTracer
from bridge.explain.causes import Cause, cause_of
from bridge.explain.timeline import timeline_of
from bridge.programs import small_file_candidates
from payloads import builtin_payloads
from tests.bridge.explain.test_explain import physical, schema_of
from tests.conformance.histories import load
from tests.conformance.replays import pairs
from tests.support.folders import DATA, GUIDE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from payloads import Record
    from tests.conformance.replays import Key, Question

PAGE: Final = GUIDE / "what_changes.md"
OLD, NEW = "0.15.0", "1.2.0"
_HEAD = """\
# What an upgrade changes for a class

How many keys end in another row if real Hudi 1.2.0 writes the batches that real Hudi 0.15.0 wrote: recorded tables, one
line each, the same batches on both sides. `late` batches have many late versions and ties, `compacted` tables compact
inside a commit, `marker` tables have a delete marker of their own. Counts are real Hudi's; the causes are those that
[`replay --report`](replay.md#results) gives for your own batches.

To know what changes for your rows: `payload-bridge replay --batches DIR --payload CLASS --from 0.15 --to 1.2 --report
changes.html`. [Before an upgrade](upgrade.md) has the settings and the way back.
"""


def text() -> str:
    """Return the page."""
    by_class: dict[str, list[Question]] = collections.defaultdict(list)
    for question in pairs(list(load(DATA / "histories" / OLD)), load(DATA / "histories" / NEW)):
        by_class[question.left.payload_class].append(question)
    names = sorted(one.java_name for one in builtin_payloads("0.15") if one.java_name in by_class)
    return "\n".join((_HEAD, *(line for name in names for line in _section(name, by_class[name]))))


def _section(name: str, questions: list[Question]) -> Iterator[str]:
    yield f"## {name.rpartition('.')[2]}\n"
    successor = SUCCESSORS.get(name)
    if successor is not None:
        partial = f" with {successor.partial}" if successor.partial else ""
        yield f"A table of version 9 has `{successor.mode.value}`{partial} in its place.\n"
    yield "| recorded table | keys that differ | only in 0.15 | only in 1.2 | changed | why |"
    yield "|---|---:|---:|---:|---:|---|"
    shown: tuple[int, str] | None = None
    for question in sorted(questions, key=lambda one: one.left.folder):
        if question.is_refused:
            yield f"| {question.left.folder}, batch {question.commits} | refused by 1.2 | | | | |"
            continue
        versions = _versions(question)
        kinds = collections.Counter(question.differing().values())
        told = {} if small_file_candidates(question.left.options) else _told(question, versions)
        causes = collections.Counter(cause_of(one).title.lower() for one in told.values())
        why = ", ".join(f"{cause} {number}" for cause, number in sorted(causes.items(), key=lambda one: (-one[1], one)))
        numbers = " | ".join(str(kinds[kind]) for kind in ("only-left", "only-right", "changed"))
        yield f"| {question.left.folder} | {sum(kinds.values())} of {len(versions)} | {numbers} | {why} |"
        for identity, one in told.items():
            size = len(one.versions)
            if cause_of(one) is not Cause.OTHER and (shown is None or size < shown[0]):
                shown = size, _example(question, identity, one)
    if shown is not None:
        yield shown[1]
    yield ""


def _versions(question: Question) -> dict[Key, list[tuple[int, Record]]]:
    schema = schema_of(question.left)
    versions: dict[Key, list[tuple[int, Record]]] = collections.defaultdict(list)
    for number, commit in enumerate(question.left.commits[: question.commits], start=1):
        for row in commit.incoming:
            versions[row["part"], row["id"]].append((number, physical(row, schema)))
    return versions


def _told(question: Question, versions: dict[Key, list[tuple[int, Record]]]) -> dict[Key, ExplainReport]:
    schema, sides = schema_of(question.left), question.sides
    tracer, told = SidesTracer(schema, sides), {}
    for identity in sorted(question.differing(), key=repr):
        own = versions[identity]
        explained = tracer.explain(own)
        told[identity] = ExplainReport({}, own, schema, sides.commits, explained, sides, sides.compact_after)
    return told


def _example(question: Question, identity: Key, told: ExplainReport) -> str:
    """Show the versions of a key, and what each release did where they part."""
    story: dict[str, Any] = timeline_of(told)
    lines = [f"\nThe smallest of them is `{identity[1]}` of {question.left.folder}:\n"]
    lines += [f"| {' | '.join(('version', 'batch', *story['columns']))} |", "|---" * (len(story["columns"]) + 2) + "|"]
    for one in story["versions"]:
        cells = ["null" if value is None else value for value in one["row"]]
        batch = "" if one["commit"] is None else str(one["commit"])
        lines.append(f"| {' | '.join((one['label'], batch, *cells))} |")
    lines.append("")
    for side in story["sides"]:
        parting = next((call for call in side["calls"] if call["parts"]), None)
        rule = f"`{parting['where']}`: {parting['rule']}; " if parting else ""
        lines.append(f"- {side['name']}: {rule}ends with {side['end']}.")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
