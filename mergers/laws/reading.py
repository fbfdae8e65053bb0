"""Which columns a class reads, and which values it can take: by its code, and by what its merges show."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from mergers.laws.constants import words_in
from mergers.laws.core import Act, Expr, Incoming, Merge, Operands, Row
from mergers.laws.equality import Failed, Observed, error_kind
from mergers.laws.pools import Hints, each_once, families, pool
from mergers.laws.universe import RecordMaker, data_columns, leads_a_delete
from payloads.ordering_fields import PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS
from payloads.user import error_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mergers.laws.evaluate import Evaluator
    from mergers.laws.pools import Family
    from mergers.laws.universe import RecordSpec
    from payloads.avro import Field

_API: Final = frozenset({"AVRO", "SPARK", "FLINK", "ordering_value", "operation", "schema", "props"})
"""Texts that a merger has for the sake of its interface."""
_MERGE: Final = Merge(Incoming(0), Incoming(1))
_ACT: Final = Act(Row(), Incoming(0))
_FEW: Final = 2
_MOST_FREQUENT: Final = 4
_MOST_CONSTANTS: Final = 40
_MOST_TRIED: Final = 600
_ORDERS: Final = ((1, 2), (2, 1), (2, 2))
"""The ordering values of an older and a newer version: in order, late, and a tie."""


def studied(spec: RecordSpec, evaluator: Evaluator, *, is_ours: bool) -> RecordSpec:
    """Return a specification that knows the columns that the judged class reads, and values that suit it.

    The code says which columns it names; `words` and `constants` of the algebra have them. What merges show says the
    rest: in a class that goes by the fields of the schema a column is read if its values decide more than themselves.
    A text that the class can't parse is replaced by one of a form that it can; null is left out where it fails on it.
    """
    api = _API | {getattr(getattr(algebra, "merger", None), "merging_strategy", None) for algebra in evaluator.algebras}
    constants = [
        one
        for algebra in evaluator.algebras
        for one in getattr(algebra, "constants", ())
        if not (isinstance(one, str) and one in api)
    ]
    words = {word for algebra in evaluator.algebras for word in _words(algebra, constants)}
    stated = [
        value for name, value in spec.props.items() if name not in {PAYLOAD_ORDERING_FIELD, TABLE_ORDERING_FIELDS}
    ]
    words.update(word for value in stated for word in words_in(value))
    named = tuple(field.name for field in spec.schema.fields if _is_named(field, words))
    spec = spec._replace(named=named)
    columns = data_columns(spec)
    hints = {field.name: _hints(field, spec, [*constants, *stated]) for field in columns}
    spec = spec._replace(pools=_pools(spec, columns, hints))
    if is_ours:
        return spec  # our classes treat columns alike, each by itself
    study = _Study(spec, evaluator, hints, families(constants))
    study.fit_texts()
    study.leave_out_nulls()
    return study.spec._replace(read=study.read())


def _words(algebra: object, constants: Sequence[object]) -> Iterable[str]:
    found: Iterable[str] | None = getattr(algebra, "words", None)
    return found if found is not None else (word for one in constants if isinstance(one, str) for word in words_in(one))


def _is_named(field: Field, words: set[str]) -> bool:
    name = field.name.lower()
    return name in words or all(part in words for part in words_in(name))


def _hints(field: Field, spec: RecordSpec, constants: Sequence[object]) -> Hints:
    """Return the constants, those first that stand near the column's name in the code, and frequent values of data."""
    names = set(spec.schema.by_name)
    places = {one: place for place, one in reversed(list(enumerate(constants))) if isinstance(one, str)}
    own = places.get(field.name)
    others = [(place, one) for place, one in enumerate(constants) if not (isinstance(one, str) and one in names)]
    if own is not None:
        others.sort(key=lambda one: (abs(one[0] - own), one[0] < own))
    counts = Counter(repr(record.get(field.name)) for record in spec.data)
    values = {repr(record.get(field.name)): record.get(field.name) for record in spec.data}
    frequent = [values[text] for text, _ in counts.most_common(_MOST_FREQUENT)]
    return Hints(tuple(one for _, one in others[:_MOST_CONSTANTS]), tuple(frequent))


