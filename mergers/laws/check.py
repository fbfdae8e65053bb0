"""check_laws and law_cases: checking a payload or a merger against the laws, with a verdict for each law and domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mergers.laws.core import Domain, Operands
from mergers.laws.decide import DomainCheck, Ways
from mergers.laws.elsewhere import Repetition, is_ours
from mergers.laws.equality import Equality, same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.jobs import jobs_on
from mergers.laws.report import LawReport, Verdict
from mergers.laws.rules import DETERMINISM, laws_named
from mergers.laws.subject import subject_of
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.laws.core import Law, RuleSet, Version
    from mergers.laws.report import Counterexample, LawResult
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record

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
    """Check a payload or a merger against laws; one verdict per law and domain.

    Two ways decide: a small universe of at most 16 records is tried completely (`proved`, within the bounds that the
    report names), and Hypothesis looks for a counterexample among records of any shape and shrinks it (`holds` says
    that there was none in the examples tried).

    Args:
        payload_or_merger: a name, a reference, a class or an object; a payload, a merger or an `Algebra`; or what
            `subject_of` made of one, with schema, fields, release and properties.
        schema: the Avro schema of the records; without it a small one that suits the class.
        key: the key fields: all versions have the same values there.
        ordering_fields: the ordering fields; an empty list for arrival order.
        release: the Hudi release whose rules apply.
        laws: ids of laws or names of rule sets; None for all laws.
        domain: `data`, `flagged`, `empty`, or several.
        examples: how many examples of any shape Hypothesis tries for each domain; those that reach for special values,
            such as the constants of the class, come in addition.
        exhaustive: True for the small universe alone, False for Hypothesis alone, None for both.
        seed: reproduces what Hypothesis tries.
        equality: when two records are equal; by default, if their canonical Avro bytes are.
        props: properties passed to the merge, in addition to the ordering fields.
        other: a second implementation, for `agreement`; given like the first one.
        markers: whether records may contain Debezium's marker for an unavailable value; without it, for Postgres alone.
        null_orderings: whether Hypothesis tries records with null in an ordering field.

    Raises:
        PayloadBridgeError: a name is unknown, or the arguments contradict each other.

    Added in 0.1.0.
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
    found = subject_of(payload_or_merger, **settings)
    second = None if other is None else subject_of(other, **settings | {"schema": found.spec.schema}).algebra
    chosen = laws_named(laws)
    results: list[LawResult] = []
    bounds = {}
    for one in domains_named(domain):
        check = DomainCheck(found, one, Evaluator(found.algebra, equality, second), has_other=second is not None)
        judged_here = check.results(chosen, Ways(exhaustive, examples, seed, null_orderings))
        if any(result.verdict is Verdict.PROVED for result in judged_here):
            bounds[one] = check.bounds
        results += judged_here
    return LawReport(f"{found.algebra.name} ({found.release})", seed, tuple(results), found.spec.schema, bounds)


def find_violation(  # noqa: PLR0913 (what a user may state)
    payload_or_merger: Any,
    law: str,
    row: Record | None,
    versions: Sequence[Version],
    *,
    equality: Equality = same_bytes,
    other: Any = None,
    **settings: Any,
) -> Counterexample | None:
    """Check one combination of operands: a counterexample as a regression test.

    Args:
        payload_or_merger: as in `check_laws`.
        law: the id of a law.
        row: the stored row; None for none.
        versions: the incoming versions, oldest first.
        equality: when two records are equal.
        other: the second implementation, for `agreement`.
        settings: `schema`, `key`, `ordering_fields`, `release` and `props` of `check_laws`.

    Raises:
        ElsewhereError: the law is `determinism`, and no other process could repeat the merges.
    """
    given = {
        "schema": None,
        "key": (),
        "ordering_fields": None,
        "release": HudiRelease.latest(),
        "props": {},
        **settings,
    }
    second = None if other is None else subject_of(other, **given).algebra
    evaluator = Evaluator(subject_of(payload_or_merger, **given).algebra, equality, second)
    operands = Operands(row, tuple(versions))
    bound = evaluator.bind(operands)
    for equation in laws_named([law])[0].stated(len(operands.versions)):
        if not evaluator.holds(equation, bound):
            return evaluator.counterexample(equation, operands)
    if law == DETERMINISM.id and not is_ours(evaluator.algebra):
        return Repetition(evaluator, jobs_on(DETERMINISM, [operands])).difference()
    return None


def domains_named(domain: str | Domain | Iterable[str | Domain]) -> tuple[Domain, ...]:
    """Return domains by name.

    Raises:
        PayloadConfigError: there is no such domain.
    """
    given = domain.split(",") if isinstance(domain, str) else (domain,) if isinstance(domain, Domain) else domain
    try:
        return tuple(dict.fromkeys(Domain(one.strip() if isinstance(one, str) else one) for one in given))
    except ValueError as error:
        msg = f"{error}; the domains are {', '.join(one.value for one in Domain)}"
        raise PayloadConfigError(msg) from error
