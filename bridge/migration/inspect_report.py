"""The result of `inspect`: settings and their sources, what decides at each merge point, findings."""

from __future__ import annotations

import collections
import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from bridge.compare import name_class, next_steps, read_all
from bridge.migration.findings import findings_as_json, short, worst_first
from bridge.migration.move_finding import move_findings
from bridge.report import REPORTS, Judged, Report, Severity, Table

if TYPE_CHECKING:
    from typing_extensions import Self

    from bridge.config import DeprecatedKey, EffectiveMergeConfig, Setting
    from bridge.migration.damage import TableDamage
    from bridge.migration.findings import Finding
    from bridge.migration.plan_report import MigrationPlan
    from bridge.report import NextStep

_PLACES = {
    "dedup": "duplicates of a batch",
    "merge": "copy-on-write merge",
    "read": "query and compaction",
}


class CodePlace(enum.Enum):
    """Where the code of a payload class is."""

    PORT = "port"
    PYTHON = "Python"
    JAR = "jar"
    UNNAMED = "not named"
    UNKNOWN = "unknown"


class PayloadClass(NamedTuple):
    """A payload class that a table or a writer names.

    Attributes:
        name: its name.
        side: `table`, `writer` or `default`.
        found: where its code is.
        reason: why there is none; empty if there is.
    """

    name: str
    side: str
    found: CodePlace
    reason: str = ""