def _pools(spec: RecordSpec, columns: Sequence[Field], hints: Mapping[str, Hints]) -> dict[str, tuple[Any, ...]]:
    found = {}
    for field in columns:
        values = [one for one in pool(field.schema, hints[field.name]) if not leads_a_delete(spec, field.name, one)]
        if field.name == spec.assumed_key:
            values = [one for one in values if one is not None]
        found[field.name] = tuple(values)
    return {name: values for name, values in found.items() if values}


class _Study:
    """Tries merges of records that differ in little.

    Attributes:
        spec: what is known so far.
    """

    def __init__(
        self, spec: RecordSpec, evaluator: Evaluator, hints: Mapping[str, Hints], forms: tuple[Family, ...]
    ) -> None:
        self.spec = spec
        self._evaluator = evaluator
        self._hints = hints
        self._forms = forms
        self._maker = RecordMaker(spec)
        self._tried = 0

    # -- merging

    def _answers(
        self, older: Mapping[str, object], newer: Mapping[str, object], ranks: tuple[int, int]
    ) -> list[object]:
        """Merge two versions with these values, and the newer one with a stored row that has the older values."""
        maker = self._maker
        left, right = maker.version(ranks[0], older), maker.version(ranks[1], newer)
        batch = Operands(None, (left, right))
        stored = Operands(left.record, (right,))
        return [self._answer(_MERGE, batch), self._answer(_ACT, stored)]

    def _gather(self, asked: Iterable[tuple[Mapping[str, object], Mapping[str, object], tuple[int, int]]]) -> None:
        """Tell of the merges that `_answers` will ask for."""
        pairs = [
            (self._maker.version(ranks[0], older), self._maker.version(ranks[1], newer))
            for older, newer, ranks in asked
        ]
        bind = self._evaluator.bind
        self._evaluator.gather([_MERGE], [bind(Operands(None, pair)) for pair in pairs])
        self._evaluator.gather([_ACT], [bind(Operands(left.record, (right,))) for left, right in pairs])

    def _answer(self, expr: Expr, operands: Operands) -> Any:
        return self._evaluator.value(expr, self._evaluator.bind(operands)).answer

    def _errors(self, older: Mapping[str, object], newer: Mapping[str, object]) -> list[Exception]:
        self._gather((older, newer, ranks) for ranks in _ORDERS[:2])
        answers = [one for ranks in _ORDERS[:2] for one in self._answers(older, newer, ranks)]
        return [answer.error for answer in answers if isinstance(answer, Failed)]

    # -- texts that are parsed

    def fit_texts(self) -> None:
        """Give the columns whose texts the class can't read texts of another form, where that helps."""
        texts = [name for name in self.spec.pools if _has_text(self.spec.schema.by_name[name])]
        texts = [name for name in texts if name in self.spec.named] or texts
        best = self._failures({})
        if not best[0] or not texts:
            return
        chosen: dict[str, tuple[str, ...]] = {}
        for _ in range(len(texts)):  # each round may settle one column
            before = best
            for name in texts:
                for _, form in self._forms if self._tried < _MOST_TRIED else ():
                    tried = self._failures(chosen | {name: form})
                    # Another error is a step further, as the class then fails at another place.
                    if tried[0] < best[0] or (tried[0] == best[0] and tried[1] != best[1] and name not in chosen):
                        if tried[0] == best[0] and not self._leads_on(chosen | {name: form}, texts, best[0]):
                            continue
                        best, chosen = tried, chosen | {name: form}
                    if not best[0]:
                        break
            if not best[0] or best == before:
                break
        also = {} if best[0] else {name: self._read_as_well(name, chosen) for name in chosen}
        for name, form in chosen.items():
            self._take(name, (*form, *also.get(name, ())))

    def _read_as_well(self, name: str, chosen: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        """Return texts of the other forms that a class reads in a column: one that parses JSON reads a number, too."""
        others = (form for _, form in self._forms if form != chosen[name] and self._tried < _MOST_TRIED)
        return tuple(text for form in others if not self._failures({**chosen, name: form})[0] for text in form[:_FEW])

    def _leads_on(self, chosen: Mapping[str, tuple[str, ...]], texts: Sequence[str], failures: int) -> bool:
        """Whether one more column of another form lets fewer merges fail."""
        rest = [name for name in texts if name not in chosen and self._tried < _MOST_TRIED]
        return any(self._failures({**chosen, name: form})[0] < failures for name in rest for _, form in self._forms)

    def _failures(self, chosen: Mapping[str, tuple[str, ...]]) -> tuple[int, tuple[Any, ...]]:
        """Return how many merges fail if columns have texts of these forms, and how."""
        self._tried += 1
        first = {name: values[0] for name, values in self.spec.pools.items()}
        second = {name: values[min(1, len(values) - 1)] for name, values in self.spec.pools.items()}
        for name, form in chosen.items():
            values = pool(self.spec.schema.by_name[name].schema, Hints(texts=form))
            first[name], second[name] = values[0], values[min(1, len(values) - 1)]
        errors = self._errors(first, second)
        return len(errors), tuple((error_kind(error), error_text(error)) for error in errors)

    def _take(self, name: str, form: tuple[str, ...]) -> None:
        field = self.spec.schema.by_name[name]
        frequent = [one for one in self._hints[name].frequent if not self._failures_with(name, one, form)]
        values = pool(field.schema, Hints(frequent=tuple(frequent), texts=form))
        self._set(name, each_once(one for one in values if not leads_a_delete(self.spec, name, one)))
        self.spec = self.spec._replace(forms={**self.spec.forms, name: form})

    def _failures_with(self, name: str, value: object, form: tuple[str, ...]) -> int:
        return 0 if value is None or value in form else self._failures({name: (str(value),)})[0]

    def _set(self, name: str, values: tuple[object, ...]) -> None:
        self.spec = self.spec._replace(pools={**self.spec.pools, name: values})
        self._maker = RecordMaker(self.spec)

    # -- nulls

    def leave_out_nulls(self) -> None:
        """Leave out null in columns where every merge of it fails, and others do not."""
        if len(self._errors({}, {})):
            return
        for name, values in self.spec.pools.items():
            if not any(one is None for one in values) or len(values) == 1:
                continue
            errors = self._errors({name: None}, {name: None})
            if errors:
                self._set(name, tuple(one for one in values if one is not None))
                told = f"{name}: null, on which it fails ({type(errors[0]).__name__}: {error_text(errors[0], 200)})"
                self.spec = self.spec._replace(left_out=(*self.spec.left_out, told))

    # -- columns that are read

    def read(self) -> tuple[str, ...]:
        """Return the columns that the code names, and those whose values decide more than themselves."""
        return tuple(name for name in self.spec.pools if name in self.spec.named or self._decides(name))

    def _decides(self, name: str) -> bool:
        is_remote = getattr(self._evaluator.algebra, "is_remote", False)
        values = self.spec.pools[name][: 2 if is_remote else 3]
        self._gather(({name: older}, {name: newer}, ranks) for ranks in _ORDERS for older in values for newer in values)
        for ranks in _ORDERS:
            seen: set[tuple[Any, ...]] = set()
            for older in values:
                for newer in values:
                    answers = self._answers({name: older}, {name: newer}, ranks)
                    seen.add(tuple(_without(answer, name, older, newer) for answer in answers))
                    if any(_is_made(answer, name, older, newer) for answer in answers):
                        return True
            # Equal values can't tell whose they are.
            if len({_undecided(one) for one in seen}) > 1 or _sides(seen):
                return True
        return False


def _has_text(field: Field) -> bool:
    return any(branch.kind == "string" for branch in (field.schema, *field.schema.branches))


def _without(answer: object, name: str, older: object, newer: object) -> tuple[Any, ...]:
    """Return what an answer has besides a column, and whose value it has there; `both` if they are equal."""
    if not isinstance(answer, Observed):
        return ("failed", repr(type(getattr(answer, "error", None))), "both")
    if answer.record is None:
        return ("none", answer.is_delete, "both")
    rest = {one: value for one, value in answer.record.items() if one != name}
    value = repr(answer.record.get(name))
    whose = "both" if repr(older) == repr(newer) else "older" if value == repr(older) else "newer"
    return (repr(rest), (repr(answer.ordering), answer.is_delete), whose)


def _undecided(seen: tuple[Any, ...]) -> tuple[object, ...]:
    return tuple(one[:2] for one in seen)


def _sides(seen: set[tuple[Any, ...]]) -> bool:
    """Whether one answer of a pair of merges has the value now of the older and now of the newer side."""
    return any(len({one[at][2] for one in seen} - {"both"}) > 1 for at in range(len(next(iter(seen)))))


def _is_made(answer: object, name: str, older: object, newer: object) -> bool:
    """Whether a merge made a value of its own."""
    if not isinstance(answer, Observed) or answer.record is None:
        return False
    return repr(answer.record.get(name)) not in {repr(older), repr(newer)}
