"""Whether a generated merger gives the answers of the class that it replaces, on the pairs that the class was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mergers import HoodieAvroIndexedRecord, HoodieEmptyRecord, HoodieKey
from mergers.compat import pre_combining
from mergers.laws.infer import agrees
from mergers.rules.source import Example, alone
from payloads.avro import same_record, value_text
from payloads.errors import PayloadBridgeError
from payloads.ordering import NATURAL_ORDER
from payloads.ordering_fields import list_reader
from payloads.rules import IS_DELETED, Point
from payloads.user import copied

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mergers import HoodieRecord, HoodieRecordMerger
    from mergers.laws.infer import Answer, Question
    from payloads.avro import AvroSchema, Record
    from payloads.ordering import Ordering
    from payloads.rules import Marker

    Pair = tuple[Question, Answer]

_KEY: Final = HoodieKey("key", "partition")


class Disagreement(NamedTuple):
    """The smallest pair of versions that a merger and the class merge otherwise.

    Attributes:
        point: where they meet.
        question: the pair.
        answer: what the class makes of it.
        merged: what the merger makes of it, in words.
    """

    point: Point
    question: Question
    answer: Answer
    merged: str


class Agreement:
    """Compares mergers with a class.

    Attributes:
        schema: that of the rows.
        marker: the text that Hudi takes for a delete.
    """

    def __init__(
        self, schema: AvroSchema, ordering: Sequence[str], props: dict[str, str], marker: Marker | None
    ) -> None:
        self.schema, self._props, self.marker = schema, props, marker
        self._read: Any = list_reader(schema, tuple(ordering)) if ordering else lambda _: NATURAL_ORDER

    def disagreement(
        self, merger: object, point: Point, pairs: Iterable[Pair], left: Sequence[str] = ()
    ) -> Disagreement | None:
        """Return the smallest pair that is merged otherwise; columns that are `left` to the class don't count."""
        found = self.disagreements(merger, point, pairs, left)
        return min(found, key=lambda one: len(repr(one.question)), default=None)

    def disagreements(
        self, merger: Any, point: Point, pairs: Iterable[Pair], left: Sequence[str] = ()
    ) -> list[Disagreement]:
        """Return all pairs that are merged otherwise."""
        asked = pre_combining(merger) if point is Point.BATCH else merger
        return [
            Disagreement(point, question, answer, told)
            for question, answer in pairs
            if (told := self._differs(asked, point, question, answer, left)) is not None
        ]

    def _differs(
        self, merger: HoodieRecordMerger, point: Point, question: Question, answer: Answer, left: Sequence[str]
    ) -> str | None:
        """Return what the merger makes of a pair, in words, where that is not the answer."""
        older, newer = question
        if point is Point.ALONE:
            fits = agrees(alone(self.marker), question, answer, self.schema)
            return None if fits else "drops it" if newer.record is None or self._marks(newer.record) else "inserts it"
        if point is Point.BATCH and any(one.record is None and one.ordering == NATURAL_ORDER for one in question):
            return None  # Hudi's own delete without an ordering value replaces what is older, whatever merges
        stored = point is Point.STORED
        sides = (
            self._carrier(older.record, self._ordering(older.record) if stored else older.ordering, marks=not stored),
            self._carrier(newer.record, newer.ordering, marks=True),
        )
        try:
            merged: Any = merger.merge(*sides, self.schema, self._props)
        except PayloadBridgeError as error:
            return None if answer.error is not None else f"an error ({error})"
        is_kept = merged is not None and (not merged.marked_delete or self._stays_marked(point, answer))
        record = merged.record if is_kept else None
        return None if self._fits(record, answer, left) else str(record or "a delete")

    def _stays_marked(self, point: Point, answer: Answer) -> bool:
        """Whether a class keeps a row in a batch that Hudi takes for a delete: both delete with it afterwards."""
        return point is Point.BATCH and answer.is_row and self._marks(answer.record)

    def _fits(self, record: Record | None, answer: Answer, left: Sequence[str]) -> bool:
        """Whether a row, or None for a delete, is an answer; what a class makes carries its own ordering value on."""
        if answer.error is not None or record is None or not answer.is_row:
            return answer.error is None and record is None and not answer.is_row
        if not same_record(record, {**(answer.record or {}), **{name: record[name] for name in left}}):
            return False
        is_made = not (answer.is_older or answer.is_newer)
        return not is_made or answer.ordering in {None, self._ordering(record), NATURAL_ORDER}

    def example(self, point: Point, question: Question, answer: Answer) -> Example | None:
        """Return a pair as an example; None for one that fails, or that needs more than its columns say."""
        older, newer = question
        if answer.error is not None or newer.ordering is None or self._marks(older.record) or self._marks(newer.record):
            return None
        if point is Point.STORED:
            older = older._replace(ordering=self._ordering(older.record))
        elif older.record is None or newer.record is None:
            return None
        if any(one.ordering != self._ordering(one.record) for one in (older, newer)):
            return None
        return Example("", older, newer, answer.record if answer.is_row else None)

    def _marks(self, record: Record | None) -> bool:
        """Whether Hudi takes a version with data for a delete."""
        marker = self.marker
        if record is None:
            return False
        value = None if marker is None else record.get(marker.column)
        if marker is None or value is None:
            return record.get(IS_DELETED) is True
        text = value_text(self.schema.by_name[marker.column].schema, value)
        return record.get(IS_DELETED) is True or text == marker.text

    def _ordering(self, record: Record | None) -> Ordering:
        value: Ordering | None = None if record is None else self._read(record)
        return NATURAL_ORDER if value is None else value

    def _carrier(self, record: Record | None, ordering: Ordering | None, *, marks: bool) -> HoodieRecord:
        if record is None:
            return HoodieEmptyRecord(_KEY, None, ordering)
        operation = "D" if marks and self._marks(record) else None
        return HoodieAvroIndexedRecord(_KEY, copied(record), self.schema, operation, ordering)
