"""Deciding the laws of one domain: first by the small universe, then by Hypothesis."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.core import Domain
from mergers.laws.elsewhere import differs_elsewhere
from mergers.laws.equality import Failed
from mergers.laws.exhaustive import try_all
from mergers.laws.report import LawResult, Verdict
from mergers.laws.rules import DETERMINISM
from mergers.laws.universe import small_universe
from payloads.builtin.base import BuiltinPayload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mergers.laws.core import Law, Version
    from mergers.laws.evaluate import Evaluator
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Judged
    from mergers.laws.universe import Universe


class Ways(NamedTuple):
    """How to decide: the arguments of `check_laws` of the same names."""

    exhaustive: bool | None
    examples: int
    seed: int
    null_orderings: bool


class DomainCheck:
    """The check of one domain: its laws share the merges that were run."""

    def __init__(self, found: Judged, domain: Domain, evaluator: Evaluator, *, has_other: bool) -> None:
        self._found = found
        self._domain = domain
        self._evaluator = evaluator
        self._has_other = has_other
        self._universe = small_universe(found.subject, domain, self._is_delete)
        self._empty_reason = self._why_not_in_domain(self._universe)

    def _is_delete(self, version: Version) -> bool:
        answer = self._evaluator.incoming(version).answer
        return not isinstance(answer, Failed) and answer.is_delete

    def _why_not_in_domain(self, universe: Universe) -> str:
        """Return why a domain has nothing to say beyond `data`, or nothing."""
        if self._domain is Domain.DATA:
            return ""
        data = [self._evaluator.incoming(version).answer for version in universe.incoming if version.record is not None]
        if all(not isinstance(answer, Failed) and answer.record is None for answer in data):
            return "it carries no records: all its versions are alike"
        if self._domain is Domain.FLAGGED and len(universe.incoming) == len(data) == _DATA_VERSIONS:
            return "the schema has no column that marks a delete"
        empties = [self._evaluator.incoming(version).answer for version in universe.incoming if version.record is None]
        if self._domain is Domain.EMPTY and all(isinstance(answer, Failed) for answer in empties):
            return "it can't be built without a record"
        return ""

    def results(self, laws: Iterable[Law], ways: Ways) -> list[LawResult]:
        """Judge the laws: first by the small universe, then what is left by Hypothesis."""
        found = {law: self._not_applicable(law) for law in laws}
        proofs: dict[Law, int] = {}
        if ways.exhaustive is not False:
            for law, known in found.items():
                if known is None:
                    found[law], proofs[law] = self._tried(law)
        left = tuple(law for law, known in found.items() if known is None)
        if ways.exhaustive is not True and left:
            found |= self._searched(left, ways)
        return [
            self._proved(law, proofs[law]) if known is None else self._with_proof(known, proofs.get(law, 0))
            for law, known in found.items()
        ]

    def _not_applicable(self, law: Law) -> LawResult | None:
        reason = self._empty_reason
        if law.needs_other and not self._has_other:
            reason = "there is no second implementation to compare with"
        elif law.needs_delete and self._domain is Domain.DATA:
            reason = "records without deletes"
        return self._result(law, Verdict.NOT_APPLICABLE, detail=reason) if reason else None

    def _tried(self, law: Law) -> tuple[LawResult | None, int]:
        """Try the small universe; no result where the law holds there."""
        trial = try_all(law, self._evaluator, self._universe)
        if trial.counterexample is not None:
            detail = _ERRORS if trial.refused else f"after {trial.cases} cases of the small universe"
            return self._result(law, Verdict.VIOLATED, trial.cases, detail, trial.counterexample), trial.cases
        if not trial.cases:
            reason = "no version is a delete that this merge knows" if law.needs_delete else "no operands fit"
            return self._result(law, Verdict.NOT_APPLICABLE, detail=reason), 0
        # The classes of this project know neither hashes nor clocks; code from elsewhere is asked.
        if law is DETERMINISM and not _is_builtin(self._found.algebra):
            counterexample = differs_elsewhere(self._found.algebra, law, self._universe, self._evaluator)
            if counterexample is not None:
                detail = "in another process"
                return self._result(law, Verdict.VIOLATED, trial.cases, detail, counterexample), trial.cases
        return None, trial.cases

    def _searched(self, laws: tuple[Law, ...], ways: Ways) -> dict[Law, LawResult]:
        from mergers.laws.strategies import OperandStrategies, Search  # noqa: PLC0415 (Hypothesis is loaded here alone)

        strategies = OperandStrategies(self._found.subject, self._domain, null_orderings=ways.null_orderings)
        search = Search(laws, self._evaluator, strategies)
        broken = search.run(ways.examples, ways.seed)
        results = {}
        for law in laws:
            cases = search.cases[law]
            if law in broken:
                detail = f"after {cases} examples"
                results[law] = self._result(law, Verdict.VIOLATED, cases, detail, broken[law])
            elif cases:
                results[law] = self._result(law, Verdict.HOLDS, cases, f"{cases} examples")
            else:
                results[law] = self._result(law, Verdict.NOT_APPLICABLE, detail="no example fits")
        return results

    def _with_proof(self, result: LawResult, proof: int) -> LawResult:
        """Return the result of both ways together: a law that was proved is, whatever examples add."""
        if not proof or result.verdict is Verdict.VIOLATED:
            return result
        proved = self._proved(result.law, proof)
        more = f"; {result.cases} examples" if result.cases else ""
        return dataclasses.replace(proved, cases=proof + result.cases, detail=proved.detail + more)

    def _proved(self, law: Law, cases: int) -> LawResult:
        most = law.sizes[1] + law.has_row
        bounds = f"{self._universe.bounds}, {'1' if most == 1 else f'up to {most}'} merged"
        return self._result(law, Verdict.PROVED, cases, f"{cases} cases: {bounds}")

    def _result(
        self,
        law: Law,
        verdict: Verdict,
        cases: int = 0,
        detail: str = "",
        counterexample: Counterexample | None = None,
    ) -> LawResult:
        return LawResult(law, self._domain, verdict, cases, detail, counterexample)


_DATA_VERSIONS: Final = 6
_ERRORS: Final = "it answers with errors alone"


def _is_builtin(algebra: object) -> bool:
    payload_class = getattr(algebra, "payload_class", None)
    return isinstance(payload_class, type) and issubclass(payload_class, BuiltinPayload)
