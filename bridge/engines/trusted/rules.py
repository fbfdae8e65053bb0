"""The rules of a user's class, found by asking it, as a payload that states them in its place."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.engines.subjects import compiled
from bridge.errors import ParameterError, PlanError
from bridge.spark import META_COLUMNS
from mergers.laws import subject_of
from mergers.laws.infer import first_difference, infer
from mergers.rules.words import TERMS, labelled, lines_of
from payloads import HudiRelease, PayloadRef
from payloads.ordering import NATURAL_ORDER
from payloads.records import RuleVersion, merged
from payloads.rules import Effect, Point
from payloads.user import CallGuard, FoundRule, PayloadAdapter, RulePayload, adapt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import SparkSession

    from bridge.engines.job import Job
    from bridge.plan import MergePlan
    from mergers.laws import Subject
    from mergers.laws.infer import Answer, Inferred, Question
    from payloads import AvroSchema, HoodieRecordPayload, Record
    from payloads.rules import MergeRule

_POINTS: Final = (Point.BATCH, Point.STORED, Point.ALONE)
_WHERE: Final = {
    Point.BATCH: "two versions of a batch",
    Point.STORED: "a version and the stored row",
    Point.ALONE: "a version without a stored row",
}
_INSTEAD: Final = "don't trust the rule, so that the class itself runs"


@dataclasses.dataclass(frozen=True, slots=True)
class StatedPayloadRef(PayloadRef):
    """A user's class as a payload that states the rules found for it.

    Attributes:
        stated: the payload class that states them.
        of: the class itself, under whose name Hudi knows it.
    """

    stated: type = dataclasses.field(kw_only=True)
    of: PayloadRef = dataclasses.field(kw_only=True)

    @property
    def is_compiled(self) -> bool:
        """False: the rules stand for the class, wherever that comes from."""
        return False

    def java_name(self, release: str | HudiRelease = HudiRelease.latest()) -> str:
        """Return the name of the class itself."""
        return self.of.java_name(release)

    def has_port(self, release: str | HudiRelease = HudiRelease.latest()) -> bool:  # noqa: ARG002 (as in `PayloadRef`)
        """Return True: the rules."""
        return True

    def resolve(self, release: str | HudiRelease = HudiRelease.latest()) -> type[HoodieRecordPayload]:
        """Return the payload that states the rules."""
        return adapt(self.stated, release)


class FoundRules(NamedTuple):
    """The rules that stand for a class.

    Attributes:
        rules: they, by merge point.
        pairs: on how many pairs of versions each gives the answer of the class.
        reference: the payload that states them.
    """

    rules: Mapping[Point, MergeRule]
    pairs: Mapping[Point, int]
    reference: StatedPayloadRef

    def plan(self, plan: MergePlan) -> MergePlan:
        """Return a plan that merges by the rules, natively."""
        return dataclasses.replace(plan.without_trust(), payload=self.reference, engine="native", implementation=None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The rule of each merge point in words, and on how many pairs it was checked."""
        return tuple(
            f"Rule for {_WHERE[point]} (agrees with the class on {self.pairs[point]:,} pairs): "
            + "; ".join(f"{label}: {line.text}" for label, line in labelled(lines_of(rule, TERMS[point])))
            for point, rule in self.rules.items()
        )


class _Asked(NamedTuple):
    """What is asked: equal ones have equal answers."""

    payload: PayloadRef
    user_class: type | None
    release: HudiRelease
    schema: AvroSchema
    key: tuple[str, ...]
    ordering: tuple[str, ...]
    props: tuple[tuple[str, str], ...]
    call_timeout: float


def found_rules(job: Job, spark: SparkSession) -> FoundRules:
    """Return the rules of the payload class of a job, for rows of its schema; a process asks a class once.

    Raises:
        ParameterError: it is not a user's class with methods.
        PlanError: no rule was found for it, or not for all columns.
        PayloadBridgeError: the class can't be loaded.
        CallEndedError: a call of the class took too long, or tried to end the process.
    """
    plan = job.plan
    if plan.payload is None:
        msg = f"{plan.payload_name}: `trust_rule` is for payload classes; leave it out"
        raise ParameterError(msg)
    runs_java = plan.payload.is_compiled and not plan.payload.has_port(plan.release)
    user_class = None if runs_java else _user_class(plan)
    asked = _Asked(
        plan.payload,
        user_class,
        plan.release,
        job.schema,
        tuple(name for name in plan.key if name not in META_COLUMNS),
        plan.ordering,
        tuple(plan.props.items()),
        plan.call_timeout,
    )
    return _found(asked, spark)


