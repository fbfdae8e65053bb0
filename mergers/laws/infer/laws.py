"""What found rules say of the laws: a rule that no pair refuted is not proved, nor is a law that follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.core import Domain
from mergers.laws.evaluate import Evaluator
from mergers.laws.from_rules import Decisions, RuleVerdict
from mergers.laws.payload_algebra import PayloadAlgebra
from mergers.laws.rule_universe import StatedRules, Stater
from mergers.laws.rule_verdicts import direction_of
from mergers.laws.rule_words import parting_text, tested
from mergers.laws.rules import ACTION, ASSOCIATIVITY, COMMUTATIVITY, IDEMPOTENCE
from mergers.laws.universe import RECORD_KEY, constant_of
from payloads.backports import assert_never
from payloads.rules import ByArrival, ByOrdering, Effect, Point

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mergers.laws.core import Law
    from mergers.laws.infer.inference import Inferred
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Subject
    from payloads.rules import MergeRule
    from payloads.user import CallGuard

_LAWS: Final = (ASSOCIATIVITY, ACTION, IDEMPOTENCE, COMMUTATIVITY)
_WITH: Final = {Domain.DATA: "", Domain.FLAGGED: " with deletes"}
_WHERE: Final = {Point.BATCH: "in a batch", Point.STORED: "with the stored row", Point.ALONE: "of a key without a row"}


class FoundLaw(NamedTuple):
    """A law, as far as found rules decide it.

    Attributes:
        law: the law.
        domain: the versions that it is about.
        outcome: whether it holds if the rules do, does not hold, or is not decided.
        reason: why, with the column.
        counterexample: versions on which the class itself breaks it.
    """

    law: Law
    domain: Domain
    outcome: RuleVerdict
    reason: str
    counterexample: Counterexample | None = None

    @property
    def sentence(self) -> str:
        """What it says, for people."""
        named, where = f"{self.law.id.capitalize()} ({self.law.reading})", _WITH[self.domain]
        match self.outcome:
            case RuleVerdict.HOLDS:
                return f"{named} holds{where} if the rule does: {self.reason}."
            case RuleVerdict.FAILS:
                return f"{named} fails{where}: {self.reason}."
            case RuleVerdict.UNDECIDED:
                return f"{named} is not decided{where}: {self.reason}; `verify` tries it."
            case other:
                assert_never(other)


class FoundLaws(NamedTuple):
    """What the rules of a class say of the laws.

    Attributes:
        laws: the laws, those of rows without deletes first.
        parting: in what the rules of a batch and of the stored row differ; empty text for nothing that was found.
    """

    laws: tuple[FoundLaw, ...]
    parting: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is to be told: of deletes only where they make a difference."""
        plain = {(one.law, one.outcome, one.reason) for one in self.laws if one.domain is Domain.DATA}
        told = [
            one.sentence
            for one in self.laws
            if one.domain is Domain.DATA or (one.law, one.outcome, one.reason) not in plain
        ]
        return (*([self._parted] if self.parting else []), *told)

    @property
    def _parted(self) -> str:
        (action,) = (law.outcome for law in self.laws if law.law is ACTION and law.domain is Domain.DATA)
        match action:
            case RuleVerdict.HOLDS:
                means = "If they hold, that makes no difference to rows without deletes."
            case RuleVerdict.FAILS:
                means = "So a row depends on how its versions are split into commits, logs and compactions."
            case RuleVerdict.UNDECIDED:
                means = "So a row may depend on how its versions are split into commits, logs and compactions."
            case other:
                assert_never(other)
        return f"A batch and the stored row have different rules: {self.parting}. {means}"


