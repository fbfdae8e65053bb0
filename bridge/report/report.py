"""Report: the result of a verb, the verdict first: the JSON envelope for programs, text or Markdown for people."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from bridge.display import escaped, escaped_json
from bridge.redaction import scrubbed, setting_shown
from bridge.report.envelope import FORMAT
from bridge.report.preview import marked
from bridge.report.severity import FAILS, STRICT, Severity
from bridge.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection
    from collections.abc import Set as AbstractSet

    from bridge.plan import MergePlan
    from bridge.report.json_values import JsonObject
    from bridge.report.view import View
    from payloads import HudiRelease

SAMPLE = 20
"""How many rows or keys are shown to people unless they say otherwise."""

_COMMAND_WIDTH = 78
"""How long a line of a command is at most, unless a word is longer; a backslash follows it."""

MOST = 100_000
"""How many JSON has unless the user says otherwise: one process gathers them."""


def limit_of(sample: int | None, *, whole: bool) -> int:
    """Return how many rows or keys to gather: as many as the user says; else all that JSON, or a person, is given."""
    if sample is not None:
        return sample
    return MOST if whole else SAMPLE


class Check(NamedTuple):
    """One thing that a verb checked, for reports that list what passed and what failed.

    Attributes:
        name: what was checked.
        severity: what came out.
        told: what is wrong; empty if nothing is.
        details: the differences, line by line.
    """

    name: str
    severity: Severity = Severity.UNCHANGED
    told: str = ""
    details: str = ""


class NextStep(NamedTuple):
    """A command to run next, and what it shows or does."""

    command: str
    purpose: str

    def __str__(self) -> str:
        """Return both in a line."""
        return f"{self.command}: {self.purpose}"

    @property
    def pasted(self) -> str:
        """Return lines for a shell: the purpose as a comment, the command broken before options."""
        words = [shlex.quote(word) for word in shlex.split(self.command)]
        lines = [words[0]]
        for at, word in enumerate(words[1:], 1):
            value = words[at + 1 : at + 2] if word.startswith("--") else []
            unit = [word, *(one for one in value if not one.startswith("--"))]
            if len(" ".join((lines[-1], *unit))) <= _COMMAND_WIDTH:
                lines[-1] += f" {word}"
            else:
                lines.append(f"    {word}")
        return f"# {self.purpose}\n" + " \\\n".join(lines)


@dataclass
class Report:
    """The result of a verb. Credentials that a message quotes are hidden in all its forms (`bridge.redaction`).

    Attributes:
        verb: the verb.
        verdict: the result in one sentence.
        severities: all that was found, of which the worst is `severity`; empty where nothing is judged.
        fails: those on which the verb fails.
        scenario: what is counted, where the same upgrade has other counts under another verb; see `Scenario`.
        plan: the settings that were used; see `plan_as_json`.
        releases: by whose rules it speaks, besides those that `plan` names.
        statistics: counts by name.
        results: JSON values.
        sides: what `left` and `right` in the results are called; None where nothing is compared.
        warnings: what else the user should know.
        body: paragraphs and tables of the text, after the verdict.
        checks: what the verdict sums up; empty if there is only the verdict.
        view: what a page shows besides the text; None if there is only that.
        next: what to run next.
        origin: what made it, for a page or a document that is kept: version, time and command line.
    """

    verb: str
    verdict: str
    severities: AbstractSet[Severity] = frozenset()
    fails: AbstractSet[Severity] = FAILS
    scenario: str = ""
    plan: JsonObject = field(default_factory=dict)
    releases: Collection[str | HudiRelease] = ()
    statistics: JsonObject = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)
    sides: tuple[str, str] | None = None
    warnings: list[str] = field(default_factory=list)
    body: list[str | Table] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    view: View | None = None
    next: list[NextStep] = field(default_factory=list)
    origin: str = ""

    @property
    def severity(self) -> Severity | None:
        """The most severe finding; None if nothing is judged."""
        return max(self.severities, default=None)

    @property
    def exit_code(self) -> int:
        """The exit code: that of the worst on which the verb fails, else 0."""
        failed = max(self.severities & self.fails, default=None)
        return 0 if failed is None else failed.exit_code

    @property
    def success(self) -> bool:
        """Whether no finding makes the verb fail."""
        return self.exit_code == 0

    @property
    def headline(self) -> str:
        """Mark, word and scenario; empty where nothing is judged."""
        if self.severity is None:
            return ""
        in_part = self.severity is not Severity.NOT_CHECKED and Severity.NOT_CHECKED in self.severities
        words = f"{self.severity.word(self.verb)}{', not checked in part' if in_part else ''}"
        return f"{self.severity.mark} {words}{f': {self.scenario}' if self.scenario else ''}"

    def found(self, *severities: Severity) -> None:
        """Add to what was found."""
        self.severities = frozenset({*self.severities, *severities})

    def as_json(self) -> str:
        """Return the envelope."""
        one: Report = scrubbed(marked(self))
        more = {} if one.sides is None else {"sides": sides_as_json(one.sides)}
        return _json(one, **more)

    def as_text(self, width: int | None = None, *, colours: bool = False) -> str:
        """Return text for a terminal or file of `width` columns; None for that of the terminal, 80 without one."""
        from bridge.report.terminal import as_text  # noqa: PLC0415 (executors lack rich)

        one: Report = scrubbed(marked(self))
        head = [line for line in (one.headline, one.verdict) if line]
        body = [*one.body, *(["Next:"] if one.next else []), *(step.pasted for step in one.next)]
        return as_text(head, None if one.severity is None else one.severity.colour, body, width, colours=colours)

    def as_markdown(self) -> str:
        """Return Markdown: a heading, the verdict in bold, the body, the warnings as a list."""
        one: Report = scrubbed(marked(self))
        parts = [_markdown_table(part) if isinstance(part, Table) else _markdown_part(part) for part in one.body]
        warnings = ["\n".join(f"- warning: {_markdown_text(text)}" for text in one.warnings)] if one.warnings else []
        commands = "\n\n".join(step.pasted for step in one.next)
        following = [f"Next:\n\n```sh\n{commands}\n```"] if commands else []
        title = f"# {one.verb}" + (f": {one.headline}" if one.headline else "")
        made = [_markdown_text(one.origin)] if one.origin else []
        return escaped("\n\n".join((title, f"**{_markdown_text(one.verdict)}**", *parts, *warnings, *following, *made)))

    def rendered(self, output: str, *, colours: bool = False) -> str:
        """Return the report as `text`, `json` or `markdown`; `colours` are for text alone."""
        match output:
            case "json":
                return self.as_json()
            case "markdown":
                return self.as_markdown()
            case _:
                return self.as_text(colours=colours)


def error_as_json(verb: str, message: str) -> str:
    """Return the envelope of a verb that failed: all of its fields, and the sentence once more as `error`."""
    return _json(Report(verb, "error", {Severity.NOT_CHECKED}, STRICT), error=message)


def _json(one: Report, **more: object) -> str:
    envelope = {
        "format": FORMAT,
        "verb": one.verb,
        "success": one.success,
        "severity": None if one.severity is None else one.severity.value,
        "not_checked": Severity.NOT_CHECKED in one.severities,
        "scenario": one.scenario or None,
        "verdict": one.verdict,
        "plan": one.plan,
        "statistics": one.statistics,
        "results": one.results,
        "warnings": one.warnings,
        "next": [str(step) for step in one.next],
        **more,
    }
    return escaped_json(json.dumps(envelope, indent=2, ensure_ascii=False, allow_nan=False))


def sides_as_json(names: tuple[str, str]) -> dict[str, str]:
    """Return the names of the sides under the words that results use."""
    return dict(zip(("left", "right"), names, strict=True))


def plan_as_json(plan: MergePlan) -> dict[str, object]:
    """Return the settings of a plan under the names of the options."""
    return {
        "payload": plan.payload_name,
        "release": str(plan.release),
        "table_type": plan.table_type.value,
        "key": list(plan.key),
        "partition": list(plan.partition),
        "ordering": list(plan.ordering),
        "table_version": plan.table_version,
        "arrival": plan.arrival,
        "schema": None if plan.schema is None else plan.schema.source,
        "props": {name: setting_shown(name, value) for name, value in plan.props.items()},
        "combine_before_upsert": plan.combine_before_upsert,
        "inserts_to": plan.inserts_to,
        "global_index": plan.global_index,
        "fidelity": plan.fidelity,
        "engine": plan.engine,
        "implementation": plan.implementation,
        "on_error": plan.on_error,
        "trust_rule": plan.trust_rule,
    }


def _markdown_table(table: Table) -> str:
    head = "| " + " | ".join(map(_markdown_cell, table.columns)) + " |"
    rule = "|" + "|".join("---:" if name in table.right else "---" for name in table.columns) + "|"
    rows = ["| " + " | ".join(map(_markdown_cell, row)) + " |" for row in table.rows]
    lines = "\n".join((head, rule, *rows))
    return f"{_markdown_text(table.title)}\n\n{lines}" if table.title else lines


def _markdown_part(text: str) -> str:
    """Return a paragraph; several lines, which Markdown would join, as a block of code."""
    if "\n" not in text:
        return _markdown_text(text)
    fence = max((run + "`" for run in _BACKTICKS.findall(text)), default="```", key=len)
    return f"{fence}text\n{text}\n{fence}"


def _markdown_cell(text: str) -> str:
    return _markdown_text(text).replace("|", "\\|").replace("\n", "<br>")


def _markdown_text(text: str) -> str:
    """Return text with what Markdown would read as markup escaped."""
    return _MARKS.sub(r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")


_BACKTICKS = re.compile(r"`{3,}")
# An underscore inside a word is not markup.
_MARKS = re.compile(r"([\\`*\[\]]|(?<!\w)_(?=\w*_(?!\w)))")