def _user_class(plan: MergePlan) -> type:
    """Return the user's class of a plan; one of Hudi's, and one that states its rule, run natively as they are."""
    payload: Any = plan.payload
    found = payload.resolve(plan.release)
    if not issubclass(found, PayloadAdapter) or issubclass(found.target, RulePayload):
        msg = f"{payload.name} states its rule, which needs no `trust_rule`; leave it out"
        raise ParameterError(msg)
    user_class: type = found.user_class
    return user_class


@functools.lru_cache(maxsize=16)
def _found(asked: _Asked, spark: SparkSession) -> FoundRules:
    name = asked.payload.name
    settings: dict[str, Any] = {"schema": asked.schema, "key": asked.key, "props": dict(asked.props)}

    def subject(of: object) -> Subject:
        return subject_of(of, ordering_fields=asked.ordering, release=asked.release, **settings)

    with CallGuard(name, asked.call_timeout) as guard:
        if asked.user_class is None:
            of_class = compiled(spark, asked.payload, asked.release, ordering=asked.ordering, **settings).java
        else:
            of_class = guard.call("loading it", lambda: subject(asked.payload))
        found = {point: infer(of_class, point, guard=guard) for point in _POINTS}
    for one in found.values():
        _check_whole(name, one)
    rules = {point: one.rule for point, one in found.items() if one.rule is not None}
    reference = _stating(asked.payload, rules)
    states = subject(reference)
    deletes = _deletes(found, asked.schema)
    for one in found.values():
        other = first_difference(one, states, deletes)
        if other is not None:
            msg = (
                f"{name}: its rule can't be trusted: for {_pair(other.question)}, "
                f"{_WHERE[one.point]}, the class returns {_answer(other.answer)}, and Hudi by its rule "
                f"{_answer(other.other)}; {_INSTEAD}"
            )
            raise PlanError(msg)
    return FoundRules(rules, {point: one.asked for point, one in found.items()}, reference)


def _deletes(found: Mapping[Point, Inferred], schema: AvroSchema) -> Callable[[Record], bool]:
    """Return whether a row deletes by the rules, alone and with any stored row that was asked about."""
    stored = {repr(older.record): older for (older, _), _ in found[Point.STORED].pairs}
    meets = [(Point.ALONE, RuleVersion(None, NATURAL_ORDER)), *((Point.STORED, older) for older in stored.values())]
    known: dict[str, bool] = {}

    def deletes(record: Record) -> bool:
        text = repr(record)
        if text not in known:
            outcomes = (
                merged(rule, older, RuleVersion(record, NATURAL_ORDER), schema)
                for point, older in meets
                if (rule := found[point].rule) is not None
            )
            known[text] = all(one is not None and one.gives is Effect.DELETE for one in outcomes)
        return known[text]

    return deletes


def _stating(payload: PayloadRef, rules: Mapping[Point, MergeRule]) -> StatedPayloadRef:
    short = payload.name.rpartition(".")[2].rpartition(":")[2]
    return StatedPayloadRef(payload.name, stated=type(short, (FoundRule,), {"found": rules}), of=payload)


def _check_whole(name: str, found: Inferred) -> None:
    """Check that a rule was found for all columns.

    Raises:
        PlanError: saying what shows that there is none.
    """
    start = f"{name}: its rule can't be trusted: for {_WHERE[found.point]}"
    if found.unstable is not None:
        question, first, second = found.unstable
        twice = f"for {_pair(question)} it returned {_answer(first)}, then {_answer(second)}"
        msg = f"{start} the result of the class depends on more than these ({twice}); {_INSTEAD}"
    elif found.rule is None:
        msg = f"{start} no rule gives the results of the class for all {found.asked:,} pairs; {_INSTEAD}"
    elif found.unsaid:
        names = ", ".join(repr(one.column) for one in found.unsaid)
        one = found.unsaid[0]
        shows = f"for {_pair(one.question)} it returns {_answer(one.answer)}"
        msg = f"{start} only the class decides the column {names} ({shows}); {_INSTEAD}"
    else:
        return
    raise PlanError(msg)


def _pair(question: Question) -> str:
    return f"{question.older.record} and {question.newer.record}"


def _answer(answer: Answer) -> str:
    if answer.error is not None:
        return f"an error ({answer.error})"
    return "a delete" if answer.is_delete or answer.record is None else str(answer.record)
