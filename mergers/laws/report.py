"""What a check found: verdicts, counterexamples, and the report of both."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.bounds import plain_ordering
from mergers.laws.core import NAMES, Domain, Equation, Law, Operands, mentions_row
from mergers.laws.equality import Failed, Observed
from mergers.laws.from_rules import RuleVerdict
from mergers.laws.notebook import law_headline, law_html
from payloads.errors import PayloadBridgeError
from payloads.user import error_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mergers.laws.bounds import Bounds
    from mergers.laws.from_rules import Ruling
    from payloads.avro import AvroSchema


_MOST_ERROR: Final = 500


class Verdict(enum.Enum):
    """The verdict on a law in a domain.

    `HOLDS` claims no more than its detail says: no counterexample among the examples that were drawn. `PROVED` covers
    all rows where the rule of the class proves the law, else the listed values and no others. `NOT_TRIED` takes its
    place where a column that the class reads never varied.
    """

    HOLDS = "holds"
    PROVED = "proved"
    VIOLATED = "violated"
    NOT_CHECKED = "not-checked"
    NOT_TRIED = "not-tried"
    NOT_APPLICABLE = "not-applicable"


UNDECIDED: Final = (Verdict.NOT_CHECKED, Verdict.NOT_TRIED)
"""The verdicts that leave a law open, which is not good enough for a check to succeed."""


class LawViolationError(PayloadBridgeError, AssertionError):
    """A merge breaks a law; the message shows the smallest operands that were found, in several lines."""

    __str__ = AssertionError.__str__


class LawNotCheckedError(PayloadBridgeError, AssertionError):
    """A law is neither violated nor shown to hold; the message says why, in several lines."""

    __str__ = AssertionError.__str__


class MergeStep(NamedTuple):
    """One merge of a side: the expression as text, and its result."""

    text: str
    answer: Any


class Counterexample(NamedTuple):
    """Operands on which the two sides of an equation differ.

    Attributes:
        equation: the two sides as expressions.
        operands: the stored row and the versions.
        left: the merges of the left side, its result last.
        right: the same for the right side.
        cause: what changes the result, in a sentence, if a merge is not deterministic and the cause was found.
    """

    equation: Equation
    operands: Operands
    left: tuple[MergeStep, ...]
    right: tuple[MergeStep, ...]
    cause: str = ""

    @property
    def records(self) -> int:
        """How many versions and stored rows it takes."""
        return len(self.operands.versions) + (self.operands.row is not None)

    def lines(self) -> Iterator[str]:
        """Write the operands, then both sides."""
        if self.speaks_of_row:
            yield f"s = {_row_text(self.operands.row)}"
        for name, version in zip(NAMES, self.operands.versions, strict=False):
            yield f"{name} = {_version_text(*version)}"
        for side in (self.left, self.right):
            yield f"{side[-1].text} = {answer_text(side[-1].answer)}"
        if self.cause:
            yield self.cause

    @property
    def speaks_of_row(self) -> bool:
        """Whether the stored row is involved."""
        return any(mentions_row(side) for side in self.equation)


@dataclass(frozen=True, slots=True)
class LawResult:
    """The verdict on one law in one domain.

    Attributes:
        law: the law.
        domain: the domain.
        verdict: what is known.
        cases: how many operands were tried.
        detail: the bounds of a proof, or why a law does not apply or was not checked further.
        counterexample: the smallest that was found.
        ruling: what the rule of the class says of the law; None where it states none, or no rule can say it.
    """

    law: Law
    domain: Domain
    verdict: Verdict
    cases: int = 0
    detail: str = ""
    counterexample: Counterexample | None = None
    ruling: Ruling | None = None

    @property
    def for_all_rows(self) -> bool:
        """Whether the rule proves the law: for all rows, not only for the values that were tried."""
        proved = self.ruling is not None and self.ruling.outcome is RuleVerdict.HOLDS
        return proved and self.verdict is Verdict.PROVED

    @property
    def mostly_fails(self) -> bool:
        """Whether the law was not checked because most merges fail."""
        return self.verdict is Verdict.NOT_CHECKED and " fail, most with " in self.detail

    @property
    def failure(self) -> Exception | None:
        """The error of a merge, if one side of the counterexample fails."""
        found = self.counterexample
        answers = () if found is None else [step.answer for step in (*found.left, *found.right)]
        return next((answer.error for answer in answers if isinstance(answer, Failed)), None)

    @property
    def contradiction(self) -> str:
        """What the rule says and the class does not do, which is an error of this project; empty if they agree."""
        if self.ruling is None:
            return ""
        why = self.ruling.refuted
        if self.ruling.outcome is RuleVerdict.HOLDS and self.verdict is Verdict.VIOLATED:
            why = "by its rule it holds for all rows, but a counterexample was found"
        return f"{self.law.id} [{self.domain.value}]: {why}" if why else ""

    @property
    def basis(self) -> str:
        """What the verdict rests on: the rule, with its reason, then what was tried."""
        if self.ruling is None or self.ruling.outcome is RuleVerdict.UNDECIDED:
            return self.detail
        if self.for_all_rows:
            return f"for all rows, by its rule: {self.ruling.reason}; tried, too: {self.detail}"
        return f"by its rule: {self.ruling.reason}; tried: {self.detail}" if self.detail else self.ruling.reason

    @property
    def line(self) -> str:
        """The result in one line; what was only drawn at random is not said to hold."""
        head = f"{self.law.id} [{self.domain.value}]:"
        if self.verdict is Verdict.HOLDS:
            return f"{head} {self.basis}"
        if self.verdict is Verdict.NOT_TRIED:
            return f"{head} not tried: {self.detail}"
        return f"{head} {self.verdict.value}" + (f" ({self.basis})" if self.basis else "")

    @property
    def brief(self) -> str:
        """The violation in one line: the law, both sides, and the operands; empty if there is none."""
        found = self.counterexample
        if found is None:
            return ""
        *operands, left, right = (line for line in found.lines() if line != found.cause)
        return f"{self.law.id}: {left}, but {right}, where {', '.join(operands)}"

    def __str__(self) -> str:
        if self.counterexample is None:
            return self.line
        return "\n".join((self.line, *(f"  {line}" for line in self.counterexample.lines()), f"  {self.law.meaning}"))


@dataclass(frozen=True, slots=True)
class LawReport:
    """The verdicts of one check.

    Attributes:
        subject: what was checked.
        seed: reproduces the check.
        results: one per law and domain.
        schema: the schema of the records.
        bounds: what a proof covers, for each domain in which a law is proved.
    """

    subject: str
    seed: int
    results: tuple[LawResult, ...]
    schema: AvroSchema
    bounds: Mapping[Domain, Bounds] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether no law is violated."""
        return not self.violations

    @property
    def violations(self) -> tuple[LawResult, ...]:
        """The violated laws."""
        return tuple(result for result in self.results if result.verdict is Verdict.VIOLATED)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """The laws on which the class and its rule disagree, which is an error of this project."""
        return tuple(found for result in self.results if (found := result.contradiction))

    @property
    def unchecked(self) -> tuple[LawResult, ...]:
        """The laws that could not be checked, or not in every column; their details say why."""
        return tuple(result for result in self.results if result.verdict in UNDECIDED)

    def result(self, law: str, domain: str | Domain) -> LawResult:
        """Return the result of the law with this id in a domain.

        Raises:
            LookupError: it was not checked.
        """
        for result in self.results:
            if result.law.id == law and result.domain is Domain(domain):
                return result
        msg = f"{law} was not checked in the domain {domain}"
        raise LookupError(msg)

    def raise_if_violated(self) -> None:
        """Raise if a law is violated.

        Raises:
            LawViolationError: one is, or the class and its rule disagree.
        """
        __tracebackhide__ = True  # pytest then shows the test, not this
        if not self.ok or self.contradictions:
            first = [one.brief for one in self.violations if one.brief][:1]  # the line that pytest's summary shows
            known = map(contradiction_text, self.contradictions)
            head = (*first, *known, f"{self.subject}, seed {self.seed}")
            raise LawViolationError("\n".join((*head, *map(str, self.violations))))

    def raise_if_unchecked(self) -> None:
        """Raise if a law could not be checked.

        Raises:
            LawNotCheckedError: one could not.
        """
        __tracebackhide__ = True
        if self.unchecked:
            lines = (result.line for result in self.unchecked)
            raise LawNotCheckedError("\n".join((f"{self.subject}, seed {self.seed}", *lines)))

    def __str__(self) -> str:
        judged = [str(result) for result in self.results if result.verdict is not Verdict.NOT_APPLICABLE]
        errors = map(contradiction_text, self.contradictions)
        return "\n".join((f"{self.subject}, seed {self.seed}", *errors, *judged, *self.left_out, *self.reach))

    def __repr__(self) -> str:
        return f"<LawReport: {law_headline(self.subject, self.seed, self.results)}>"

    def _repr_html_(self) -> str:
        return law_html(self.subject, self.seed, self.results)

    @property
    def left_out(self) -> list[str]:
        """The laws that do not apply, in one line; no line if all do."""
        by_reason: dict[tuple[str, str], list[str]] = {}
        for result in self.results:
            if result.verdict is Verdict.NOT_APPLICABLE:
                by_reason.setdefault((result.domain.value, result.detail), []).append(result.law.id)
        reasons: dict[tuple[str, str], list[str]] = {}
        for (domain, detail), laws in by_reason.items():
            whole = len(laws) > 1 and len(laws) == sum(result.domain.value == domain for result in self.results)
            reasons.setdefault(("every law" if whole else ", ".join(laws), detail), []).append(domain)
        parts = [f"{laws} [{', '.join(domains)}] ({detail})" for (laws, detail), domains in reasons.items()]
        return [f"not applicable: {'; '.join(parts)}"] if parts else []

    @property
    def reach(self) -> list[str]:
        """What `proved` covers if not all rows: the operands of which all combinations were tried, one line each."""
        tried = {one.domain for one in self.results if one.verdict is Verdict.PROVED and not one.for_all_rows}
        return [
            line
            for domain, bounds in self.bounds.items()
            if domain in tried
            for line in (f"proved [{domain.value}], for these values: every combination of", *_indented(bounds.lines))
        ]


