"""Checking the laws in one domain: first on the small universe, then with Hypothesis."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.blocks import Blocks, size_for, understood_form
from mergers.laws.bounds import bounds_of
from mergers.laws.conditions import OTHERS
from mergers.laws.constants import usable
from mergers.laws.core import Domain
from mergers.laws.equality import Failed
from mergers.laws.exhaustive import Enumerated, try_all
from mergers.laws.jobs import ElsewhereError, jobs_of
from mergers.laws.repetition import Repetition, is_ours
from mergers.laws.report import UNDECIDED, LawResult, Verdict, counted, no_counterexample_in
from mergers.laws.rule_verdicts import Rulings
from mergers.laws.rules import DETERMINISM
from mergers.laws.universe import delete_forms, small_universe
from payloads.builtin import UNAVAILABLE
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.laws.blocks import OperandBlock
    from mergers.laws.core import Law, Version
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Subject
    from mergers.laws.universe import Universe


class CheckOptions(NamedTuple):
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
        spec = found.spec
        self._universe = small_universe(spec, domain, self._is_delete)
        self._empty_reason = self._why_not_in_domain(self._universe)
        self._blocks = () if self._empty_reason or not spec.pools else self._made_blocks()
        self.bounds = bounds_of(self._universe, self._blocks, spec)

    def _made_blocks(self) -> tuple[OperandBlock, ...]:
        spec, algebra = self._found.spec, self._evaluator.algebra
        ours = is_ours(algebra)
        if ours and self._found.is_sample:
            return ()  # the small universe varies both columns of data, which our classes treat alike
        size = size_for(spec, is_remote=getattr(algebra, "is_remote", False), is_ours=ours)
        form = understood_form(spec, self._domain, self._is_delete)
        return tuple(Blocks(spec, self._domain, form, size).all())

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

    def results(self, laws: Iterable[Law], ways: CheckOptions) -> list[LawResult]:
        """Check the laws: first by enumeration, then the undecided ones with Hypothesis."""
        found = {law: self._not_applicable(law) for law in laws}
        tried = {law: Enumerated() for law in found}
        if ways.exhaustive is not False:
            self._enumerate([law for law, known in found.items() if known is None], tried)
            found |= {law: self._enumerated(law, tried[law]) for law, known in found.items() if known is None}
        left = tuple(law for law, known in found.items() if known is None)
        if ways.exhaustive is not True and left:
            found |= self._searched(left, ways)
        decided = [
            self._proved(law, tried[law]) if known is None else self._with_proof(known, tried[law])
            for law, known in found.items()
        ]
        rulings = Rulings(self._found, self._domain, self._evaluator, null_orderings=ways.null_orderings)
        return [self._repeated(one) if one.law is DETERMINISM else rulings.judged(one) for one in decided]

    def _enumerate(self, laws: Iterable[Law], tried: dict[Law, Enumerated]) -> None:
        """Try the small universe with every number of versions, then the blocks with as few as show the law."""
        left = list(laws)
        for law in left:
            try_all(law, self._evaluator, self._universe, tried[law], most=law.sizes[1])
        for block in self._blocks:
            left = [law for law in left if tried[law].counterexample is None]
            for law in left:
                try_all(law, self._evaluator, block.universe, tried[law], most=law.sizes[0])
            self._evaluator.forget()

    def _not_applicable(self, law: Law) -> LawResult | None:
        reason = self._empty_reason
        if not reason and law.needs_other and not self._has_other:
            reason = "there is no second implementation to compare with"
        elif not reason and law.needs_delete and self._domain is Domain.DATA:
            reason = "records without deletes"
        return self._result(law, Verdict.NOT_APPLICABLE, detail=reason) if reason else None

    def _enumerated(self, law: Law, tried: Enumerated) -> LawResult | None:
        """Return what enumeration shows; no result if it leaves the law to examples."""
        if tried.counterexample is not None:
            detail = f"after {counted(tried.cases, 'case')} of the enumeration"
            return self._result(law, Verdict.VIOLATED, tried.cases, detail, tried.counterexample)
        if tried.unlike is not None and not tried.mostly_fails:
            detail = f"after {counted(tried.cases, 'case')} of the enumeration"
            return self._result(law, Verdict.VIOLATED, tried.cases, detail, tried.unlike)
        if not tried.cases and law.needs_delete:
            reason = "no version is a delete that this merge knows"
            return self._result(law, Verdict.NOT_APPLICABLE, detail=reason)
        # Without a case examples may still fit: of an enum or boolean the universe has few ordering values.
        return None

    def _repeated(self, result: LawResult) -> LawResult:
        """Return the verdict on determinism once other processes have repeated the merges."""
        # The classes of this project depend on their operands only; other code is repeated in other processes.
        if is_ours(self._found.algebra) or result.verdict is Verdict.NOT_APPLICABLE or result.verdict in UNDECIDED:
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

    def _searched(self, laws: tuple[Law, ...], ways: CheckOptions) -> dict[Law, LawResult]:
        # Hypothesis is loaded only here.
        from mergers.laws.reach import reaches  # noqa: PLC0415
        from mergers.laws.search import Search  # noqa: PLC0415
        from mergers.laws.strategies import OperandStrategies, ValueSource  # noqa: PLC0415

        spec = self._found.spec
        search = Search(laws, self._evaluator)
        search.run(OperandStrategies(spec, self._domain, null_orderings=ways.null_orderings), ways.examples, ways.seed)
        for reach in reaches(spec.schema, self._constants()):
            strategies = OperandStrategies(spec, self._domain, reach=reach)
            search.run_rounds(strategies, -(-reach.rounds * ways.examples // _HUNDRED), ways.seed)
        sources = ((ValueSource.POOLS, spec.pools), (ValueSource.DATA, spec.data))
        for source in (source for source, values in sources if values and not is_ours(self._evaluator.algebra)):
            strategies = OperandStrategies(spec, self._domain, source=source)
            search.run_rounds(strategies, -(-ways.examples // (2 * _ROUND)), ways.seed)
        broken = search.found
        results = {}
        for law in laws:
            cases, tried = search.cases[law], search.tried[law]
            if law in broken:
                detail = f"after {counted(cases, 'example')}"
                results[law] = self._result(law, Verdict.VIOLATED, cases, detail, broken[law])
            elif cases and tried.mostly_fails:
                results[law] = self._result(law, Verdict.NOT_CHECKED, cases, _failing(tried))
            elif cases:
                results[law] = self._result(law, Verdict.HOLDS, cases, no_counterexample_in(cases))
            else:
                results[law] = self._result(law, Verdict.NOT_APPLICABLE, detail="no example fits")
        return results

    def _constants(self) -> tuple[object, ...]:
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

    def _with_proof(self, result: LawResult, tried: Enumerated) -> LawResult:
        """Return the result of both ways together: a law that was proved is, whatever examples add."""
        if not tried.cases or result.verdict is Verdict.VIOLATED:
            return result
        enumerated = self._proved(result.law, tried)
        if enumerated.verdict is Verdict.NOT_TRIED and result.verdict is Verdict.HOLDS:
            return result  # in examples all columns vary
        has_examples = result.verdict is Verdict.HOLDS and result.cases
        more = f"; {no_counterexample_in(result.cases)}" if has_examples else ""
        cases = tried.cases + result.cases
        return dataclasses.replace(enumerated, cases=cases, detail=enumerated.detail + more)

    def _proved(self, law: Law, tried: Enumerated) -> LawResult:
        cases = tried.cases
        if not cases:
            return self._result(law, Verdict.NOT_APPLICABLE, detail="it applies to no versions of the small universe")
        if tried.mostly_fails:
            return self._result(law, Verdict.NOT_CHECKED, cases, _failing(tried))
        if self.bounds.constant:
            return self._result(law, Verdict.NOT_TRIED, cases, ", ".join(self.bounds.constant))
        detail = self.bounds.of_proof(law, cases)
        if tried.failed:
            detail += f"; {counted(tried.failed, 'case')} fail alike, most with {tried.error}"
        return self._result(law, Verdict.PROVED, cases, detail)

    def _result(
        self,
        law: Law,
        verdict: Verdict,
        cases: int = 0,
        detail: str = "",
        counterexample: Counterexample | None = None,
    ) -> LawResult:
        return LawResult(law, self._domain, verdict, cases, detail, counterexample)


def _failing(tried: Enumerated) -> str:
    """Say that too many merges fail for a verdict."""
    return f"{tried.failed} of {counted(tried.cases, 'case')} fail, most with {tried.error}"


_HUNDRED: Final = 100
_ROUND: Final = 10
