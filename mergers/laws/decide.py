"""Checking the laws in one domain: first on the small universe, then with Hypothesis."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.bounds import bounds_of
from mergers.laws.conditions import OTHERS
from mergers.laws.constants import usable
from mergers.laws.core import Domain
from mergers.laws.elsewhere import Repetition, is_ours
from mergers.laws.equality import Failed
from mergers.laws.exhaustive import try_all
from mergers.laws.jobs import ElsewhereError, jobs_of
from mergers.laws.report import LawResult, Verdict, counted, no_counterexample_in
from mergers.laws.rules import DETERMINISM
from mergers.laws.universe import delete_forms, small_universe
from payloads.builtin import UNAVAILABLE
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.laws.core import Law, Version
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Subject
    from mergers.laws.universe import Universe


class Ways(NamedTuple):
    """How to check: the arguments of `check_laws` with the same names."""

    exhaustive: bool | None
    examples: int
    seed: int
    null_orderings: bool


class DomainCheck:
    """The check of one domain: its laws share the merges that were run.

    Attributes:
        bounds: what a proof in this domain covers.
    """

    def __init__(self, found: Subject, domain: Domain, evaluator: Evaluator, *, has_other: bool) -> None:
        self._found = found
        self._domain = domain
        self._evaluator = evaluator
        self._has_other = has_other
        self._universe = small_universe(found.spec, domain, self._is_delete)
        self.bounds = bounds_of(self._universe, found.spec)
        self._empty_reason = self._why_not_in_domain(self._universe)

    def _is_delete(self, version: Version) -> bool:
        answer = self._evaluator.incoming(version).answer
        return not isinstance(answer, Failed) and answer.is_delete

    def _why_not_in_domain(self, universe: Universe) -> str:
        """Return why a domain adds nothing to `data`, or empty text."""
        if self._domain is Domain.DATA:
            return ""
        data = [self._evaluator.incoming(version).answer for version in universe.incoming if version.record is not None]
        if all(not isinstance(answer, Failed) and answer.record is None for answer in data):
            return "it has no records: all its versions are alike"
        spec = self._found.spec
        if self._domain is Domain.FLAGGED and not delete_forms(spec.schema, spec.props):
            return "the schema has no column that marks a delete"
        empties = [self._evaluator.incoming(version).answer for version in universe.incoming if version.record is None]
        if self._domain is Domain.EMPTY and all(isinstance(answer, Failed) for answer in empties):
            return "it can't be built without a record"
        return ""

    def results(self, laws: Iterable[Law], ways: Ways) -> list[LawResult]:
        """Check the laws: first on the small universe, then the undecided ones with Hypothesis."""
        found = {law: self._not_applicable(law) for law in laws}
        proofs: dict[Law, int] = {}
        if ways.exhaustive is not False:
            for law, known in found.items():
                if known is None:
                    found[law], proofs[law] = self._tried(law)
        left = tuple(law for law, known in found.items() if known is None)
        if ways.exhaustive is not True and left:
            found |= self._searched(left, ways)
        decided = [
            self._proved(law, proofs[law]) if known is None else self._with_proof(known, proofs.get(law, 0))
            for law, known in found.items()
        ]
        return [self._repeated(result) if result.law is DETERMINISM else result for result in decided]

    def _not_applicable(self, law: Law) -> LawResult | None:
        reason = self._empty_reason
        if not reason and law.needs_other and not self._has_other:
            reason = "there is no second implementation to compare with"
        elif not reason and law.needs_delete and self._domain is Domain.DATA:
            reason = "records without deletes"
        return self._result(law, Verdict.NOT_APPLICABLE, detail=reason) if reason else None

    def _tried(self, law: Law) -> tuple[LawResult | None, int]:
        """Try the small universe; no result if the law holds there."""
        trial = try_all(law, self._evaluator, self._universe)
        if trial.counterexample is not None:
            detail = _ERRORS if trial.refused else f"after {counted(trial.cases, 'case')} of the small universe"
            return self._result(law, Verdict.VIOLATED, trial.cases, detail, trial.counterexample), trial.cases
        if not trial.cases and law.needs_delete:
            reason = "no version is a delete that this merge knows"
            return self._result(law, Verdict.NOT_APPLICABLE, detail=reason), 0
        # Without a case examples may still fit: of an enum or boolean the universe has few ordering values.
        return None, trial.cases

    def _repeated(self, result: LawResult) -> LawResult:
        """Return the verdict on determinism once other processes have repeated the merges."""
        # The classes of this project depend on their operands only; other code is repeated in other processes.
        if is_ours(self._found.algebra) or result.verdict is Verdict.NOT_APPLICABLE or result.detail == _ERRORS:
            return result
        repetition = Repetition(self._evaluator, jobs_of(result.law, self._universe))
        if result.counterexample is not None:
            counterexample = result.counterexample._replace(cause=repetition.cause())
            return dataclasses.replace(result, counterexample=counterexample)
        try:
            found = repetition.difference()
        except ElsewhereError as error:
            detail = f"other processes could not repeat the merges: {error}; in this one the results repeat"
            return dataclasses.replace(result, verdict=Verdict.NOT_CHECKED, detail=detail)
        if found is None:
            detail = f"{result.detail}; alike in {len(OTHERS)} other processes"
            return dataclasses.replace(result, detail=detail)
        return self._result(result.law, Verdict.VIOLATED, result.cases, "in another process", found)

    def _searched(self, laws: tuple[Law, ...], ways: Ways) -> dict[Law, LawResult]:
        # Hypothesis is loaded only here.
        from mergers.laws.reach import reaches  # noqa: PLC0415
        from mergers.laws.strategies import OperandStrategies, Search  # noqa: PLC0415

        spec = self._found.spec
        search = Search(laws, self._evaluator)
        search.run(OperandStrategies(spec, self._domain, null_orderings=ways.null_orderings), ways.examples, ways.seed)
        for reach in reaches(spec.schema, self._constants()):
            strategies = OperandStrategies(spec, self._domain, reach=reach)
            search.run_rounds(strategies, -(-reach.rounds * ways.examples // _HUNDRED), ways.seed)
        broken = search.found
        results = {}
        for law in laws:
            cases = search.cases[law]
            if law in broken:
                detail = f"after {counted(cases, 'example')}"
                results[law] = self._result(law, Verdict.VIOLATED, cases, detail, broken[law])
            elif cases:
                results[law] = self._result(law, Verdict.HOLDS, cases, no_counterexample_in(cases))
            else:
                results[law] = self._result(law, Verdict.NOT_APPLICABLE, detail="no example fits")
        return results

    def _constants(self) -> tuple[Any, ...]:
        """Return what the code of the judged, or a property that it is given, may compare values with."""
        spec = self._found.spec
        stated = [
            value for name, value in spec.props.items() if name not in {PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS}
        ]
        found = usable(
            [*(one for algebra in self._evaluator.algebras for one in getattr(algebra, "constants", ())), *stated]
        )
        # Only where records may hold it, Debezium's mark for an unavailable value is one.
        return found if spec.markers else tuple(one for one in found if one != UNAVAILABLE)

    def _with_proof(self, result: LawResult, proof: int) -> LawResult:
        """Return the result of both ways together: a law that was proved is, whatever examples add."""
        if not proof or result.verdict is Verdict.VIOLATED:
            return result
        proved = self._proved(result.law, proof)
        more = f"; {no_counterexample_in(result.cases)}" if result.cases else ""
        return dataclasses.replace(proved, cases=proof + result.cases, detail=proved.detail + more)

    def _proved(self, law: Law, cases: int) -> LawResult:
        if not cases:
            return self._result(law, Verdict.NOT_APPLICABLE, detail="it applies to no versions of the small universe")
        return self._result(law, Verdict.PROVED, cases, self.bounds.of_proof(law, cases))

    def _result(
        self,
        law: Law,
        verdict: Verdict,
        cases: int = 0,
        detail: str = "",
        counterexample: Counterexample | None = None,
    ) -> LawResult:
        return LawResult(law, self._domain, verdict, cases, detail, counterexample)


_HUNDRED: Final = 100
_ERRORS: Final = "all merges fail"
