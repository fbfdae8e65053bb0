"""Finding the rule of a class by asking it: a draft, then questions that could refute it, until none does."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from mergers.laws.equality import same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.infer.questions import Answer, Asked, Question, Questions
from mergers.laws.infer.search import PartialRule, draft
from mergers.laws.infer.table import Table, fault, shown
from mergers.laws.infer.tidy import tidied
from mergers.laws.pools import each_once
from mergers.laws.reading import studied
from mergers.laws.repetition import is_ours
from mergers.laws.universe import delete_forms
from payloads.builtin import UNAVAILABLE
from payloads.records import merged
from payloads.rules import ByArrival, Effect, Error, MergeRule, Point, check_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers.laws import Subject
    from mergers.laws.universe import RecordSpec
    from payloads.avro import AvroSchema, Record
    from payloads.records import RuleVersion
    from payloads.user import CallGuard

_DRAWN: Final = 1_000
_REFUTES: Final = 3_000
_ROUNDS: Final = 5
_KEPT: Final = 40
_NEAR: Final = 12
_AGAIN: Final = 300


class UnexpressedColumn(NamedTuple):
    """A column that no rule was found for, and the smallest pair on which the best one fails."""

    column: str
    question: Question
    answer: Answer


class Inferred(NamedTuple):
    """What was found out about a class at a merge point.

    Attributes:
        point: where versions meet.
        rule: what gives every answer, but for the columns below; None where none was found.
        unsaid: the columns that the class alone decides.
        asked: how many pairs the rule was held against; none of them refutes it.
        unstable: a question that had two answers: the answer depends on more than the two versions.
        seconds: how long it took.
        pairs: those that were asked, with the answers.
        telling: the pairs of these that an earlier draft of the rule failed on.
    """

    point: Point
    rule: MergeRule | None
    unsaid: tuple[UnexpressedColumn, ...]
    asked: int
    unstable: tuple[Question, Answer, Answer] | None
    seconds: float
    pairs: tuple[tuple[Question, Answer], ...] = ()
    telling: tuple[tuple[Question, Answer], ...] = ()


def infer(
    subject: Subject, point: Point, *, data: Iterable[Record] = (), seed: int = 0, guard: CallGuard | None = None
) -> Inferred:
    """Find the smallest rule by which a payload or merger merges at a point.

    Args:
        subject: the class, its schema and its ordering fields, as `subject_of` returns them.
        point: where versions meet.
        data: rows of the user, which are asked about, too.
        seed: repeats the questions.
        guard: watches the calls.

    Raises:
        CallEndedError: a call of the class took too long, or tried to end the process.
    """
    return _Inference(subject, point, tuple(data), seed, guard).found()


def asked_anew(
    subject: Subject, point: Point, *, count: int, seed: int, guard: CallGuard | None = None
) -> list[tuple[Question, Answer]]:
    """Ask a class `count` questions of another seed; arguments as in `infer`."""
    inference = _Inference(subject, point, (), seed, guard)
    return inference.drawn(count)


class _Inference:
    def __init__(
        self, subject: Subject, point: Point, data: Sequence[Record], seed: int, guard: CallGuard | None
    ) -> None:
        self._start = time.monotonic()
        algebra = subject.algebra
        evaluator = Evaluator(algebra, same_bytes, guard=guard)
        spec = studied(subject.spec._replace(data=tuple(data)), evaluator, is_ours=is_ours(algebra))
        evaluator.forget()
        self._schema: AvroSchema = spec.schema
        self._point, self._data = point, data
        self._ask = Asked(evaluator, point)
        named = _named_by(algebra, spec)
        self._questions = Questions(spec, point, seed, named)
        self._constants = named
        self._asked: dict[str, tuple[Question, Answer]] = {}

    def found(self) -> Inferred:
        self._learn(
            itertools.chain(
                self._questions.one_by_one(),
                self._questions.named(),
                self._questions.drawn(_DRAWN),
                self._questions.of_rows(self._data),
            )
        )
        best = PartialRule(None, (), 0)
        tried: list[tuple[Question, Answer]] = []
        telling: list[tuple[Question, Answer]] = []
        for _ in range(_ROUNDS):
            table = Table(self._schema, self._point, [*self._asked.values()], self._constants)
            best = draft(table)
            if best.rule is None:
                break
            check_rule(best.rule, self._schema)
            tried = self.drawn(_REFUTES)
            refuting = [(question, answer) for question, answer in tried if not self._agrees(best, question, answer)]
            if not refuting:
                break
            telling += refuting[:_KEPT]
            wrong = [question for question, _ in refuting]
            near = (
                one for question in wrong[:_KEPT] for one in itertools.islice(self._questions.near(question), _NEAR)
            )
            self._learn([*wrong[:_KEPT], *near])
        else:
            best = PartialRule(None, (), 0)
        # Pairs that only an earlier draft was held against say nothing about this one.
        asked = [*self._asked.values(), *tried]
        unstable = self._unstable()
        best = self._settled(best, asked) if unstable is None else PartialRule(None, (), 0)
        unsaid = tuple(self._example(best, name) for name in best.unsaid)
        seconds = time.monotonic() - self._start
        return Inferred(self._point, best.rule, unsaid, len(asked), unstable, seconds, tuple(asked), tuple(telling))

    def _settled(self, best: PartialRule, asked: Sequence[tuple[Question, Answer]]) -> PartialRule:
        """Return a draft in its shortest form; one without a rule if a pair refutes it or no column is said."""
        said = {name for name, values in self._questions.pools.items() if len(values) > 1} - {*best.unsaid}
        if best.rule is None or not said or not all(self._agrees(best, *one) for one in asked):
            return PartialRule(None, (), 0)
        short = best._replace(rule=tidied(best.rule))
        return short if all(self._agrees(short, *one) for one in asked) else best

    def drawn(self, count: int) -> list[tuple[Question, Answer]]:
        """Draw questions, and ask them."""
        questions = [*self._questions.drawn(count)]
        return [*zip(questions, self._ask.all(questions), strict=True)]

    def _learn(self, questions: Iterable[Question]) -> None:
        new = {repr(question): question for question in questions}
        left = [question for text, question in new.items() if text not in self._asked]
        self._asked |= {
            repr(question): (question, answer) for question, answer in zip(left, self._ask.all(left), strict=True)
        }

    def _agrees(self, found: PartialRule, question: Question, answer: Answer) -> bool:
        return found.rule is not None and agrees(found.rule, question, answer, self._schema, found.unsaid)

    def _example(self, found: PartialRule, name: str) -> UnexpressedColumn:
        others = tuple(one for one in found.unsaid if one != name)
        fails = [
            (question, answer)
            for question, answer in self._asked.values()
            if answer.is_row and (found.rule is None or not agrees(found.rule, question, answer, self._schema, others))
        ]
        question, answer = min(fails or self._asked.values(), key=lambda one: len(repr(one[0])))
        return UnexpressedColumn(name, question, answer)

    def _unstable(self) -> tuple[Question, Answer, Answer] | None:
        """Ask some questions again, in another order."""
        some = [*self._asked.values()][:_AGAIN][::-1]
        for (question, before), after in zip(some, self._ask.all(one for one, _ in some), strict=True):
            if _shown(before) != _shown(after):
                return question, before, after
        return None


def _named_by(algebra: object, spec: RecordSpec) -> tuple[object, ...]:
    """Return the values that a class may compare with: those of its code and properties, and of deletes."""
    known = [*getattr(algebra, "constants", ()), *spec.props.values()]
    known += [form.value for form in delete_forms(spec.schema, spec.props)]
    known += [UNAVAILABLE] if spec.markers else []
    columns = spec.schema.by_name
    return each_once(one for one in known if isinstance(one, bool | int | str | bytes) and one not in columns)


def agrees(rule: MergeRule, question: Question, answer: Answer, schema: AvroSchema, unsaid: Sequence[str] = ()) -> bool:
    """Whether a rule gives an answer, by value; columns that are `unsaid` don't count."""
    found = merged(rule, *question, schema)
    if found is None:
        return False
    match found.gives:
        case Error(kind):
            return answer.error is not None and fault(answer.error) is kind
        case Effect.DELETE:
            return answer.error is None and answer.record is None
        case Effect.SENTINEL:
            return answer.error is None and answer.is_older
        case _:
            return answer.error is None and _is_same(rule, found.version, question, answer, unsaid)


def _is_same(
    rule: MergeRule, version: RuleVersion | None, question: Question, answer: Answer, unsaid: Sequence[str]
) -> bool:
    if version is question.older and answer.is_older:
        return True
    if version is question.newer and answer.is_newer:
        return True
    is_whole = version is question.older or version is question.newer
    if version is not None and not is_whole and not _carries(rule, version, answer):
        return False
    if version is None or version.record is None or answer.record is None or not answer.is_row:
        return False
    if (is_whole and not unsaid) or answer.record.keys() != version.record.keys():
        return False
    return all(
        shown(answer.record[name]) == shown(value) for name, value in version.record.items() if name not in unsaid
    )


def _carries(rule: MergeRule, version: RuleVersion, answer: Answer) -> bool:
    """Whether a made version of a batch carries its ordering value on; by arrival it may have none (Integer 0)."""
    if answer.ordering is None or (isinstance(rule.later, ByArrival) and answer.ordering.is_default):
        return True
    return repr(answer.ordering) == repr(version.ordering)


def _shown(answer: Answer) -> tuple[object, ...]:
    error = None if answer.error is None else type(answer.error)
    return shown(answer.record), repr(answer.ordering), answer.is_delete, error
