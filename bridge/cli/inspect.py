"""`payload-bridge inspect`: the merge settings in effect for a table, where each comes from, and which are risky."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import click

from bridge.cli.job_config import job_of, job_table
from bridge.cli.options import release_option
from bridge.cli.table import properties_of, table_options, writer_of
from bridge.cli.verb import Verb
from bridge.migration import Inspection, Severity, findings_as_json, short
from bridge.migration import inspect as inspect_table
from bridge.report import Report, Table
from payloads import HudiRelease

if TYPE_CHECKING:
    from pathlib import Path

_PLACES = {
    "dedup": "duplicates of a batch",
    "merge": "copy-on-write merge",
    "read": "query and compaction",
}


@click.command(cls=Verb, short_help="Show the merge settings in effect for a table, and which are risky.")
@table_options
@release_option(default=HudiRelease.latest().value, show_default=True)
@click.option("--jar", metavar="FILE", help="A jar with compiled payload classes.")
@click.option("--package", multiple=True, metavar="COORDINATE", help="Maven coordinates of compiled payload classes.")
def inspect(table: Path, release: HudiRelease, jar: str | None, package: tuple[str, ...], **options: Any) -> Report:
    """Show the effective merge configuration of a table, and the source of each setting.

    TABLE is the folder of a Hudi table, PROPERTIES its hoodie.properties, or a properties file with the TBLPROPERTIES
    of a table that does not exist yet. Name the class that the writer passes with --payload: tables of Hudi 0.15 may
    not store it. Warnings go to standard error, the most severe first.

    Example: payload-bridge inspect warehouse/orders --payload AWSDmsAvroPayload --release 1.2
    """
    writer = writer_of(release=release, **options)
    inspection = inspect_table(properties_of(table, release), writer, release, jar=jar, package=package)
    report = _report(inspection, {"table": str(table), "release": str(release), "writer": writer})
    if options["config"] is not None:
        job = job_of(options["config"], release)
        report.results[0]["config"] = [one._asdict() for one in job.settings]
        report.body.append(job_table(options["config"], job))
    return report


def _report(inspection: Inspection, plan: dict[str, Any]) -> Report:
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
    counts = collections.Counter(warning.severity for warning in inspection.warnings)
    return Report(
        "inspect",
        _verdict(inspection),
        plan=plan,
        statistics={severity.value: counts[severity] for severity in Severity},
        results=[result],
        warnings=[str(warning) for warning in inspection.warnings],
        body=_body(inspection),
    )


def _verdict(inspection: Inspection) -> str:
    read = inspection.config.read
    by = read.mode.name if read.mode is not None else "payload classes only"
    if not inspection.warnings:
        return f"This table merges by {by}; no findings."
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
    return body
