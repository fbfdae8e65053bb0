"""The result of `migrate`: the verdict, what was tried, the settings with their undo, and the generated mergers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.compare import example_table, keys_table, next_steps, question_of
from bridge.config import SUCCESSORS, format_properties, literal
from bridge.engines import recompiled_warnings
from bridge.merge import class_warnings
from bridge.migration.generated import NOTHING, Generated
from bridge.migration.plan_report import plan_result, silent_changes, step_text, steps_body
from bridge.migration.rule_report import beside, by_rule, rule_warnings
from bridge.pipeline import report_scope
from bridge.report import (
    FAILS,
    REPORTS,
    SAMPLE,
    Check,
    Judged,
    Report,
    Severity,
    Table,
    counted,
    limit_of,
    plan_as_json,
    sides_as_json,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.compare import Example
    from bridge.migration.candidates import Candidate
    from bridge.migration.mode_matches import ModeMatch
    from bridge.migration.path_agreement import PathAgreement
    from bridge.migration.plan_report import MigrationPlan
    from bridge.migration.trials import Evidence, Trial
    from bridge.plan import MergePlan, TableType


@dataclass(frozen=True, repr=False)
class MigrateReport(Judged):
    """The result of `migrate`.

    Attributes:
        left: the plan of the payload class in its old release.
        recommended: its replacement; None if nothing is recommended.
        trials: what was tried, in order; empty without data.
        accepts_differences: whether differences are accepted.
        plans: properties, steps, undo and silent changes for the recommended candidate, by table type.
        new_tables: by table type, the TBLPROPERTIES of a new table that merges so; none that CREATE TABLE changes.
        refused: why nothing is recommended; empty if something is.
        generated: mergers for a class that is not Hudi's own, and the rules inferred from it.
        to: the name of the target.
        evidence: the data on which candidates were tried; None where there was none.
        paths: which paths of the table agree with the class, and with its replacement; None if that was not asked for.
    """

    left: MergePlan
    recommended: Candidate | None
    trials: tuple[Trial, ...]
    accepts_differences: bool
    plans: Mapping[TableType, MigrationPlan]
    new_tables: Mapping[TableType, Mapping[str, str]]
    refused: str = ""
    generated: Generated = NOTHING
    to: str = ""
    evidence: Evidence | None = None
    paths: PathAgreement | None = None

    @property
    def verdict(self) -> str:
        """What is recommended, and on which evidence, in one sentence."""
        return verdict_of(self)

    @property
    def severities(self) -> frozenset[Severity]:
        """Whether the replacement gives the same rows, was tried at all, and is refused."""
        found = {trial.severity for trial in self.decisive or self.trials} or {Severity.NOT_CHECKED}
        found |= set() if self.is_accepted else {Severity.REFUSED}
        return Severity.in_part(found, self.evidence is not None and self.evidence.batches.is_sample)

    @property
    def success(self) -> bool:
        """Whether to go on; see `is_accepted`."""
        return self.is_accepted

    def _short_report(self) -> Report:
        return self.to_report(SAMPLE)

    def to_report(self, sample: int | None = None) -> Report:
        """Return the report of the command line; `sample` is how many differences people see."""
        return report_of(self, sample)

    @property
    def is_checked(self) -> bool:
        """Whether it was tried on data."""
        return bool(self.trials)

    @property
    def decisive(self) -> tuple[Trial, ...]:
        """The trials of the recommended candidate."""
        return tuple(trial for trial in self.trials if trial.candidate == self.recommended)

    @property
    def is_equal(self) -> bool:
        """Whether the data shows no difference."""
        return bool(self.decisive) and all(trial.is_equal for trial in self.decisive)

    @property
    def is_accepted(self) -> bool:
        """Whether to go on: something is recommended, and it is equal, unchecked, or its differences are accepted."""
        if self.recommended is None or any(trial.refused is not None for trial in self.decisive):
            return False
        return not self.is_checked or self.is_equal or self.accepts_differences


def report_of(made: MigrateReport, sample: int | None) -> Report:
    """Report a migration; `sample` is how many differences to show, None for the default."""
    types = [one.value for one in made.plans] or [made.left.table_type.value]
    report = Report("migrate", made.verdict, made.severities, REPORTS if made.is_accepted else FAILS)
    after = None if made.evidence is None else made.evidence.course.upgrade_after
    asked = question_of(after)
    report.scenario = asked.scenario.format(after=after) if made.is_checked else ""
    report.next = (
        [] if made.is_accepted else next_steps("TABLE", made.to, made.left.payload, refused_by=made.left.release)
    )
    report.sides = made.decisive[0].names if made.decisive else None
    report.plan = plan_as_json(made.left) | {
        "table_type": types[0] if len(types) == 1 else "both",
        "from": str(made.left.release),
        "to": made.to,
        "upgrade_after": after,
        "keep_table_version": made.evidence is not None and made.evidence.course.keep_table_version,
    }
    report.statistics = {
        "rows_in": None if made.evidence is None else made.evidence.batches.rows_of(made.left),
        "checked": made.is_checked,
        "equal": made.is_equal,
        "accepted": made.is_accepted,
        "recommended": None if made.recommended is None else made.recommended.name,
        "candidates": [_trial_as_json(trial) for trial in made.trials],
    }
    report.results = [_result(made)]
    report.checks = [
        Check(f"{trial.candidate.name} ({trial.table_type.long_name})", trial.severity, _answer(trial))
        for trial in made.decisive
    ]
    told = [*(str(one) for plan in made.plans.values() for one in plan.warnings), *class_warnings(made.left)]
    tried = (trial.candidate.plan for trial in made.trials)
    report.warnings = [*dict.fromkeys(told), *recompiled_warnings(made.left, *tried)]
    limit = limit_of(sample, whole=True)
    if made.accepts_differences and any(trial.differing > limit for trial in made.decisive):
        report.warnings.append(f"only the first {limit} of the keys that differ are listed (--sample)")
    report.warnings += rule_warnings(made.generated)
    rule = by_rule(made.generated, made.left.release, made.recommended)
    report.body = [*_tried(made), *_differences(made, sample), *rule]
    if made.paths is not None:
        report.body += made.paths.told()
        report.statistics["paths"] = made.paths.as_json()
    report.warnings += [
        f"the data does not show it: {beside(one)}" for one in made.generated.matches if _hides(made, one)
    ]
    report.body += [*_settings(made), *_skeletons(made)] if made.is_accepted else []
    notes = [f"There is {note}." for note in made.generated.notes]
    report.body += [*notes, asked.ways] if made.is_checked else notes
    if made.evidence is not None:
        differing = {trial.table_type.long_name: trial.differing for trial in made.decisive}
        report_scope(report, made.evidence.batches, made.left, differing)
    return report


# -- the verdict


def verdict_of(made: MigrateReport) -> str:
    """Say what is recommended, and on which evidence."""
    left = f"{_short(made.left.payload_name)} of Hudi {made.left.release}"
    chosen = made.recommended
    if chosen is None:
        unchecked = "" if made.is_checked else "NOT CHECKED, and "
        return f"{unchecked}REFUSED: no replacement for {left}: {made.refused}."
    target = f"{chosen.name} of Hudi {chosen.plan.release}"
    if not made.is_checked:
        return (
            f"NOT CHECKED: {target} replaces {left}, but there is no data to test it on; "
            "give batches, and it is accepted only if a replay is equal."
        )
    batches = counted(len(made.decisive[0].counts), "batch", "batches")
    if made.is_equal:
        return (
            f"ACCEPTED: {target} gives the rows of {left} after each of {batches} "
            f"({_types(made.decisive)}); other data may show differences."
        )
    keys = ", ".join(f"{counted(trial.differing, 'key')} ({trial.table_type.value})" for trial in made.decisive)
    differing = f"differs from {left} in {keys} after the last of {batches}"
    if made.accepts_differences:
        return f"ACCEPTED WITH DIFFERENCES: {target} {differing}."
    told = f"The closest, {target}, {differing}. Accept the differences to continue."
    return f"REFUSED: no candidate gives the same rows. {told}"


def _types(trials: Sequence[Trial]) -> str:
    return " and ".join(trial.table_type.long_name for trial in trials)


def _short(name: str) -> str:
    return name.rpartition(".")[2] if name in SUCCESSORS else name


# -- what was tried


def _trial_as_json(trial: Trial) -> dict[str, object]:
    example = trial.example
    return {
        "name": trial.candidate.name,
        "table_type": trial.table_type.value,
        "sides": None if trial.names is None else sides_as_json(trial.names),
        "equal": trial.is_equal,
        "refused": trial.refused,
        "differing": trial.differing,
        "commits": [counts._asdict() for counts in trial.counts],
        "example": None if example is None else example._asdict() | {"difference": example.difference._asdict()},
    }


def _tried(made: MigrateReport) -> list[str | Table]:
    rows = [
        (one.candidate.name, one.table_type.value, _word(one), "" if one.example is None else _row(one.example))
        for one in made.trials
    ]
    reasons = {f"{one.candidate.name} is refused: {one.refused}" for one in made.trials if one.refused}
    table = Table(("candidate", "table", "answer", "smallest row"), rows, "Tried in this order")
    return [table, *sorted(reasons)] if rows else []


def _answer(trial: Trial) -> str:
    return _word(trial) if trial.refused is None else f"refused: {trial.refused}"


def _word(trial: Trial) -> str:
    if trial.refused is not None:
        return "refused"
    if trial.is_equal:
        return "equal"
    if trial.differing:
        return "1 key differs" if trial.differing == 1 else f"{trial.differing} keys differ"
    commits = [str(counts.commit) for counts in trial.counts if counts.total]
    return f"differs after batch {', '.join(commits)}, not at the end"


def _row(example: Example) -> str:
    """Say, in one line, how a row differs."""
    difference = example.difference
    key = ", ".join(f"{name}={value}" for name, value in difference.key.items())
    left, right = difference.left, difference.right
    if left is None:
        how = "a new row"
    elif right is None:
        how = "the row is missing"
    else:
        how = ", ".join(f"{name} {right[name]!r} (was {left[name]!r})" for name in difference.columns)
    return f"{key} after batch {example.commit}: {how}"


def _differences(made: MigrateReport, sample: int | None) -> list[str | Table]:
    """Show the smallest difference of the closest candidate; if differences are accepted, the keys too."""
    body: list[str | Table] = []
    for trial in made.decisive:
        if trial.is_equal or trial.example is None or trial.names is None:
            continue
        body += [f"{trial.candidate.name}, {trial.table_type.long_name}:", example_table(trial.example, trial.names)]
        shown = trial.differences[: SAMPLE if sample is None else sample]
        if shown:
            body.append(keys_table(shown, trial.differing, trial.names))
    return body


def _hides(made: MigrateReport, one: ModeMatch) -> bool:
    """Whether a mode that is recommended differs from the class where the data shows nothing."""
    return one.candidate == made.recommended and not one.is_whole and made.is_equal


# -- what to do


def _result(made: MigrateReport) -> dict[str, object]:
    chosen = made.recommended
    return {
        "recommended": None if chosen is None else chosen.name,
        "plans": {one.value: plan_result(plan) for one, plan in made.plans.items()},
        "new_tables": {one.value: dict(options) for one, options in made.new_tables.items()},
        "differences": [
            {"table_type": trial.table_type.value, **difference._asdict()}
            for trial in made.decisive
            for difference in trial.differences
        ],
        "skeletons": [skeleton._asdict() for skeleton in made.generated.mergers],
        "notes": list(made.generated.notes),
    }


def _settings(made: MigrateReport) -> list[str | Table]:
    body: list[str | Table] = []
    for one, plan in made.plans.items():
        if len(made.plans) > 1:
            body.append(f"A {one.long_name} table:")
        body += [*(silent_changes(plan) if not made.is_checked else []), *steps_body(plan)]
        if one in made.new_tables:
            lines = _create(made.new_tables[one]).splitlines()
            body += ["For a new table:", "\n".join(f"    {line}" for line in lines)]
    return body


def _create(options: Mapping[str, str]) -> str:
    lines = ",\n".join(f"  {literal(key)} = {literal(text)}" for key, text in options.items())
    return f"CREATE TABLE <table> (<columns>) USING hudi TBLPROPERTIES (\n{lines}\n)"


def _skeletons(made: MigrateReport) -> list[str | Table]:
    rows = [(one.path, one.releases, one.merger, one.by, one.strategy) for one in made.generated.mergers]
    table = Table(("file", "for Hudi", "merger", "by", "strategy id"), rows, "Generated mergers (--out writes them)")
    if not any(one.path.endswith(".java") and one.by.startswith("its rule") for one in made.generated.mergers):
        return [table] if rows else []
    return [table, "The mergers in Java state the same rule, but were not run: run their tests (mvn test) first."]


# -- files


def files_of(made: MigrateReport, report: Report) -> dict[str, str]:
    """Return the files of a migration that is accepted, by their names in a folder."""
    files = {"migration.md": f"{report.as_markdown()}\n", "migration.json": f"{report.as_json()}\n"}
    for one, plan in made.plans.items():
        files |= _plan_files(one.value, plan)
        if one in made.new_tables:
            files[f"{one.value}/create.sql"] = f"{_create(made.new_tables[one])}\n"
    return files | {skeleton.path: skeleton.text for skeleton in made.generated.mergers} | {**made.generated.tests}


def _plan_files(prefix: str, plan: MigrationPlan) -> dict[str, str]:
    steps = {"apply": plan.apply, "undo": plan.undo}
    return {
        f"{prefix}/hoodie.properties": format_properties(plan.after),
        **{f"{prefix}/{name}.txt": "\n".join(map(step_text, own)) + "\n" for name, own in steps.items() if own},
    }
