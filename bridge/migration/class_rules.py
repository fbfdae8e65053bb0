"""The rules of a user's class, found by asking it, as those of a merger that gives the same answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bridge.migration.agreement import Agreement, Disagreement
from bridge.redaction import shown_message
from bridge.report import shown_record
from bridge.spark import META_COLUMNS
from bridge.verify import compiled, sample_of
from mergers import adapt_merger
from mergers.laws import Version, subject_of
from mergers.laws.infer import infer
from mergers.rules.source import Example, MergerRules, NotStatedError, PointRule, examples_of, forms_of, marker_of
from mergers.rules.words import TERMS
from payloads.avro import same_record
from payloads.ordering import NATURAL_ORDER
from payloads.rules import Point
from payloads.user import CallGuard, EditedRecord, copied

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyspark.sql import SparkSession

    from bridge.pipeline import Batches
    from bridge.plan import MergePlan
    from bridge.report import JsonObject
    from mergers.laws import Subject
    from mergers.laws.infer import Answer, Inferred, Question
    from payloads.avro import AvroSchema, Record
    from payloads.rules import Marker, MergeRule

POINTS: Final = (Point.BATCH, Point.STORED, Point.ALONE)
_ASKED_AGAIN: Final = 100
_TELLING: Final = 4
"""How many of the pairs that told the rule from simpler ones are tested."""


class ClassRules(NamedTuple):
    """What was found out about a class.

    Attributes:
        found: what asking it found, by merge point.
        subject: the class as it was asked, with the schema of its rows.
        rules: those of a merger that gives all its answers; None where there is none.
        examples: the smallest pair of each branch of these rules, by merge point.
        refused: why there are none.
        edited: the smallest pair for which the class writes into the stored row and gives that back; None if it never
            does. From 1.1 on what it wrote is lost where a log is read.
        edited_own: the smallest pair for which the class writes into its own row and gives that back, likewise.
    """

    found: Mapping[Point, Inferred]
    subject: Subject
    rules: MergerRules | None
    examples: tuple[tuple[Point, Example], ...] = ()
    refused: str = ""
    edited: Question | None = None
    edited_own: Question | None = None

    @property
    def schema(self) -> AvroSchema:
        """The schema of the rows that were asked about."""
        return self.subject.spec.schema

    @property
    def agreement(self) -> Agreement:
        """What compares a merger with the class."""
        return _agreement(self.subject, None if self.rules is None else self.rules.marker)

    def disagreement(self, merger: object) -> Disagreement | None:
        """Return a pair that a merger and the class merge otherwise; the smallest of the first point that has one."""
        agreement = self.agreement
        found = (agreement.disagreement(merger, point, self.found[point].pairs) for point in POINTS)
        return next(filter(None, found), None)


def class_rules(left: MergePlan, batches: Batches | None, spark: SparkSession | None) -> ClassRules | None:
    """Ask the payload class of a plan for its rules; None where the columns of its rows, or its JVM, are not there.

    Args:
        left: the class, in the release in which it runs.
        batches: its rows; None without data.
        spark: the session, for a compiled class.

    Raises:
        PayloadBridgeError: the class can't be loaded, or a column is not in the schema.
        CallEndedError: a call of the class took too long, or tried to end the process.
    """
    payload = left.payload
    if payload is None or (batches is None and left.schema is None) or (left.runs_java and spark is None):
        return None
    schema = left.schema
    rows: tuple[Record, ...] = ()
    if batches is not None:
        versions = batches.versions(left)
        own = [name for name in versions.columns if name not in META_COLUMNS and not name.startswith("_pb_")]
        schema, rows = sample_of(versions.select(*own), left.release, schema)
    known: JsonObject = {"schema": schema, "key": [name for name in left.key if name not in META_COLUMNS]}
    with CallGuard(left.payload_name, left.call_timeout) as guard:
        if left.runs_java and spark is not None:
            subject = compiled(spark, payload, left.release, ordering=left.ordering, props=left.props, **known).java
        else:
            named: dict[str, Any] = known | {
                "ordering_fields": left.ordering,
                "release": left.release,
                "props": dict(left.props),
            }
            subject = guard.call("loading it", lambda: subject_of(payload, **named))
        found = {point: infer(subject, point, data=rows, guard=guard) for point in POINTS}
    return rules_of(found, subject)


def rules_of(found: Mapping[Point, Inferred], subject: Subject) -> ClassRules:
    """Return what was found at each merge point with the rules of a merger, where one gives the same answers."""
    made = _made(found[Point.STORED])
    edited = _smallest(made, lambda one: _is_edited(subject, one))
    edited_own = _smallest(made, lambda one: _is_own_edited(subject, one))
    try:
        rules = _merger_rules(found, subject)
    except NotStatedError as error:
        return ClassRules(found, subject, None, refused=str(error), edited=edited, edited_own=edited_own)
    examples = tuple(_examples(found, rules, _agreement(subject, rules.marker)))
    return ClassRules(found, subject, rules, examples, edited=edited, edited_own=edited_own)


def _made(found: Inferred) -> list[Question]:
    """Return the questions that a class answers with a row that is neither version."""
    return [one for one, answer in found.pairs if answer.is_row and not (answer.is_older or answer.is_newer)]


def _smallest(questions: Iterable[Question], test: Callable[[Question], bool]) -> Question | None:
    """Return the smallest question that passes a test; only the smaller ones are tried."""
    asked = sorted(questions, key=lambda one: len(repr(one)))[:_ASKED_AGAIN]
    return next(filter(test, asked), None)


def _is_edited(subject: Subject, question: Question) -> bool:
    older, newer = question
    if older.record is None or newer.record is None:
        return False
    row = copied(older.record)
    ordering = NATURAL_ORDER if newer.ordering is None else newer.ordering
    algebra: Any = subject.algebra
    given = algebra.act(row, algebra.incoming(Version(newer.record, ordering)))
    return given is not None and same_record(given, row) and not same_record(row, older.record)


def _is_own_edited(subject: Subject, question: Question) -> bool:
    """Whether a class gives back its own row, with what it has written into it."""
    older, newer = question
    if newer.record is None or older.record is None:
        return False
    ordering = NATURAL_ORDER if newer.ordering is None else newer.ordering
    algebra: Any = subject.algebra
    given = algebra.act(copied(older.record), algebra.incoming(Version(newer.record, ordering)))
    return isinstance(given, EditedRecord) and not given.is_current


def _agreement(subject: Subject, marker: Marker | None) -> Agreement:
    spec = subject.spec
    return Agreement(spec.schema, spec.ordering_fields, dict(spec.props), marker)


def _merger_rules(found: Mapping[Point, Inferred], subject: Subject) -> MergerRules:
    """Return the rules of a merger that gives the answers of the class.

    Raises:
        NotStatedError: saying which answers no merger gives.
    """
    stored, batch = found[Point.STORED], found[Point.BATCH]
    marker = marker_of(found[Point.ALONE].rule or stored.rule)
    agreement, ordering = _agreement(subject, marker), subject.spec.ordering_fields
    inserts = agreement.disagreement(_NO_MERGER, Point.ALONE, found[Point.ALONE].pairs)
    if inserts is not None:
        raise NotStatedError(told(inserts))
    of_row = _stated(stored, agreement, ordering)
    of_batch = _stated(batch, agreement, ordering)
    for rule in (of_row, of_batch):
        one = adapt_merger(merger_of(rule.rule))
        wrong = (agreement.disagreement(one, point, found[point].pairs) for point in (Point.BATCH, Point.STORED))
        if not rule.left and not any(wrong):
            return MergerRules(rule._replace(asked=stored.asked + batch.asked), None, marker)
    return MergerRules(of_row, of_batch, marker)


def _stated(found: Inferred, agreement: Agreement, ordering: tuple[str, ...]) -> PointRule:
    """Return the shortest rule of a merger that agrees with a class at a point."""
    where = f"at the merge point {found.point.value!r}"
    if found.rule is None:
        msg = f"{where} no rule gives the results of the class"
        raise NotStatedError(msg)
    left = tuple(one.column for one in found.unsaid)
    wrong = None
    for rule in forms_of(found.rule, ordering, agreement.marker):
        wrong = agreement.disagreement(adapt_merger(merger_of(rule)), found.point, found.pairs, left)
        if wrong is None:
            return PointRule(rule, left, found.asked)
    raise NotStatedError(told(wrong))


class _OfRule:
    """A merger by a rule; `rule` is set in subclasses."""

    merging_strategy = "00000000-0000-0000-0000-000000000001"
    record_type = "AVRO"


def merger_of(rule: MergeRule) -> Any:
    """Return a merger that states a rule."""
    return type("Merger", (_OfRule,), {"rule": rule})()


_NO_MERGER: object = None  # no merger is asked about a version that meets no other


def told(one: Disagreement | None) -> str:
    """Say where a merger and the class differ."""
    if one is None:
        return ""
    older, newer = (shown_record(version.record) for version in one.question)
    if one.point is Point.ALONE:
        of_class = f"for {newer} alone the class returns {answered(one.answer)}"
        return f"{of_class}, but Hudi, which calls no merger then, {one.merged}"
    where = "in a batch" if one.point is Point.BATCH else "as the stored row and a version"
    return f"for {older} and {newer}, {where}, the class returns {answered(one.answer)}, not {one.merged}"


def answered(answer: Answer) -> str:
    """Say what a class makes of two versions."""
    if answer.error is not None:
        return f"an error ({shown_message(str(answer.error))})"
    return "a delete" if answer.is_delete or answer.record is None else str(shown_record(answer.record))


def _examples(
    found: Mapping[Point, Inferred], rules: MergerRules, agreement: Agreement
) -> Iterator[tuple[Point, Example]]:
    """Give the smallest pair of each branch, and the pairs that told the rule from simpler ones."""
    for point in (Point.STORED, Point.BATCH):
        one = found[point]
        rule = rules.stored if point is Point.STORED or rules.batch is None else rules.batch
        pairs = list(filter(None, (agreement.example(point, *pair) for pair in one.pairs)))
        shown = examples_of(rule.whole, pairs, agreement.schema, TERMS[point])
        yield from ((point, example) for example in shown)
        known = {(repr(example.older.record), repr(example.newer.record)) for example in shown}
        telling = list(filter(None, (agreement.example(point, *pair) for pair in one.telling)))
        new = [one for one in telling if (repr(one.older.record), repr(one.newer.record)) not in known]
        for number, example in enumerate(sorted(new, key=lambda one: len(repr(one)))[:_TELLING], start=1):
            yield point, example._replace(shows=f"distinguishes the rule from a simpler one, {number}")
