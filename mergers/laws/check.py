"""check_laws and law_cases: judging a payload or a merger by the laws, with a verdict for each law and domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mergers.laws.core import Domain
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
    from mergers.laws.subject import Judged
    from payloads.api import Props
    from payloads.schema import AvroSchema

DEFAULT_DOMAINS: Final = (Domain.DATA, Domain.FLAGGED)
DEFAULT_EXAMPLES: Final = 200


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
        for law in chosen:
            results.append(check.result(law, None if exhaustive is True else examples, exhaustive, seed, null_orderings))
    return LawReport(f"{found.algebra.name} ({found.release})", seed, tuple(results), found.subject.schema)


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

    def result(
        self, law: Law, examples: int | None, exhaustive: bool | None, seed: int, null_orderings: bool  # noqa: FBT001
    ) -> LawResult:
        """Judge one law."""
        reason = self._empty_reason
        if law.needs_other and not self._has_other:
            reason = "there is no second implementation to compare with"
        elif law.needs_delete and self._domain is Domain.DATA:
            reason = "records without deletes"
        if reason:
            return LawResult(law, self._domain, Verdict.NOT_APPLICABLE, detail=reason)
        cases, detail = 0, ""
        if exhaustive is not False:
            trial = try_all(law, self._evaluator, self._universe)
            if trial.counterexample is not None:
                why = "nothing but errors" if trial.refused else f"after {trial.cases} cases of the small universe"
                return LawResult(law, self._domain, Verdict.VIOLATED, trial.cases, why, trial.counterexample)
            if not trial.cases:
                reason = "no version is a delete that this merge knows" if law.needs_delete else "no operands fit"
                return LawResult(law, self._domain, Verdict.NOT_APPLICABLE, detail=reason)
            cases, detail = trial.cases, f"{trial.cases} cases: {self._universe.bounds}, {_sizes(law)}"
            # The classes of this project know neither hashes nor clocks; whoever's code it is otherwise is asked.
            if law is DETERMINISM and not _is_builtin(self._found.algebra):
                counterexample = differs_elsewhere(self._found.algebra, law, self._universe, self._evaluator)
                if counterexample is not None:
                    return LawResult(law, self._domain, Verdict.VIOLATED, cases, "in another process", counterexample)
        if examples is None:
            return LawResult(law, self._domain, Verdict.PROVED, cases, detail)
        from mergers.laws.strategies import search  # noqa: PLC0415 (Hypothesis is loaded where it is used)

        tried = search(
            law, self._domain, self._found.subject, self._evaluator, examples, seed, null_orderings=null_orderings
        )
        if tried.counterexample is not None:
            detail = "nothing but errors" if tried.refused else f"after {tried.cases} examples"
            return LawResult(law, self._domain, Verdict.VIOLATED, tried.cases, detail, tried.counterexample)
        if exhaustive is False:
            if not tried.cases:
                return LawResult(law, self._domain, Verdict.NOT_APPLICABLE, detail="no example fits")
            return LawResult(law, self._domain, Verdict.HOLDS, tried.cases, f"{tried.cases} examples")
        more = f"{detail}; and {tried.cases} examples"
        return LawResult(law, self._domain, Verdict.PROVED, cases + tried.cases, more)


_DATA_VERSIONS: Final = 6


def _is_builtin(algebra: object) -> bool:
    payload_class = getattr(algebra, "payload_class", None)
    return isinstance(payload_class, type) and issubclass(payload_class, BuiltinPayload)


def _sizes(law: Law) -> str:
    most = law.sizes[1] + law.has_row
    return "1 version" if most == 1 else f"up to {most} versions"
