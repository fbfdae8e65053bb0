"""The result of `plan`: properties before and after, what to do and how to undo it, what changes silently."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from bridge.compare import name_class, next_steps, read_all
from bridge.config import TableMergeConfig, capabilities
from bridge.hudi import SymptomKind
from bridge.migration.findings import findings_as_json, short, worst_first
from bridge.migration.move import number_told, severity_of
from bridge.migration.scenarios import VersionKind
from bridge.migration.steps import changes_between
from bridge.report import FAILS, REPORTS, Judged, Report, Severity, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from typing_extensions import Self

    from bridge.migration.damage import TableDamage
    from bridge.migration.findings import Finding
    from bridge.migration.move import SilentChange
    from bridge.migration.steps import PropertyChange, Step
    from bridge.report import NextStep
    from payloads.release import HudiRelease

_CASES: Final = {
    VersionKind.DELETES: SymptomKind.DELETE,
    VersionKind.LATE_ROWS: SymptomKind.LATE,
    VersionKind.TIES: SymptomKind.TIE,
    VersionKind.VALUES: SymptomKind.NULL_VALUE,
}
"""What versions a change is about, as the rows of a table show them, counted by keys."""


@dataclass(frozen=True, repr=False)
class MigrationPlan(Judged):
    """The result of `plan_migration`.

    Attributes:
        from_release: the release that has written the table so far.
        to_release: the release that will write it.
        from_version: the table version now.
        to_version: the table version then.
        before: the table's merge properties now.
        after: its merge properties then.
        apply: what to do.
        undo: how to undo it.
        after_undo: the merge properties after the undo, which are not always those before.
        behaviours: what changes silently, damage first.
        untried: why not all of these are known; None if they are.
        warnings: what is wrong now, or will be, the worst first.
        evidence: what the table's own rows show of these changes; None where they were not read.
        table: the table's name, type and record key as far as they are stored, which stay.
        unlinked: why the compiled payload class can't run under the new release; None if it can, or has no jar.
    """

    fails = REPORTS

    from_release: HudiRelease
    to_release: HudiRelease
    from_version: int
    to_version: int
    before: Mapping[str, str]
    after: Mapping[str, str]
    apply: tuple[Step, ...]
    undo: tuple[Step, ...]
    after_undo: Mapping[str, str]
    behaviours: tuple[SilentChange, ...]
    warnings: tuple[Finding, ...]
    evidence: TableDamage | None = None
    table: Mapping[str, str] = field(default_factory=dict)
    unlinked: str | None = None
    untried: str | None = None

    @property
    def severities(self) -> frozenset[Severity]:
        """What is known of its rows and behaviours, and whether all was looked at."""
        evidence = self.evidence
        is_seen = evidence is not None and evidence.is_complete(str(self.to_release)) and _reads_it_now(self)
        found = {Severity.UNCHANGED if is_seen else Severity.NOT_CHECKED, severity_of(self.behaviours, self.untried)}
        found |= {one.severity for one in self.warnings}
        found |= set() if self.untried is None else {Severity.NOT_CHECKED}
        found |= {Severity.CHANGED} if _differing(self) else set()
        return frozenset(found if self.unlinked is None else found | {Severity.REFUSED})

    def with_evidence(self, evidence: TableDamage) -> Self:
        """Return the plan with what `find_damage` found for this move, without what can't concern the table."""
        concerns = tuple(
            change
            for change in self.behaviours
            if not change.columns
            or not evidence.columns
            or {name.partition(".")[0] for name in change.columns} & set(evidence.columns)
        )
        warnings = worst_first([*self.warnings, *evidence.findings])
        return replace(self, warnings=warnings, evidence=evidence, behaviours=concerns)

    def keys_of(self, change: SilentChange) -> int | None:
        """How many keys of the table have versions that a change affects; None where that was not checked.

        Only logs show it: a base file keeps one version of a key.
        """
        if self.evidence is None or not self.evidence.compared(str(self.to_release)) or change.about not in _CASES:
            return None
        found = self.evidence.of(_CASES[change.about])
        return found.number if found is not None else 0 if self.evidence.logs else None

    @property
    def names(self) -> tuple[str, str]:
        """What the table is called now and then: by release, else by table version or merge mode."""
        now, then = TableMergeConfig.from_properties(self.before), TableMergeConfig.from_properties(self.after)
        if self.from_release != self.to_release:
            return f"Hudi {self.from_release}", f"Hudi {self.to_release}"
        if self.from_version != self.to_version:
            return f"table version {self.from_version}", f"table version {self.to_version}"
        if now.mode is not None and then.mode is not None and now.mode is not then.mode:
            return now.mode.name, then.mode.name
        return "now", "then"

    @property
    def verdict(self) -> str:
        """How much changes, in one sentence."""
        return report_plan(self, {}).verdict

    def to_report(self) -> Report:
        """Return the report of the command line, without its settings."""
        return report_plan(self, {})

    @property
    def changes(self) -> tuple[PropertyChange, ...]:
        """The properties that change, by name."""
        return changes_between(self.before, self.after)

    @property
    def not_undone(self) -> tuple[PropertyChange, ...]:
        """The properties that the undo does not restore, by name."""
        return changes_between(self.before, self.after_undo)


