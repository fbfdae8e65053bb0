"""Whether another class gives the answers of one that was asked: all that is observable of them, not the data alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mergers.laws.equality import same_bytes
from mergers.laws.evaluate import Evaluator
from mergers.laws.infer.questions import Answer, Asked, Question
from mergers.laws.infer.table import fault, shown
from payloads.rules import Point

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.laws import Subject
    from mergers.laws.infer.inference import Inferred
    from payloads.avro import Record


class OtherAnswer(NamedTuple):
    """A pair of versions to which two classes give different answers."""

    question: Question
    answer: Answer
    other: Answer


def first_difference(
    found: Inferred, other: Subject, deletes: Callable[[Record], bool] = lambda _: False
) -> OtherAnswer | None:
    """Return the smallest pair of those that a class was asked to which another class gives another answer.

    An ordering value counts where the class carries one; Integer 0 is none.

    Args:
        found: what was asked, with the answers.
        other: the other class, for rows of the same schema.
        deletes: whether a row deletes, whatever is stored: in a batch one class may keep it, and another one delete.
    """
    asked = Asked(Evaluator(other.algebra, same_bytes), found.point)
    questions = [question for question, _ in found.pairs]
    differing = [
        OtherAnswer(question, answer, theirs)
        for (question, answer), theirs in zip(found.pairs, asked.all(questions), strict=True)
        if not _is_same(answer, theirs) and not (found.point is Point.BATCH and _deletes_later(answer, theirs, deletes))
    ]
    return min(differing, key=lambda one: len(repr(one.question)), default=None)


def _deletes_later(one: Answer, other: Answer, deletes: Callable[[Record], bool]) -> bool:
    """Whether a class keeps a row where the other one deletes, with which it deletes where that meets the table."""
    is_delete = other.error is None and not other.is_row
    return is_delete and one.is_row and one.record is not None and deletes(one.record)


def _is_same(one: Answer, other: Answer) -> bool:
    if one.error is not None or other.error is not None:
        return one.error is not None and other.error is not None and fault(one.error) is fault(other.error)
    if one.is_delete != other.is_delete or shown(one.record) != shown(other.record):
        return False
    carries = one.ordering is not None and not one.ordering.is_default
    return not carries or repr(one.ordering) == repr(other.ordering)