def laws_of(found: Sequence[Inferred], subject: Subject, guard: CallGuard | None = None) -> FoundLaws:
    """Decide laws from the rules that a class was found to have.

    A law that fails by the rules is tried on the class: it is broken only if the class breaks it, too.

    Args:
        found: what `infer` found at each merge point.
        subject: the class that was asked.
        guard: watches the calls.

    Raises:
        CallEndedError: a call of the class took too long, or tried to end the process.
    """
    by_point = {one.point: one for one in found}
    rules = _stated(by_point, subject)
    places = {"in a batch": rules.batch, "with the stored row": rules.stored}
    judged = {place: rule for place, rule in places.items() if rule is not None}
    parting = ""
    if len(judged) == len(places):
        parting = parting_text(judged, rules.ordering_fields, rules.schema, rules.fixed)
    evaluator = Evaluator(subject.algebra, guard=guard)
    laws = []
    for domain in _domains(rules):
        decisions = Decisions(rules, domain)
        laws += [_decided(law, domain, decisions, by_point, evaluator) for law in _LAWS]
    return FoundLaws(tuple(laws), parting)


def _stated(found: dict[Point, Inferred], subject: Subject) -> StatedRules:
    spec, algebra = subject.spec, subject.algebra
    names = [name for name in (*spec.key, spec.assumed_key, RECORD_KEY) if name in spec.schema.by_name]
    batch, stored, alone = (None if point not in found else found[point].rule for point in _WHERE)
    return StatedRules(
        spec.schema,
        batch,
        stored,
        alone,
        ordering_fields=spec.ordering_fields,
        fixed={name: constant_of(spec.schema.by_name[name], spec) for name in names},
        direction=direction_of(algebra.payload_class) if isinstance(algebra, PayloadAlgebra) else 1,
        sequences=spec.sequences,
        stater=Stater.FOUND,
    )


def _domains(rules: StatedRules) -> Iterator[Domain]:
    """Yield rows, and rows with deletes where the class tells any by a column: of a merger Hudi marks them."""
    yield Domain.DATA
    alone = rules.alone
    deletes = [] if alone is None else [case.when for case in alone.cases if case.gives is Effect.DELETE]
    if alone is not None and (alone.deletes.flag or alone.deletes.marker or any(map(tested, deletes))):
        yield Domain.FLAGGED


def _decided(
    law: Law, domain: Domain, decisions: Decisions, found: dict[Point, Inferred], evaluator: Evaluator
) -> FoundLaw:
    points = (Point.BATCH, Point.STORED, Point.ALONE) if law.has_row else (Point.BATCH,)
    missing = [_WHERE[point] for point in points if point not in found or found[point].rule is None]
    if missing:
        return FoundLaw(law, domain, RuleVerdict.UNDECIDED, f"no rule was found {' and '.join(missing)}")
    ruling = decisions.of(law)
    if ruling.outcome is RuleVerdict.FAILS:
        assert ruling.equation is not None and ruling.operands is not None  # noqa: S101, PT018 (it fails)
        if evaluator.holds(ruling.equation, evaluator.bind(ruling.operands)):
            why = "by the rule it fails, and the class merges those versions alike on both sides"
            return FoundLaw(law, domain, RuleVerdict.UNDECIDED, why)
        counterexample = evaluator.counterexample(ruling.equation, ruling.operands)
        reason = ruling.reason.removesuffix(f": {law.id} fails")
        return FoundLaw(law, domain, ruling.outcome, reason, counterexample)
    left = list(dict.fromkeys(f"`{one.column}`" for point in points for one in found[point].unsaid))
    if ruling.outcome is RuleVerdict.HOLDS and left:
        return FoundLaw(law, domain, RuleVerdict.UNDECIDED, f"only the class decides {', '.join(left)}")
    rules = [rule for point in points if (rule := found[point].rule) is not None]
    if ruling.outcome is RuleVerdict.HOLDS and _carries_unasked(rules):
        return FoundLaw(
            law, domain, RuleVerdict.UNDECIDED, "versions that are merged later may carry another ordering value"
        )
    return FoundLaw(law, domain, ruling.outcome, ruling.reason)


def _carries_unasked(rules: Sequence[MergeRule]) -> bool:
    """Whether an ordering value counts that a batch which merges by arrival need not hand on."""
    return isinstance(rules[0].later, ByArrival) and any(isinstance(rule.later, ByOrdering) for rule in rules)