def report_plan(made: MigrationPlan, settings: dict[str, Any]) -> Report:
    """Report the plan of a move; `settings` are those that the user gave."""
    result = plan_result(made)
    if made.evidence is not None:
        result["evidence"] = made.evidence.to_json()
    behaviours = _behaviours_told(made)
    verdict = f"{_rows_told(made)}. {behaviours[0].upper()}{behaviours[1:]}. {_properties_told(made)}."
    if made.unlinked is not None:
        verdict += f" But merges will fail: {made.unlinked}."
    return Report(
        "plan",
        verdict,
        made.severities,
        made.fails,
        scenario="files as they are, and new batches",
        plan=settings,
        releases=[made.from_release, made.to_release],
        statistics={
            "properties": len(made.changes),
            "behaviours": len(made.behaviours),
            "damage": sum(change.is_damage for change in made.behaviours),
        },
        results=[result],
        warnings=[str(warning) for warning in made.warnings],
        body=[*silent_changes(made), *steps_body(made)],
        next=_next(made, settings.get("to", str(made.to_release))),
    )


def _next(made: MigrationPlan, target: str) -> list[NextStep]:
    """Return what to run next, where something changes or was not looked at; `target` is the release or mode asked."""
    if made.severities == {Severity.UNCHANGED}:
        return []
    evidence, to = made.evidence, str(made.to_release)
    path, payload = ("TABLE", None) if evidence is None else (evidence.path, evidence.payload)
    if evidence is not None and evidence.lacks_class:
        return [name_class("plan", path, "--to", target, payload=payload)]
    is_sample = evidence is not None and evidence.is_sample
    seen = [read_all("plan", path, "--to", target, payload=payload)] if is_sample else []
    refused_by = made.from_release if Severity.REFUSED in made.severities else None
    return [*seen, *next_steps(path, to, payload, refused_by=refused_by)]


def _reads_it_now(made: MigrationPlan) -> bool:
    """Whether the new release reads the table as it is, so that its rows were compared."""
    return capabilities(made.to_release).created_version >= made.from_version


def _differing(made: MigrationPlan) -> int:
    """Return how many rows the new release shows differently, of those that were looked at."""
    found = None if made.evidence is None else made.evidence.of(SymptomKind.DIFFERS)
    return 0 if found is None else found.number


def _rows_told(made: MigrationPlan) -> str:
    """Return what is known of the rows, for the verdict: found, not found, or not looked at."""
    evidence, to = made.evidence, str(made.to_release)
    if evidence is None:
        return "No rows were read"
    if evidence.unread is None and not evidence.slices:
        return "The table has no rows"
    if not _reads_it_now(made):
        return f"No rows were compared, because Hudi {to} can't read the table as it is"
    if not evidence.compared(to):
        return f"No rows were read (0 of {evidence.slices} file slices)" if evidence.slices else "No rows were read"
    number = _differing(made)
    rows = "the same rows as" if not number else f"{'1 row' if number == 1 else f'{number} rows'} differently from"
    return f"Hudi {to} shows {rows} Hudi {evidence.reader} {evidence.compared_words(to)}"


def _properties_told(made: MigrationPlan) -> str:
    """Return the table version and how many properties change, for the verdict."""
    version = f"stays {made.to_version}" if made.from_version == made.to_version else f"becomes {made.to_version}"
    number = len(made.changes)
    properties = "1 property changes" if number == 1 else f"{number or 'no'} properties change"
    return f"The table version {version}, and {properties}"


