"""check_laws and law_cases: checking a payload or a merger against the laws, with a verdict for each law and domain."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, NoReturn

from mergers.laws.core import Domain, Operands
from mergers.laws.decide import CheckOptions, DomainCheck
from mergers.laws.equality import Equality, same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.jobs import jobs_on
from mergers.laws.reading import studied
from mergers.laws.repetition import Repetition, is_ours
from mergers.laws.report import LawReport, LawResult, Verdict, error_line
from mergers.laws.rules import DETERMINISM, laws_named
from mergers.laws.subject import subject_of
from payloads.arguments import checked
from payloads.errors import PayloadConfigError
from payloads.release import HudiRelease
from payloads.user import CALL_TIMEOUT, CallGuard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mergers.laws.core import Law, RuleSet, Version
    from mergers.laws.report import Counterexample
    from mergers.laws.subject import Subject
    from payloads.api import Props
    from payloads.avro import AvroSchema, Record

DEFAULT_DOMAINS: Final = (Domain.DATA, Domain.FLAGGED)
DEFAULT_EXAMPLES: Final = 100


@checked
def check_laws(  # noqa: PLR0913 (what a user may state)
    payload_or_merger: object,
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
    other: object = None,
    markers: bool | None = None,
    null_orderings: bool = False,
    data: Sequence[Record] = (),
    call_timeout: float | None = CALL_TIMEOUT,
) -> LawReport:
    """Check a payload or a merger against laws; one verdict per law and domain.

    If the class states a rule, the rule decides some laws for all rows. Each law is also tried in two ways. A few
    values of every column, singly, in pairs and together, are enumerated completely (`proved`, for the values that the
    report lists). Hypothesis looks for a counterexample among records of any shape and shrinks it (`holds`: none was
    found in the examples tried). Operands on which both sides of an equation fail in the same way decide nothing; a law
    is `not-checked` if more than half of them do, and `not-tried` if a column that the code of the class names never
    varied.

    Args:
        payload_or_merger: a name, a reference, a class or an object; a payload, a merger or an `Algebra`; or what
            `subject_of` made of one, with schema, fields, release and properties.
        schema: the Avro schema of the records; without it a small one that suits the class.
        key: the key fields: all versions have the same values there.
        ordering_fields: the ordering fields; an empty list for arrival order.
        release: the Hudi release whose rules apply.
        laws: ids of laws or names of rule sets; None for all laws.
        domain: `data`, `flagged`, `empty`, or several.
        examples: how many examples of any shape Hypothesis tries for each domain; examples with special values, such as
            the constants of the class, are added.
        exhaustive: True for enumeration only, False for Hypothesis only, None for both.
        seed: reproduces what Hypothesis tries.
        equality: when two records are equal; by default, if their canonical Avro bytes are.
        props: properties passed to the merge, in addition to the ordering fields.
        other: a second implementation, for `agreement`; given like the first one.
        markers: whether records may contain Debezium's marker for an unavailable value; without it, for Postgres alone.
        null_orderings: whether Hypothesis tries records with null in an ordering field.
        data: rows of the table, as physical records of the schema, each as often as it is there: operands are drawn
            from them and from their values, besides the generated ones. Columns that the schema lacks are ignored.
        call_timeout: how many seconds one call of the class may take, whole or not (0.5); 0 or None for any time.

    Raises:
        CallEndedError: a call took longer, or tried to end the process.
        PayloadBridgeError: a name is unknown, or the arguments contradict each other.
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
    found = _loaded(payload_or_merger, settings)
    second = None if other is None else _loaded(other, settings | {"schema": found.spec.schema}).algebra
    chosen = laws_named(laws)
    results: list[LawResult] = []
    bounds, checks = {}, list[DomainCheck]()
    options = CheckOptions(exhaustive, examples, seed, null_orderings)
    with CallGuard(found.algebra.name, call_timeout or None, give_up=_give_up.get()) as guard:
        evaluator = Evaluator(found.algebra, equality, second, guard)
        given = found.spec._replace(data=_fitting(data, found.spec.schema))
        found = found._replace(spec=studied(given, evaluator, is_ours=is_ours(found.algebra)))
        for one in domains_named(domain):
            check = DomainCheck(
                found, one, Evaluator(found.algebra, equality, second, guard), has_other=second is not None
            )
            checks.append(check)
            judged_here = check.results(chosen, options)
            if any(result.verdict in _ENUMERATED for result in judged_here):
                bounds[one] = check.bounds
            results += judged_here
        if found.is_sample and not is_ours(found.algebra):
            more = (one for check in checks for one in check.results(laws_named(None), options))
            results = _on_sample(results, more)
    return LawReport(f"{found.algebra.name} ({found.release})", seed, tuple(results), found.spec.schema, bounds)


