"""What the rule of a class says of its laws, beside what was tried: the rule is asked, and held against the class."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from mergers.compat import RuleMerger
from mergers.laws.equality import Failed
from mergers.laws.from_rules import DECIDABLE, Decisions, RuleVerdict, Ruling
from mergers.laws.merger_algebra import MergerAlgebra
from mergers.laws.modes import ModeAlgebra
from mergers.laws.payload_algebra import PayloadAlgebra
from mergers.laws.report import Verdict
from mergers.laws.rule_universe import StatedRules, Stater
from mergers.laws.universe import RECORD_KEY, constant_of
from mergers.rules.words import rule_of_class
from payloads.builtin import UNAVAILABLE, BuiltinPayload, MySqlDebeziumAvroPayload, ReverseOrderHoodieRecordPayload
from payloads.ordering import NATURAL_ORDER
from payloads.ordering_fields import CONSISTENT_TIMESTAMP, is_true, ordering_fields, ordering_reader
from payloads.rules import MergeRule, Point
from payloads.user import same_record

if TYPE_CHECKING:
    from mergers.laws.core import Domain, Law, Version
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.report import LawResult
    from mergers.laws.subject import Subject


def stated_rules(found: Subject, *, null_orderings: bool = False) -> StatedRules | None:
    """Return the rules that a class or mode states in its release; None for one that states none."""
    algebra, spec = found.algebra, found.spec
    rules: list[MergeRule | None]
    settings: dict[str, Any] = {}
    if isinstance(algebra, ModeAlgebra):
        rules = [*(algebra.rule(point) for point in (Point.BATCH, Point.STORED)), None]
        settings = {"reads": lambda version: algebra.incoming(version).ordering_value, "marks": True}
    elif isinstance(algebra, MergerAlgebra):
        if not isinstance(algebra.merger, RuleMerger):
            return None
        rules = [algebra.merger.rule, algebra.merger.rule, None]
        settings = {"stater": Stater.MERGER, "marks": True, "reads_row": algebra.row_ordering}
    elif isinstance(algebra, PayloadAlgebra):
        payload = algebra.payload_class
        points = (Point.BATCH, Point.STORED, Point.ALONE)
        rules = [rule_of_class(payload, point, spec.schema, algebra.props) for point in points]
        settings = {"direction": direction_of(payload)}
        if not issubclass(payload, BuiltinPayload):
            read = ordering_reader(spec.schema, algebra.props, found.release)
            settings |= {"stater": Stater.PAYLOAD, "reads_row": (lambda _: NATURAL_ORDER) if read is None else read}
    else:
        return None
    if not any(isinstance(rule, MergeRule) for rule in rules):
        return None
    if "stater" in settings:
        settings |= {"obstacle": _obstacle(found), "absent": ()}
    batch, stored, alone = rules
    names = [name for name in (*spec.key, RECORD_KEY) if name in spec.schema.by_name]
    return StatedRules(
        spec.schema,
        batch,
        stored,
        alone,
        ordering_fields=spec.ordering_fields,
        fixed={name: constant_of(spec.schema.by_name[name], spec) for name in names},
        null_orderings=null_orderings,
        sequences=spec.sequences,
        **{"absent": () if spec.markers else (UNAVAILABLE,), **settings},
    )


def _obstacle(found: Subject) -> str:
    """Return why rows of a user's class may have other ordering values than its versions, or empty text."""
    spec = found.spec
    if (ordering_fields(spec.props, found.release) or ()) != spec.ordering_fields:
        return "its properties name other ordering fields than are given"
    if is_true(spec.props.get(CONSISTENT_TIMESTAMP)):
        return "timestamps are truncated, so different ones are equal"
    return ""


def direction_of(payload: type) -> int | None:
    """Return in which direction `order` of the algebra compares; None where it does not compare as Java does."""
    if issubclass(payload, MySqlDebeziumAvroPayload):
        return None
    return -1 if issubclass(payload, ReverseOrderHoodieRecordPayload) else 1


class Rulings:
    """The rulings on a class in one domain."""

    def __init__(self, found: Subject, domain: Domain, evaluator: Evaluator, *, null_orderings: bool) -> None:
        """Ask the class for its rules."""
        self._evaluator = evaluator
        self._rules = stated_rules(found, null_orderings=null_orderings)
        self._decisions = None if self._rules is None else Decisions(self._rules, domain)

    def of(self, law: Law) -> Ruling:
        """Return what the rules say of a law, held against the class."""
        if self._decisions is None:
            return Ruling(RuleVerdict.UNDECIDED, "no rule is stated")
        return self._held(law, self._decisions.of(law))

    def judged(self, result: LawResult) -> LawResult:
        """Return a result with what the rule says; of both the stronger verdict counts."""
        if self._decisions is None or result.law not in DECIDABLE or result.verdict is Verdict.NOT_APPLICABLE:
            return result
        ruling = self.of(result.law)
        result = dataclasses.replace(result, ruling=ruling)
        if ruling.outcome is RuleVerdict.HOLDS and result.verdict in {Verdict.HOLDS, Verdict.NOT_TRIED}:
            return dataclasses.replace(result, verdict=Verdict.PROVED)
        if ruling.outcome is not RuleVerdict.FAILS or ruling.refuted or result.verdict is Verdict.VIOLATED:
            return result
        assert ruling.equation is not None and ruling.operands is not None  # noqa: S101, PT018 (it fails)
        counterexample = self._evaluator.counterexample(ruling.equation, ruling.operands)
        return dataclasses.replace(result, verdict=Verdict.VIOLATED, counterexample=counterexample)

    def _held(self, law: Law, ruling: Ruling) -> Ruling:
        """Return a ruling once its counterexample was tried on the class itself."""
        if ruling.equation is None or ruling.operands is None:
            return ruling
        if not law.applies(ruling.operands.versions, self._evaluator.algebra.order):
            return Ruling(RuleVerdict.UNDECIDED, "its versions have another order than their ordering values")
        bound = self._evaluator.bind(ruling.operands)
        if not self._evaluator.holds(ruling.equation, bound):
            return ruling
        if not all(map(self._is_kept, ruling.operands.versions)):
            return Ruling(RuleVerdict.UNDECIDED, "its versions do not keep the data that they are made of")
        return ruling._replace(refuted="the class merges the counterexample of its rule alike on both sides")

    def _is_kept(self, version: Version) -> bool:
        """Whether the class has the record that a version was made of, as one of users that states a rule has."""
        if self._rules is not None and self._rules.stater is not Stater.HUDI:
            return True
        answer = self._evaluator.incoming(version).answer
        if isinstance(answer, Failed):
            return False
        kept, given = answer.record, version.record
        return kept is given or (kept is not None and given is not None and same_record(kept, given))