def _behaviours_told(made: MigrationPlan) -> str:
    """Return how many behaviours change, for the verdict."""
    number = len(made.behaviours)
    if made.untried is not None and not number:
        return f"no behaviour was checked: {made.untried}"
    if not number and any(one.severity in FAILS for one in made.warnings):
        return "no behaviour is known to change except what the warnings name"
    told = number_told(made.behaviours) or "no behaviour is known to change"
    return told if made.untried is None else f"{told}; {made.untried}"


def plan_result(made: MigrationPlan) -> dict[str, object]:
    """Return a plan in JSON values."""
    return {
        "before": dict(made.before),
        "after": dict(made.after),
        "apply": [_step_as_json(step) for step in made.apply],
        "undo": [_step_as_json(step) for step in made.undo],
        "not_undone": [change._asdict() for change in made.not_undone],
        "behaviours": [
            {
                "about": change.about.value,
                "case": change.case,
                "before": change.before,
                "after": change.after,
                "is_damage": change.is_damage,
                "depends_on": change.depends_on,
                "keys": made.keys_of(change),
            }
            for change in made.behaviours
        ],
        "untried": made.untried,
        "warnings": findings_as_json(made.warnings),
    }


def _step_as_json(step: Step) -> dict[str, object]:
    return step._asdict() | {"options": dict(step.options), "drop": list(step.drop), "cli": list(step.cli)}


def silent_changes(made: MigrationPlan) -> list[str | Table]:
    """Return what changes without an error, as text."""
    rows = [
        (
            "DAMAGE" if change.is_damage else change.about.value,
            change.case or (f"depends on {change.depends_on}" if change.depends_on else "in general"),
            change.before,
            change.after,
        )
        for change in made.behaviours
    ]
    untried = [] if made.untried is None else [f"Not checked: {made.untried}."]
    if made.evidence is None:
        return [*([Table(("about", "what happens", *made.names), rows, "Changes silently")] if rows else []), *untried]
    numbers = ["not checked" if number is None else str(number) for number in map(made.keys_of, made.behaviours)]
    counted = [(*row, number) for row, number in zip(rows, numbers, strict=True)]
    table = [Table(("about", "what happens", *made.names, "keys"), counted, "Changes silently")] if rows else []
    return [*table, *untried, _proof(made, made.evidence, str(made.to_release))]


def _proof(made: MigrationPlan, evidence: TableDamage, to: str) -> str:
    """Return what the rows show, and of how many file slices."""
    if evidence.unread is not None:
        return f"Evidence {evidence.extent}."
    if not _reads_it_now(made):
        return f"Evidence {evidence.extent}: Hudi {to} can't read the table as it is."
    compared = evidence.compared(to)
    reasons = [one.reason for one in evidence.damage if one.kind == SymptomKind.UNREADABLE and one.reason]
    because = f" ({reasons[0]})" if reasons else ""
    if not compared and evidence.read:
        return f"No evidence: none of {evidence.read} file slices could be read and compared{because}."
    number = {0: "no row", 1: "1 row"}.get(_differing(made), f"{_differing(made)} rows")
    shown = f"read as they are, Hudi {to} shows {number} differently from Hudi {evidence.reader}"
    if compared < evidence.read:
        shown = f"in {compared} of {evidence.read} file slices, {shown}; the others could not be compared{because}"
    return (
        f"Evidence {evidence.extent}: {shown}. Counts cover keys with such versions in log files; base files keep only "
        "the merged rows."
    )


def steps_body(made: MigrationPlan) -> list[str | Table]:
    """Return the properties before and after, what to do and how to undo it, as text."""
    body: list[str | Table] = []
    if made.changes:
        body.append(Table(("property", "before", "after"), _changes(made.changes), "Table properties"))
    body += ["To apply:", *map(step_text, made.apply)]
    if made.undo:
        body += ["To undo:", *map(step_text, made.undo)]
    if made.not_undone:
        body.append(Table(("property", "before", "after the undo"), _changes(made.not_undone), "Not undone"))
    return body


def _changes(changes: Iterable[PropertyChange]) -> list[tuple[str, str, str]]:
    return [(change.key, short(change.before or "not set"), short(change.after or "not set")) for change in changes]


def step_text(step: Step) -> str:
    """Write a step as its sentence and its details, line by line."""
    lines = [f"- {step.what}"]
    if step.sql:
        lines.append(f"    {step.sql}")
    lines += [f"    {key}={text}" for key, text in step.options.items()]
    lines += [f"    without {key}" for key in step.drop]
    lines += [f"    hudi-cli: {command}" for command in step.cli]
    lines += [f"    <file>: {line}" for line in step.file.splitlines()]
    return "\n".join(lines)