def _on_sample(results: list[LawResult], more: Iterable[LawResult]) -> list[LawResult]:
    """Return the results on columns that stand in for those of the user's table.

    Where most merges fail on them, a violation that is a failure says nothing: with the columns of the table the merge
    may succeed. `more` are the results of all laws, which are asked only if they matter.
    """
    if not any(one.failure for one in results) or not any(one.mostly_fails for one in itertools.chain(results, more)):
        return results
    return [
        one
        if one.failure is None
        else dataclasses.replace(
            one,
            verdict=Verdict.NOT_CHECKED,
            detail=f"a merge fails, with {error_line(one.failure)}; give the schema of your table",
            counterexample=None,
        )
        for one in results
    ]


_ENUMERATED: Final = (Verdict.PROVED, Verdict.NOT_TRIED)
_give_up: ContextVar[Callable[[str], NoReturn] | None] = ContextVar("give_up", default=None)


@contextlib.contextmanager
def giving_up_by(end: Callable[[str], NoReturn]) -> Iterator[None]:
    """Let `end` end the process where a class swallows whatever interrupts it; it gets the reason."""
    token = _give_up.set(end)
    try:
        yield
    finally:
        _give_up.reset(token)


def _loaded(named: object, settings: dict[str, Any]) -> Subject:
    """Return the subject; loading a class runs its module."""
    name = named if isinstance(named, str) else getattr(named, "__qualname__", type(named).__qualname__)
    with CallGuard(name, None) as guard:
        return guard.call("loading it", functools.partial(subject_of, named, **settings))


def _fitting(data: Iterable[Record], schema: AvroSchema) -> tuple[Record, ...]:
    """Return rows with the columns of a schema.

    Raises:
        SchemaError: a row does not fit.
    """
    rows = tuple({name: row.get(name) for name in schema.by_name} for row in data)
    for row in rows:
        schema.validate(row)
    return rows


@checked
def find_violation(  # noqa: PLR0913 (what a user may state)
    payload_or_merger: object,
    law: str,
    row: Record | None,
    versions: Sequence[Version],
    *,
    equality: Equality = same_bytes,
    other: object = None,
    **settings: object,
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
        CallEndedError: a call took longer than ten seconds, or tried to end the process.
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
    second = None if other is None else _loaded(other, given).algebra
    algebra = _loaded(payload_or_merger, given).algebra
    operands = Operands(row, tuple(versions))
    with CallGuard(algebra.name) as guard:
        evaluator = Evaluator(algebra, equality, second, guard)
        bound = evaluator.bind(operands)
        equations = laws_named([law])[0].stated(len(operands.versions))
        evaluator.gather([side for equation in equations for side in equation], [bound])
        for equation in equations:
            if not evaluator.holds(equation, bound):
                return evaluator.counterexample(equation, operands)
    if law == DETERMINISM.id and not is_ours(evaluator.algebra):
        return Repetition(evaluator, jobs_on(DETERMINISM, [operands])).difference()
    return None


def domains_named(domain: str | Domain | Iterable[str | Domain]) -> tuple[Domain, ...]:
    """Return domains by name.

    Raises:
        PayloadConfigError: there is no such domain, or none is named.
    """
    given = domain.split(",") if isinstance(domain, str) else (domain,) if isinstance(domain, Domain) else tuple(domain)
    if not given:
        msg = f"no domain is named; the domains are {', '.join(one.value for one in Domain)}"
        raise PayloadConfigError(msg)
    try:
        return tuple(dict.fromkeys(Domain(one.strip() if isinstance(one, str) else one) for one in given))
    except ValueError as error:
        msg = f"{error}; the domains are {', '.join(one.value for one in Domain)}"
        raise PayloadConfigError(msg) from error