def contradiction_text(found: str) -> str:
    """Say that a class and its rule disagree."""
    return (
        f"internal error: {found}; the rule of the class is wrong: please report this, and rely only on what was tried"
    )


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def no_counterexample_in(examples: int) -> str:
    """Say what examples drawn at random show."""
    return f"no counterexample in {counted(examples, 'example')}"


def counted(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def answer_text(answer: Any) -> str:
    """Write a result as text: the record, a delete, no row, or the error."""
    if isinstance(answer, Failed):
        return f"an error: {error_line(answer.error)}"
    if not isinstance(answer, Observed):
        return "; ".join(map(answer_text, answer))
    if answer.ordering is None:
        return _row_text(answer.record)
    return _version_text(answer.record, answer.ordering, answer.is_delete)


def error_line(error: Exception) -> str:
    """Write an error in one line, abridged."""
    return f"{type(error).__name__}: {' '.join(error_text(error, _MOST_ERROR).split())}"


def _row_text(record: object) -> str:
    return "no row" if record is None else repr(record)


def _version_text(record: Any, ordering: Any, is_delete: bool) -> str:  # noqa: FBT001 (the fields of a version, in order)
    at = f"ordering {plain_ordering(ordering)}"
    if record is None:
        return f"a delete without data, {at}"
    return f"{record!r}, {'a delete, ' if is_delete else ''}{at}"