@dataclass(frozen=True, repr=False)
class Inspection(Judged):
    """The result of `inspect`.

    Attributes:
        config: the effective merge configuration.
        settings: every setting with its sources.
        deprecated: properties that the release deprecates.
        payloads: the classes that the table and the writer name.
        risks: what is wrong with the settings, the worst first.
        damage: what is visible in the timeline and the rows of the table; None where they were not read.
        unlinked: why a compiled payload class can't run under the release; None if it can, or has no jar.
        move: what an upgrade to the release changes; None where the release is the one that has written the table.
        writer_known: whether it is known which release has written the table until now.
    """

    fails = REPORTS

    config: EffectiveMergeConfig
    settings: tuple[Setting, ...]
    deprecated: tuple[DeprecatedKey, ...]
    payloads: tuple[PayloadClass, ...]
    risks: tuple[Finding, ...]
    damage: TableDamage | None = None
    unlinked: str | None = None
    move: MigrationPlan | None = None
    writer_known: bool = True

    def with_damage(self, damage: TableDamage) -> Self:
        """Return the inspection with what `find_damage` found."""
        move = None if self.move is None else self.move.with_evidence(damage)
        return replace(self, damage=damage, move=move)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What is wrong or changes, the worst first: by the settings, in the rows, for new batches after a move.

        Of the rows, those that the release of the inspection shows come before those of other releases.
        """
        asked = str(self.config.release)
        unsorted = () if self.damage is None else self.damage.findings
        found = sorted(unsorted, key=lambda one: one.example is not None and one.example["about"] != asked)
        return worst_first([*self.risks, *found, *move_findings(self.move, sure=self.writer_known)])

    @property
    def severities(self) -> frozenset[Severity]:
        """Those of the warnings, and whether all rows were looked at."""
        is_seen = self.damage is not None and self.damage.is_whole
        seen = Severity.UNCHANGED if is_seen else Severity.NOT_CHECKED
        return frozenset({seen, *(one.severity for one in self.warnings)})

    @property
    def verdict(self) -> str:
        """How the table merges and the most severe finding, in one sentence."""
        return verdict_of(self)

    def to_report(self) -> Report:
        """Return the report of the command line, without its settings."""
        return report_inspection(self, {})


def report_inspection(inspection: Inspection, settings: dict[str, object]) -> Report:
    """Report how a table merges; `settings` are those that the user gave."""
    result = {
        "settings": [
            {
                "name": setting.name,
                "value": setting.value,
                "source": None if setting.source is None else setting.source._asdict(),
                "others": [source._asdict() for source in setting.others],
            }
            for setting in inspection.settings
        ],
        "rules": {
            name: {"mode": None if rule.mode is None else rule.mode.name, "payload": rule.payload, "why": rule.why}
            for name, rule in inspection.config.rules
        },
        "deprecated": [key._asdict() for key in inspection.deprecated],
        "payloads": [one._asdict() | {"found": one.found.value} for one in inspection.payloads],
        "warnings": findings_as_json(inspection.warnings),
    }
    if inspection.damage is not None:
        result["damage"] = inspection.damage.to_json()
    counts = collections.Counter(warning.severity for warning in inspection.warnings)
    return Report(
        "inspect",
        verdict_of(inspection),
        inspection.severities,
        inspection.fails,
        plan=settings,
        releases=[inspection.config.release],
        statistics={severity.value: counts[severity] for severity in Severity},
        results=[result],
        warnings=[str(warning) for warning in inspection.warnings],
        body=_body(inspection),
        next=_next(inspection),
    )


def _next(inspection: Inspection) -> list[NextStep]:
    """Return what to run next, where something changes or was not looked at."""
    if inspection.severities == {Severity.UNCHANGED}:
        return []
    damage, to = inspection.damage, str(inspection.config.release)
    path, payload = ("TABLE", None) if damage is None else (damage.path, damage.payload)
    if damage is not None and damage.lacks_class:
        return [name_class("inspect", path, "--release", to, payload=payload)]
    is_refused = Severity.REFUSED in inspection.severities
    is_sample = damage is not None and damage.is_sample
    seen = [read_all("inspect", path, "--release", to, payload=payload)] if is_sample else []
    if inspection.move is None and not is_refused:
        return seen
    own = inspection.config.release if inspection.move is None else inspection.move.from_release
    return [*seen, *next_steps(path, to, payload, refused_by=own if is_refused else None)]


def verdict_of(inspection: Inspection) -> str:
    """Say how the table merges, and which finding is the most severe."""
    read = inspection.config.read
    by = read.mode.name if read.mode is not None else "payload classes only"
    if not inspection.warnings:
        damage = inspection.damage
        if damage is None:
            return f"This table merges by {by}; no findings in the settings, and no files were read."
        if not damage.is_whole:
            return f"This table merges by {by}; not everything was checked, and nothing was found {damage.extent}."
        return f"This table merges by {by}; no findings {damage.extent}."
    return f"This table merges by {by}. Most severe finding: {inspection.warnings[0].text}."


def _body(inspection: Inspection) -> list[str | Table]:
    shown = [setting for setting in inspection.settings if setting.value is not None or setting.others]
    body: list[str | Table] = [
        Table(
            ("setting", "value", "source", "without effect"),
            [
                (
                    setting.name,
                    short(setting.value or "none"),
                    short(str(setting.source or "")),
                    ", ".join(
                        f"{source}={short(source.value)}" for source in setting.others if source.value != setting.value
                    ),
                )
                for setting in shown
            ],
            "Settings in effect",
        ),
        Table(
            ("where", "mode", "payload class", "reason"),
            [
                (
                    _PLACES[name],
                    "none" if rule.mode is None else rule.mode.name,
                    short(rule.payload or "none"),
                    rule.why,
                )
                for name, rule in inspection.config.rules
            ],
            "What decides at each merge point",
        ),
    ]
    if inspection.payloads:
        rows = [(short(one.name), one.side, one.found.value) for one in inspection.payloads]
        body.append(Table(("payload class", "named by", "code"), rows, "Payload classes"))
    if inspection.deprecated:
        rows = [(key.key, key.side, key.instead) for key in inspection.deprecated]
        body.append(Table(("property", "set by", "instead"), rows, "Deprecated properties"))
    damage = inspection.damage
    if damage is not None:
        body.append(damage.table() if damage.damage else f"No damage was found {damage.extent}.")
    return body
