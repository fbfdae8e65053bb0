"""The page on what an upgrade changes for each class, from recorded tables, and one page a class.

`python -m tests.support.what_changes` writes them. Figures are those of real Hudi: the same batches, written by two
releases. Why a key differs is what the traces of this project say; what changes from release to release is what `plan`
says of a new table of the class.
"""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from bridge.config import SUCCESSORS
from bridge.explain import ExplainReport, SidesTracer
from bridge.explain.causes import Cause, cause_of
from bridge.explain.timeline import timeline_of
from bridge.programs import small_file_candidates
from tests.mergers.laws.recorded import physical, schema_of
from tests.support import class_pages
from tests.support.folders import GUIDE
from tests.support.recordings import Recordings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from payloads import Record
    from tests.conformance.replays import Key, Question

PAGE: Final = GUIDE / "what_changes.md"
FOLDER: Final = GUIDE / "classes"
_HEAD = """\
# What an upgrade changes for a class

The table counts keys whose final row differs if real Hudi 1.2.0 writes the same batches as real Hudi 0.15.0 (1.0.2 for
a class that 1.1 removed). All figures come from recorded tables; tables that the newer release refuses are counted
separately. The second column has the replacement in table version 9
([RFC-97](https://github.com/apache/hudi/blob/master/rfc/rfc-97/rfc-97.md)). Each class has a page with its rules
release by release, its laws, its replacement, the recorded tables with the reasons, and the undo.

| class | in table version 9 | keys that differ, copy-on-write | merge-on-read |
|---|---|---:|---:|"""
_TAIL = """
To see what changes for your rows, run `payload-bridge replay --batches DIR --payload CLASS --key KEY --from 0.15 --to
1.2 --report changes.html` ([Replay](replay.md)). [Before an upgrade](upgrade.md) has the settings and the undo.
"""


def pages() -> dict[Path, str]:
    """Return the pages by their files."""
    found: dict[Path, str] = {}
    lines = [_HEAD]
    tables = Recordings()
    for payload in class_pages.classes():
        questions = tables.questions(payload)
        name = payload.java_name.rpartition(".")[2]
        found[FOLDER / f"{name}.md"] = class_pages.text(payload, tables, "\n".join(_section(questions)))
        lines.append(_summary(name, payload.java_name, questions))
    return {PAGE: "\n".join([*lines, _TAIL]), **found}


def _summary(name: str, java_name: str, questions: list[Question]) -> str:
    successor = SUCCESSORS.get(java_name)
    becomes = "removed in 1.1" if successor is None else class_pages.words_of(successor)
    numbers = [
        class_pages.differing([one for one in questions if one.left.folder.endswith(end)]) for end in ("cow", "mor")
    ]
    return f"| [{name}](classes/{name}.md) | {becomes} | {' | '.join(numbers)} |"


def _section(questions: list[Question]) -> Iterator[str]:
    old, new = questions[0].left.release, questions[0].right.release
    yield f"| recorded table | keys that differ | only in {old} | only in {new} | changed | why |"
    yield "|---|---:|---:|---:|---:|---|"
    shown: tuple[int, str] | None = None
    for question in questions:
        if question.is_refused:
            yield f"| {question.left.folder}, batch {question.commits} | refused by {new} | | | | |"
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
    lines = [f"\nThe smallest example is `{identity[1]}` of {question.left.folder}:\n"]
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
    FOLDER.mkdir(exist_ok=True)
    for path, content in pages().items():
        path.write_text(content, encoding="utf-8")
