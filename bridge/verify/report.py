"""The result of `verify`: the verdict on each law as JSON and as text, with both bracketings of a counterexample."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from bridge.engines.jvm import recompiled_class
from bridge.redaction import setting_shown
from bridge.report import STRICT, Check, Judged, LawCell, LawPanel, Laws, Report, Severity, Table, View, json_value
from mergers.laws import NAMES, UNDECIDED, Failed, Observed, Verdict, answer_text, contradiction_text, error_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.engines.subjects import Compiled
    from mergers.laws import Bounds, Counterexample, Domain, LawReport, LawResult, MergeStep, Version
    from payloads import HudiRelease


@dataclasses.dataclass(frozen=True, repr=False)
class Verification(Judged):
    """The result of `verify`, with its settings.

    Attributes:
        name: the payload, merge mode or merger, as it was named.
        release: the release.
        key: the key fields.
        ordering: the ordering fields; None if they follow from the class or the sample schema.
        props: the properties.
        allowed: the laws whose violation is known and not a failure.
        report: the verdicts.
        has_schema: whether a schema was given, rather than the small one that suits the class.
        compiled: the compiled class, if that was checked.
        by_columns: whether the merger has only `merge_columns`.
    """

    fails = STRICT

    name: str
    release: HudiRelease
    key: tuple[str, ...]
    ordering: tuple[str, ...] | None
    props: Mapping[str, str]
    allowed: frozenset[str]
    report: LawReport
    has_schema: bool
    compiled: Compiled | None = None
    by_columns: bool = False

    @property
    def unexpected(self) -> tuple[LawResult, ...]:
        """The violations of laws that are not allowed to be violated."""
        return tuple(result for result in self.report.violations if result.law.id not in self.allowed)

    @property
    def open(self) -> tuple[LawResult, ...]:
        """The laws that could not be checked, or not in every column, except the allowed ones."""
        return tuple(result for result in self.report.unchecked if result.law.id not in self.allowed)

    @property
    def needs_columns(self) -> bool:
        """Whether most merges fail, and the columns are not the table's, because no schema was given."""
        return not self.has_schema and mostly_fails(self.report)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether a law other than the allowed ones is violated, contradicts its rule, or was not checked."""
        broken = self.unexpected or self.report.contradictions
        found = {Severity.CHANGED if broken else Severity.UNCHANGED}
        return frozenset(found | ({Severity.NOT_CHECKED} if self.open else set()))

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.report.contradictions:
            return f"{self.report.subject}: {contradiction_text('; '.join(self.report.contradictions))}"
        broken = list(dict.fromkeys(result.law.id for result in self.report.violations))
        if not broken and self.needs_columns:
            return f"{_columns_needed(self)}."
        if not broken:
            unchecked = ", ".join(dict.fromkeys(result.law.id for result in self.report.unchecked))
            known = f"; not checked: {unchecked}" if unchecked else ""
            return f"{self.report.subject}: no violation was found{known}; seed {self.report.seed}."
        known = "" if self.unexpected else ", all of them allowed"
        return f"{self.report.subject} violates {', '.join(broken)}{known}; seed {self.report.seed}."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        return report_of(self)


def report_of(verification: Verification) -> Report:
    """Report the verdict on each law."""
    found = verification.report
    report = Report("verify", verification.verdict, verification.severities, verification.fails)
    report.plan = {
        "name": verification.name,
        "release": str(verification.release),
        "key": list(verification.key),
        "ordering": None if verification.ordering is None else list(verification.ordering),
        "schema": found.schema.source,
        "props": {name: setting_shown(name, value) for name, value in verification.props.items()},
        "implementation": "columns" if verification.by_columns else "java" if verification.compiled else "python",
        "seed": found.seed,
        "allow": sorted(verification.allowed),
        "universe": {domain.value: universe_as_json(bounds) for domain, bounds in found.bounds.items()},
    }
    verdicts = [result.verdict.value for result in found.results]
    if found.violations and not verification.unexpected:
        report.scenario = "all but the allowed violations"
    report.statistics = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
    report.results = [result_as_json(result) for result in found.results]
    shown: dict[object, str] = {}
    for result in found.violations:
        story = story_of(result)
        allowed = " (allowed)" if result.law.id in verification.allowed else ""
        example = story.operands, story.columns
        if example in shown:
            report.body.append(f"{story.title}{allowed}\n(the example of {shown[example]})\n{story.meaning}")
            continue
        shown[example] = f"{result.law.id} on {result.domain.value}"
        report.body += [
            f"{story.title}{allowed}",
            "\n".join(f"{name} = {content}" for name, content in story.operands),
            Table(story.columns, story.steps),
            story.meaning,
        ]
    lines = [result.line for result in found.results if result.verdict is not Verdict.NOT_APPLICABLE]
    report.body += ["\n".join(part) for part in (lines, found.left_out, found.reach) if part]
    own = verification.compiled
    made = None if own is None else recompiled_class(own.reference, verification.release)
    report.warnings += [] if made is None else made.warnings
    report.warnings += map(contradiction_text, found.contradictions)
    if verification.needs_columns:
        report.warnings.append(_columns_needed(verification))
    report.view = View(_headline(verification), laws=_laws(found))
    applied = (result for result in found.results if result.verdict is not Verdict.NOT_APPLICABLE)
    report.checks = [_check_of(result, verification) for result in applied]
    return report


def _check_of(result: LawResult, verification: Verification) -> Check:
    """Return a law in a domain as a test case; one that is allowed to fail passes."""
    severity = Severity.UNCHANGED
    if result in verification.unexpected or result.contradiction:
        severity = Severity.CHANGED
    elif result in verification.open:
        severity = Severity.NOT_CHECKED
    return Check(f"{result.law.id} [{result.domain.value}]", severity, result.brief or result.line, str(result))


def mostly_fails(found: LawReport) -> bool:
    """Whether so many merges fail that a law was not checked."""
    return any(one.mostly_fails for one in found.unchecked)


def _columns_needed(verification: Verification) -> str:
    found = verification.report
    columns = ", ".join(one.name for one in found.schema.fields)
    return (
        f"{found.subject} fails on the columns that stand in for those of your table ({columns}); name yours: "
        "--schema FILE --key COLUMN --ordering COLUMN, in Python schema=, key= and ordering="
    )


# -- as a page


def _headline(verification: Verification) -> str:
    """Say how many laws are violated."""
    found = verification.report
    neither = {Verdict.NOT_APPLICABLE, *UNDECIDED}
    laws = {one.law.id for one in found.results if one.verdict not in neither}
    broken = len(dict.fromkeys(one.law.id for one in found.violations))
    unchecked = ", ".join(dict.fromkeys(one.law.id for one in found.unchecked))
    unchecked = f"; not checked: {unchecked}" if unchecked else ""
    if not broken:
        return f"{found.subject}: no violation of {len(laws)} laws was found{unchecked}"
    return f"{found.subject} violates {broken} of {len(laws)} laws{unchecked}"


def _laws(found: LawReport) -> Laws:
    """Return the matrix of laws and domains, and the counterexamples."""
    domains = list(dict.fromkeys(result.domain for result in found.results))
    panels = {(one.law.id, one.domain): f"{one.law.id}-{one.domain.value}" for one in found.violations}
    cells: dict[str, dict[Domain, LawCell]] = {}
    for one in found.results:
        panel = panels.get((one.law.id, one.domain), "")
        scope = "for all rows" * one.for_all_rows
        cells.setdefault(one.law.id, {})[one.domain] = LawCell(one.verdict.value, one.cases, one.basis, panel, scope)
    laws = {one.law.id: one.law for one in found.results}
    none = LawCell(Verdict.NOT_APPLICABLE.value, 0, "")
    lines = [
        (name, law.equation, law.reading, [cells[name].get(domain, none) for domain in domains])
        for name, law in laws.items()
    ]
    stories = ((panels[one.law.id, one.domain], story_of(one)) for one in found.violations)
    return Laws(
        [domain.value for domain in domains],
        lines,
        [LawPanel(name, one.title, one.operands, one.columns, one.steps, one.meaning) for name, one in stories],
        [(domain.value, bounds.lines) for domain, bounds in found.bounds.items()],
    )


# -- as JSON


def result_as_json(result: LawResult) -> dict[str, object]:
    """Return one verdict as JSON values; counterexample and rule are None if there is none."""
    found, ruling = result.counterexample, result.ruling
    return {
        "law": result.law.id,
        "domain": result.domain.value,
        "verdict": result.verdict.value,
        "cases": result.cases,
        "detail": result.detail,
        "for_all_rows": result.for_all_rows,
        "rule": None if ruling is None else {"outcome": ruling.outcome.value, "reason": ruling.reason},
        "counterexample": None if found is None else _counterexample_as_json(found, result.law.meaning),
    }


def universe_as_json(bounds: Bounds) -> dict[str, object]:
    """Return the operands of which every combination was tried, for `proved`; None for no row.

    `columns` has the values that each column takes anywhere, `blocks` what is enumerated besides versions and rows.
    """
    return {
        "versions": [_version_as_json(version) for version in bounds.versions],
        "rows": [_json_value(row) for row in bounds.rows],
        "columns": {name: _json_value(list(values)) for name, values in bounds.columns.items()},
        "blocks": [
            {
                "varied": block.title,
                "columns": {name: _json_value(list(values)) for name, values in block.values.items()},
                "versions": len(block.universe.incoming),
                "rows": len(block.universe.rows) - 1,
            }
            for block in bounds.blocks
        ],
        "left_out": list(bounds.left_out),
    }


def _version_as_json(version: Version) -> dict[str, object]:
    return {
        "record": _json_value(version.record),
        "ordering": _json_value(version.ordering),
        "is_delete": version.is_delete,
    }


def _counterexample_as_json(found: Counterexample, meaning: str) -> dict[str, object]:
    versions = zip(NAMES, found.operands.versions, strict=False)
    return {
        "row": _json_value(found.operands.row) if found.speaks_of_row else None,
        "versions": [{"name": name, **_version_as_json(version)} for name, version in versions],
        "left": _side_as_json(found.left),
        "right": _side_as_json(found.right),
        "cause": found.cause or None,
        "meaning": meaning,
    }


def _side_as_json(steps: tuple[MergeStep, ...]) -> dict[str, object]:
    return {
        "bracketing": steps[-1].text,
        "steps": [{"merge": s.text, "result": _answer_as_json(s.answer)} for s in steps],
    }


def _answer_as_json(answer: Any) -> object:
    if isinstance(answer, Failed):
        return {"error": error_line(answer.error)}
    if isinstance(answer, Observed):
        return {"record": _json_value(answer.record), "is_delete": answer.is_delete}
    return [_answer_as_json(part) for part in answer]


def _json_value(value: object) -> object:
    return json_value(value, names_branches=True)


# -- as text


@dataclasses.dataclass(frozen=True)
class Story:
    """A counterexample as text.

    Attributes:
        title: the law and what it says.
        operands: name and content of the stored row and the versions.
        columns: the two bracketings.
        steps: the merges of both, side by side; the last line has the two results.
        meaning: what it means for a table.
    """

    title: str
    operands: tuple[tuple[str, str], ...]
    columns: tuple[str, str]
    steps: tuple[tuple[str, str], ...]
    meaning: str


def story_of(result: LawResult) -> Story:
    """Describe a violation: its operands, and both bracketings side by side.

    Raises:
        LookupError: the law is not violated.
    """
    found = result.counterexample
    if found is None:
        msg = f"{result.law.id} is not violated on {result.domain.value}"
        raise LookupError(msg)
    operands = [("s", "no row" if found.operands.row is None else repr(found.operands.row))] * found.speaks_of_row
    for name, version in zip(NAMES, found.operands.versions, strict=False):
        answer = Observed(version.record, version.ordering, version.is_delete)
        operands.append((name, answer_text(answer)))
    left, right = ([f"{step.text} = {answer_text(step.answer)}" for step in side] for side in (found.left, found.right))
    # Both sides end in the same line, their results.
    depth = max(len(left), len(right))
    padded = [[""] * (depth - len(side)) + side for side in (left, right)]
    return Story(
        f"{result.law.id} on {result.domain.value}: {result.law.statement}",
        tuple(operands),
        (found.left[-1].text, found.right[-1].text),
        tuple(zip(*padded, strict=True)),
        " ".join(filter(None, (found.cause, f"For a table: {result.law.meaning}."))),
    )
