"""The result of `inspect`: settings and their sources, what decides at each merge point, findings."""

from __future__ import annotations

import collections
import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from bridge.migration.findings import Severity, findings_as_json, short, worst_first
from bridge.report import Report, Showable, Table

if TYPE_CHECKING:
    from bridge.config import DeprecatedKey, EffectiveMergeConfig, Setting
    from bridge.migration.damage import TableDamage
    from bridge.migration.findings import Finding

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
class Inspection(Showable):
    """The result of `inspect`.

    Attributes:
        config: the effective merge configuration.
        settings: every setting with its sources.
        deprecated: properties that the release deprecates.
        payloads: the classes that the table and the writer name.
        warnings: what is wrong, the worst first.
        damage: what is visible in the timeline and the rows of the table; None where they were not read.
        unlinked: why a compiled payload class can't run under the release; None if it can, or has no jar.
    """

    config: EffectiveMergeConfig
    settings: tuple[Setting, ...]
    deprecated: tuple[DeprecatedKey, ...]
    payloads: tuple[PayloadClass, ...]
    warnings: tuple[Finding, ...]
    damage: TableDamage | None = None
    unlinked: str | None = None

    def with_damage(self, damage: TableDamage) -> Self:
        """Return the inspection with the warnings of `find_damage`."""
        return replace(self, warnings=worst_first([*self.warnings, *damage.findings]), damage=damage)

    @property
    def verdict(self) -> str:
        """How the table merges and the most severe finding, in one sentence."""
        return verdict_of(self)

    def to_report(self) -> Report:
        """Return the report of the command line, without its settings."""
        return report_inspection(self, {})

    def to_json(self) -> str:
        """Return the JSON of `payload-bridge inspect`, without the settings of the command line."""
        return self.to_report().as_json()


def report_inspection(inspection: Inspection, settings: dict[str, Any]) -> Report:
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
        plan=settings,
        statistics={severity.value: counts[severity] for severity in Severity},
        results=[result],
        warnings=[str(warning) for warning in inspection.warnings],
        body=_body(inspection),
        warns=not _is_quiet(inspection),
    )


def _is_quiet(inspection: Inspection) -> bool:
    """Whether all was looked at, and nothing found that needs more than advice."""
    is_seen = inspection.damage is not None and inspection.damage.is_whole
    return is_seen and all(one.severity is Severity.ADVICE for one in inspection.warnings)


def verdict_of(inspection: Inspection) -> str:
    """Say how the table merges, and which finding is the most severe."""
    read = inspection.config.read
    by = read.mode.name if read.mode is not None else "payload classes only"
    if not inspection.warnings:
        damage = inspection.damage
        where = "in the settings; no file was looked at" if damage is None else damage.extent
        return f"This table merges by {by}; no findings {where}."
    return f"This table merges by {by}; most severe finding: {inspection.warnings[0]}."


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
        body.append(damage.table() if damage.damage else f"No damage is visible {damage.extent}.")
    return body
