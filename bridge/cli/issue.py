"""`payload-bridge demo --issue N`: a known issue of Apache Hudi, reproduced for each table and release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.demo import ISSUES, Issue, answers, violation
from bridge.report import Report, Table, json_record
from mergers.laws import laws_named

if TYPE_CHECKING:
    from bridge.demo import IssueAnswer

issue_option = click.option(
    "--issue",
    type=click.Choice([str(number) for number in sorted(ISSUES)]),
    metavar="N",
    help=f"Reproduce a known issue of apache/hudi instead: {', '.join(map(str, sorted(ISSUES)))}.",
    callback=lambda _context, _option, value: None if value is None else int(value),
)


def report_of_issue(number: int) -> Report:
    """Run the scenario of an issue of apache/hudi."""
    issue = ISSUES[number]
    found = answers(issue)
    letters = _Letters(issue)
    matrices = [table for payload in issue.payloads for table in _matrices(payload, found, letters)]
    kinds = "one result" if len(letters.texts) == 1 else f"{len(letters.texts)} different results"
    report = Report(
        "demo", f"apache/hudi #{number}, {issue.title}: {kinds} from the same batches on {len(found)} paths."
    )
    report.plan = {"issue": number, "payload": issue.payloads[0], "key": ["id"], "ordering": [issue.ordering]}
    report.statistics = {"paths": len(found), "distinct_answers": len(letters.texts), "law": issue.example.law}
    report.results = [
        {**answer._asdict(), "rows": [json_record(row, issue.schema) for row in answer.rows]} for answer in found
    ]
    batches = [{"batch": commit, **row} for commit, batch in enumerate(issue.batches, start=1) for row in batch]
    report.body = [
        f"Reported: {issue.reported}",
        f"Shown here: {issue.shown}",
        Table.of_rows(tuple(batches[0]), batches, "The batches; an upgrade happens after the first"),
        *matrices,
        letters.table(),
        *_law(issue, report),
    ]
    return report


class _Letters:
    """Labels each result with a letter."""

    def __init__(self, issue: Issue) -> None:
        self._issue = issue
        self.texts: list[tuple[str, ...]] = []

    def of(self, answer: IssueAnswer) -> str:
        """Return the letter of a result."""
        text = _rows(self._issue, answer)
        if text not in self.texts:
            self.texts.append(text)
        return chr(ord("A") + self.texts.index(text))

    def table(self) -> Table:
        """Return the rows of each letter."""
        lines = [(chr(ord("A") + at), "\n".join(text)) for at, text in enumerate(self.texts)]
        return Table(("result", ", ".join(self._issue.fields)), lines, "The final rows")


def _matrices(payload: str, found: list[IssueAnswer], letters: _Letters) -> list[Table]:
    """Return the tables of one release, and those that another takes over, with the letters of the results."""
    own = [answer for answer in found if answer.payload == payload]
    alone = [answer for answer in own if answer.new is None]
    taken = [answer for answer in own if answer.new is not None]
    return [
        _matrix(alone, f"{payload}: results by table and Hudi release", letters),
        _matrix(taken, f"{payload}: results for tables that 1.2 takes over, by the release that created them", letters),
    ]


def _matrix(found: list[IssueAnswer], title: str, letters: _Letters) -> Table:
    cells: dict[str, dict[str, str]] = {}
    for answer in found:
        cells.setdefault(answer.table, {})[answer.release] = letters.of(answer)
    releases = list(dict.fromkeys(answer.release for answer in found))
    lines = [(table, *(line[release] for release in releases)) for table, line in cells.items()]
    return Table(("table", *releases), lines, title)


def _rows(issue: Issue, answer: IssueAnswer) -> tuple[str, ...]:
    if answer.error is not None:
        return (f"error: {answer.error}",)
    shown = (json_record(row, issue.schema).values() for row in answer.rows)
    return tuple(", ".join("null" if value is None else str(value) for value in row) for row in shown) or ("no rows",)


def _law(issue: Issue, report: Report) -> list[str | Table]:
    """Check the class against the law under each release, and show the first counterexample."""
    verdicts, shown = [], None
    for release in issue.releases(issue.payloads[0]):
        counterexample = violation(issue, release)
        verdicts.append({"release": str(release), "verdict": "holds" if counterexample is None else "violated"})
        shown = shown or counterexample
    report.statistics["law_by_release"] = {one["release"]: one["verdict"] for one in verdicts}
    law = laws_named([issue.example.law])[0]
    title = f"A law for {issue.payloads[0]} on the versions below: {law.id}, {law.statement}"
    told: list[str | Table] = [Table.of_rows(("release", "verdict"), verdicts, title)]
    if shown is not None:
        told.append("\n".join((*shown.lines(), f"That is: {law.meaning}.")))
    return told
