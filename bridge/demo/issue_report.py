"""The result of a known issue of Apache Hudi, reproduced for each table and release."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from bridge.demo.issue import Issue, answers, violation
from bridge.demo.issues import ISSUES
from bridge.report import Report, Showable, Table, json_record
from mergers.laws import laws_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bridge.demo.issue import IssueAnswer
    from mergers.laws import Counterexample
    from payloads import HudiRelease


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class IssueReport(Showable):
    """What `reproduce` answers.

    Attributes:
        number: of the issue of apache/hudi.
        answers: the rows at the end of each path.
        violations: how the class violates the law that the issue is about, by release; None where the law holds. Empty
            if it is about no law.
    """

    number: int
    answers: tuple[IssueAnswer, ...]
    violations: Mapping[HudiRelease, Counterexample | None]

    @property
    def issue(self) -> Issue:
        """The issue."""
        return ISSUES[self.number]

    @property
    def verdict(self) -> str:
        """How many results the same batches have, in a sentence."""
        results = len({_rows(self.issue, answer) for answer in self.answers})
        kinds = "one result" if results == 1 else f"{results} different results"
        title = f"apache/hudi #{self.number}, {self.issue.title}"
        return f"{title}: {kinds} from the same batches on {len(self.answers)} paths."

    def to_report(self) -> Report:
        """Return the report of the command line."""
        issue, letters = self.issue, _Letters(self.issue)
        matrices = [table for payload in issue.payloads for table in _matrices(payload, self.answers, letters)]
        report = Report("demo", self.verdict)
        report.plan = {
            "issue": self.number,
            "payload": issue.payloads[0],
            "key": ["id"],
            "ordering": [issue.ordering],
        }
        report.statistics = {"paths": len(self.answers), "distinct_answers": len(letters.texts), "law": None}
        if issue.example is not None:
            verdicts = {str(one): "violated" if found else "holds" for one, found in self.violations.items()}
            report.statistics |= {"law": issue.example.law, "law_by_release": verdicts}
        report.results = [
            {**answer._asdict(), "rows": [json_record(row, issue.schema) for row in answer.rows]}
            for answer in self.answers
        ]
        batches = [{"batch": commit, **row} for commit, batch in enumerate(issue.batches, start=1) for row in batch]
        report.body = [
            f"Reported: {issue.reported}",
            f"Shown here: {issue.shown}",
            *_options(issue),
            Table.of_rows(tuple(batches[0]), batches, _title(issue)),
            *matrices,
            letters.table(),
            *self._law(),
        ]
        return report

    def _law(self) -> list[str | Table]:
        """Return the verdict on the law under each release, and the first counterexample."""
        issue = self.issue
        if issue.example is None:
            return []
        law = laws_named([issue.example.law])[0]
        title = f"A law for {issue.payloads[0]} on the versions below: {law.id}, {law.statement}"
        lines = [(str(one), "violated" if found else "holds") for one, found in self.violations.items()]
        shown = next((found for found in self.violations.values() if found is not None), None)
        example = [] if shown is None else ["\n".join((*shown.lines(), f"That is: {law.meaning}."))]
        return [Table(("release", "verdict"), lines, title), *example]


def reproduce(issue: int) -> IssueReport:
    """Run the scenario of an issue of Hudi, and check its class against its law.

    Args:
        issue: reproduce a known issue of apache/hudi, by its number.
    """
    known = ISSUES[issue]
    releases = () if known.example is None else known.releases(known.payloads[0])
    return IssueReport(issue, tuple(answers(known)), {one: violation(known, one) for one in releases})


def _title(issue: Issue) -> str:
    """Return the title of the batches: how they are written, and when a table is upgraded."""
    if not issue.operations and not issue.partition:
        return "The batches; an upgrade happens after the first"
    named = [f"batch {number} by {operation.value}" for number, operation in issue.operations.items()]
    return f"The batches; {', '.join(named) or 'all upserted'}"


def _options(issue: Issue) -> list[str]:
    options = ", ".join(f"{name}={text}" for name, text in issue.props.items())
    statement = [f"The statement: {issue.statement}"] if issue.statement else []
    return statement + ([f"Options of the writer: {options}"] if options else [])


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


def _matrices(payload: str, found: Sequence[IssueAnswer], letters: _Letters) -> list[Table]:
    """Return the tables of one release and those of upgrades, with the letters of the results."""
    own = [answer for answer in found if answer.payload == payload]
    alone = [answer for answer in own if answer.new is None]
    taken = [answer for answer in own if answer.new is not None]
    title = f"{payload}: results for tables upgraded to 1.2, by the release that created them"
    found_alone = _matrix(alone, f"{payload}: results by table and Hudi release", letters)
    return [found_alone, *([_matrix(taken, title, letters)] if taken else [])]


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
