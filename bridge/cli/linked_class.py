"""What `payload-bridge payloads CLASS --jar` reports: the releases that a class links to, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.linkage import TABULATED, links_to
from bridge.report import Check, Report, Severity, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bridge.linkage import DeadOverride, Fault, Linkage
    from bridge.report import JsonObject
    from payloads import HudiRelease


def report_links(name: str, jar: Sequence[str], release: HudiRelease | None) -> Report:
    """Report how a class links to each release; success is that of `release`, if one is asked for.

    Raises:
        PayloadNotFoundError: no jar has the class, or one can't be read.
    """
    found = links_to(name, jar)
    report = Report("payloads", _verdict(name, found, release))
    report.fails = {Severity.REFUSED}
    if release is not None:
        asked = found.get(release)
        report.found(Severity.NOT_CHECKED if asked is None else _severity(asked))
    report.plan = {"class": name, "jars": list(jar), "release": None if release is None else str(release)}
    report.statistics = {
        "links": [str(one) for one, linkage in found.items() if linkage.links],
        "fails": [str(one) for one, linkage in found.items() if not linkage.links],
    }
    report.results = [_as_json(linkage) for linkage in found.values()]
    report.checks = [
        Check(f"{name} under Hudi {one}", _severity(linkage), linkage.refusal or "") for one, linkage in found.items()
    ]
    shown = found if release is None or release not in found else {release: found[release]}
    rows = [(str(one), *_answer(linkage)) for one, linkage in found.items()]
    report.body = [Table(("Hudi", "answer", "overrides never called"), rows), *_faults(shown), *_dead(shown)]
    advice = dict.fromkeys(text for linkage in shown.values() for text in linkage.advice)
    report.body += [f"{text}." for text in advice]
    if release is not None and release not in found:
        report.warnings.append(
            f"the class was not checked against Hudi {release}, whose classes are not tabulated; the oldest "
            f"tabulated release is {TABULATED[0]}"
        )
    return report


def _severity(linkage: Linkage) -> Severity:
    return Severity.REFUSED if not linkage.links else Severity.CHANGED if linkage.dead else Severity.UNCHANGED


def _verdict(name: str, found: Mapping[HudiRelease, Linkage], release: HudiRelease | None) -> str:
    if release in found and release is not None:
        return f"{found[release].refusal or f'{name} links to Hudi {release}'}{_dead_in(found[release])}."
    good = [str(one) for one, linkage in found.items() if linkage.links]
    bad = [str(one) for one, linkage in found.items() if not linkage.links]
    dead = [str(one) for one, linkage in found.items() if linkage.links and linkage.dead]
    parts = [f"{name} links to Hudi {_and(good)}" if good else f"{name} links to no release"]
    parts += [f"it does not link to {_and(bad)}"] if bad and good else []
    parts += [f"under {_and(dead)} some of its overrides are never called"] if dead else []
    return f"{'; '.join(parts)}."


def _dead_in(linkage: Linkage) -> str:
    return "" if not linkage.dead else f"; {'; '.join(map(str, linkage.dead))}"


def _answer(linkage: Linkage) -> tuple[str, str]:
    number = len(linkage.breaking)
    answer = "links" if not number else f"does not link: {number} fault{'' if number == 1 else 's'}"
    return answer, ", ".join(dead.method for dead in linkage.dead) or "none"


def _faults(found: Mapping[HudiRelease, Linkage]) -> list[Table]:
    """Return what the class lacks, each with its releases."""
    grouped: dict[tuple[str, ...], dict[HudiRelease, str]] = {}
    for release, linkage in found.items():
        for fault in linkage.faults:
            line = (fault.text, fault.error, fault.where, _reach(fault))
            grouped.setdefault(line, {})[release] = fault.instead
    rows = []
    for (text, error, where, reach), advice in grouped.items():
        instead = next(filter(None, reversed(advice.values())), "")
        rows.append((_span(advice), text, error, where, reach, instead))
    columns = ("Hudi", "what is wrong", "error", "where", "when", "instead")
    return [Table(columns, rows, "What the class needs but the release lacks")] if rows else []


def _reach(fault: Fault) -> str:
    if fault.is_caught:
        return "it runs, and the class catches the error"
    return "it runs in a merge" if fault.is_reached else "it runs, but no merge reaches it"


def _dead(found: Mapping[HudiRelease, Linkage]) -> list[Table]:
    grouped: dict[DeadOverride, list[HudiRelease]] = {}
    for release, linkage in found.items():
        for dead in linkage.dead:
            grouped.setdefault(dead, []).append(release)
    rows = [
        (_span(releases), f"{dead.user_class}.{dead.method}", _span(dead.alive), ", ".join(dead.called) or "nothing")
        for dead, releases in grouped.items()
    ]
    columns = ("Hudi", "never called", "called in", "runs instead")
    return [Table(columns, rows, "Overrides that override nothing")] if rows else []


def _as_json(linkage: Linkage) -> JsonObject:
    return {
        "release": str(linkage.release),
        "links": linkage.links,
        "refusal": linkage.refusal,
        "faults": [fault._asdict() | {"lines": list(fault.lines), "breaks": fault.breaks} for fault in linkage.faults],
        "dead": [
            dead._asdict() | {"alive": [str(one) for one in dead.alive], "called": list(dead.called)}
            for dead in linkage.dead
        ],
        "advice": list(linkage.advice),
    }


def _span(releases: Iterable[HudiRelease]) -> str:
    return ", ".join(map(str, releases))


def _and(texts: Sequence[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last
