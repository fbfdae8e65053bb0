"""check_laws and law_cases: judging a payload or a merger by the laws, with a verdict for each law and domain."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers.laws.core import Domain, Operands
from mergers.laws.elsewhere import differs_elsewhere
from mergers.laws.equality import Equality, Failed, same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.exhaustive import try_all
from mergers.laws.report import LawReport, LawResult, Verdict
from mergers.laws.rules import DETERMINISM, laws_named
from mergers.laws.subject import judged
from mergers.laws.universe import Universe, small_universe
from payloads.builtin.base import BuiltinPayload
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.laws.core import Law, RuleSet, Version
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Judged
    from payloads.api import Props
    from payloads.schema import AvroSchema, Record

DEFAULT_DOMAINS: Final = (Domain.DATA, Domain.FLAGGED)
DEFAULT_EXAMPLES: Final = 100


def check_laws(  # noqa: PLR0913 (what a user may state)
    payload_or_merger: Any,
    *,
    schema: AvroSchema | str | dict[str, Any] | None = None,
    key: Sequence[str] = (),
    ordering_fields: Sequence[str] | None = None,
    release: str | HudiRelease = HudiRelease.latest(),
    laws: Iterable[str | Law | RuleSet] | None = None,
    domain: str | Domain | Iterable[str | Domain] = DEFAULT_DOMAINS,
    examples: int = DEFAULT_EXAMPLES,
    exhaustive: bool | None = None,
    seed: int = 0,
    equality: Equality = same_bytes,
    props: Props | None = None,
    other: Any = None,
    markers: bool | None = None,
    null_orderings: bool = False,
) -> LawReport:
    """Judge a payload or a merger by laws; one verdict a law and domain.

    Two ways decide: a small universe of at most 16 records is tried completely (`proved`, within its bounds), and
    Hypothesis looks for a counterexample among records of any shape (`holds`, on the examples tried) and shrinks it.

    Args:
        payload_or_merger: a name, a reference, a class or an object; a payload, a merger or an `Algebra`.
        schema: the Avro schema of the records; without it a small one that suits the class.
        key: the key fields: all versions have the same values there.
        ordering_fields: the ordering fields; an empty list for arrival order.
        release: the Hudi release whose rules hold.
        laws: ids of laws or names of rule sets; all laws without it.
        domain: `data`, `flagged`, `empty`, or several.
        examples: how many examples Hypothesis tries for each law and domain.
        exhaustive: True for the small universe alone, False for Hypothesis alone, None for both.
        seed: reproduces what Hypothesis tries.
        equality: when two records are equal; by default where their canonical Avro bytes are.
        props: properties that the merge gets, besides the ordering fields.
        other: a second implementation, for `agreement`; named as the first one.
        markers: whether records may hold Debezium's mark for an unavailable value; without it, for Postgres alone.
        null_orderings: whether Hypothesis tries records with null in an ordering field.

    Raises:
        PayloadBridgeError: what is named is not there, or the arguments contradict each other.
    """
    settings: dict[str, Any] = {
        "schema": schema,
        "key": tuple(key),
        "ordering_fields": ordering_fields,
        "release": release,
        "props": dict(props or {}),
        "markers": markers,
    }
    if exhaustive is not True and examples < 1:
        msg = f"examples={examples} tries nothing; give at least 1, or exhaustive=True"
        raise PayloadConfigError(msg)
    found = judged(payload_or_merger, **settings)
    second = None if other is None else judged(other, **settings | {"schema": found.subject.schema}).algebra
    chosen = laws_named(laws)
    results = []
    for one in _domains(domain):
        check = _DomainCheck(found, one, Evaluator(found.algebra, equality, second), has_other=second is not None)
        results += check.results(chosen, Ways(exhaustive, examples, seed, null_orderings))
    return LawReport(f"{found.algebra.name} ({found.release})", seed, tuple(results), found.subject.schema)


def find_violation(
    payload_or_merger: Any,
    law: str,
    row: Record | None,
    versions: Sequence[Version],
    *,
    equality: Equality = same_bytes,
    **settings: Any,
) -> Counterexample | None:
    """Judge one choice of operands: what a counterexample shows, as a test that stays.

    Args:
        payload_or_merger: as in `check_laws`.
        law: the id of a law.
        row: the stored row; None for none.
        versions: the incoming versions, oldest first.
        equality: when two records are equal.
        settings: `schema`, `key`, `ordering_fields`, `release` and `props` of `check_laws`.
    """
    given = {"schema": None, "key": (), "ordering_fields": None, "release": HudiRelease.latest(), "props": {}, **settings}
    evaluator = Evaluator(judged(payload_or_merger, **given).algebra, equality)
    operands = Operands(row, tuple(versions))
    bound = evaluator.bind(operands)
    for equation in laws_named([law])[0].stated(len(operands.versions)):
        if not evaluator.holds(equation, bound):
            return evaluator.counterexample(equation, operands)
    return None


@dataclass(frozen=True)
class LawCase:
    """One law in one domain, for a test.

    Attributes:
        law: the id of the law.
        domain: the domain.
    """

    law: str
    domain: str
    _arguments: tuple[Any, dict[str, Any]]

    @property
    def __name__(self) -> str:
        """The name of the case in a test report."""
        return f"{self.law}-{self.domain}"

    def __str__(self) -> str:
        return self.__name__

    def result(self) -> LawResult:
        """Judge."""
        subject, settings = self._arguments
        return check_laws(subject, laws=[self.law], domain=self.domain, **settings).results[0]

    def check(self) -> None:
        """Judge, and fail where the law is violated.

        Raises:
            LawViolationError: it is; the message shows the counterexample.
        """
        subject, settings = self._arguments
        check_laws(subject, laws=[self.law], domain=self.domain, **settings).raise_if_violated()


def law_cases(
    payload_or_merger: Any,
    *,
    laws: Iterable[str | Law | RuleSet] | None = None,
    domain: str | Domain | Iterable[str | Domain] = DEFAULT_DOMAINS,
    **settings: Any,
) -> list[LawCase]:
    """Return one case a law and domain, for `pytest.mark.parametrize`; the arguments are those of `check_laws`.

    Laws that can say nothing are left out: `tombstone` on data alone, `agreement` without a second implementation.
    """
    return [
        LawCase(law.id, one.value, (payload_or_merger, settings))
        for one in _domains(domain)
        for law in laws_named(laws)
        if not (law.needs_delete and one is Domain.DATA) and not (law.needs_other and settings.get("other") is None)
    ]


def _domains(domain: str | Domain | Iterable[str | Domain]) -> tuple[Domain, ...]:
    given = domain.split(",") if isinstance(domain, str) else (domain,) if isinstance(domain, Domain) else domain
    try:
        return tuple(dict.fromkeys(Domain(one.strip() if isinstance(one, str) else one) for one in given))
    except ValueError as error:
        msg = f"{error}; the domains are {', '.join(one.value for one in Domain)}"
        raise PayloadConfigError(msg) from error


class Ways(NamedTuple):
    """How to decide: the arguments of `check_laws` of the same names."""

    exhaustive: bool | None
    examples: int
    seed: int
    null_orderings: bool


class _DomainCheck:
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
        more = f"; and {result.cases} examples" if result.cases else ""
        return dataclasses.replace(proved, cases=proof + result.cases, detail=proved.detail + more)

    def _proved(self, law: Law, cases: int) -> LawResult:
        most = law.sizes[1] + law.has_row
        sizes = "1 version" if most == 1 else f"up to {most} versions"
        return self._result(law, Verdict.PROVED, cases, f"{cases} cases: {self._universe.bounds}, {sizes}")

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
