"""Hypothesis strategies bound to an Avro schema, and the search for a counterexample with them.

The only module of the packages that loads Hypothesis. Values come from small pools as a rule, so that versions collide
and ties are common, and from the whole range of their type now and then.
"""

from __future__ import annotations

import functools
import itertools
import random
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import strategies as st
from hypothesis.errors import Flaky, NoSuchExample

from mergers.laws.core import Domain, Operands, Version
from mergers.laws.universe import delete_forms, value_at
from payloads.builtin.debezium import UNAVAILABLE
from payloads.extract import list_reader
from payloads.ordering import NATURAL_ORDER
from payloads.schema import Branch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mergers.laws.core import Law
    from mergers.laws.evaluate import Bound, Evaluator
    from mergers.laws.nodes import Node
    from mergers.laws.report import Counterexample
    from mergers.laws.universe import Subject
    from payloads.schema import AvroSchema, Field, Record

Strategy = st.SearchStrategy[Any]

_INT, _LONG = 1 << 31, 1 << 63
_DEPTH = 3
_MOST = 4
_PAIR = 2
_RANKS = st.sampled_from((1, 2, 3, 10))  # as text 10 is before 2
_STORED_RANKS = st.sampled_from((0, 2, 4))


def values(schema: AvroSchema, depth: int = _DEPTH) -> Strategy:  # noqa: C901, PLR0911, PLR0912 (one a kind)
    """Return a strategy for physical values of any schema; null is its simplest value where it fits."""
    match schema.kind:
        case "union":
            return _union(schema, depth)
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "int":
            return st.sampled_from((0, 1, 2)) | st.integers(-_INT, _INT - 1)
        case "long":
            return st.sampled_from((0, 1, 2)) | st.integers(-_LONG, _LONG - 1)
        case "float":
            return st.sampled_from((0.0, 1.0)) | st.floats(width=32)
        case "double":
            return st.sampled_from((0.0, 1.0)) | st.floats()
        case "string":
            return st.sampled_from(("", "x", "y")) | st.text(max_size=4)
        case "bytes":
            return st.sampled_from((b"", b"\x01", b"\x80")) | st.binary(max_size=4)
        case "fixed":
            return st.binary(min_size=schema.size, max_size=schema.size)
        case "enum":
            return st.sampled_from(schema.symbols)
        case "array":
            return st.lists(values(schema.items, depth - 1), max_size=2 if depth > 0 else 0)
        case "map":
            return st.dictionaries(
                st.sampled_from("abc"), values(schema.values, depth - 1), max_size=2 if depth > 0 else 0
            )
        case _:
            if depth < -_DEPTH:
                # A record that contains itself without a way out has no values at all.
                return st.nothing()
            return _in_order({field.name: values(field.schema, depth - 1) for field in schema.fields})


def _in_order(fields: dict[str, Strategy]) -> Strategy:
    """Return records with their fields in the order of the schema, which Hypothesis does not keep."""
    return st.fixed_dictionaries(fields).map(lambda record: {name: record[name] for name in fields})


def _union(schema: AvroSchema, depth: int) -> Strategy:
    branches = sorted(schema.branches, key=lambda branch: branch.kind != "null")
    if depth <= 0 and schema.nullable:
        return st.none()
    chosen = []
    for branch in branches:
        inner = values(branch, depth)
        if schema.ambiguous and branch.kind != "null":
            inner = inner.map(functools.partial(Branch, branch.name))
        chosen.append(inner)
    return st.one_of(chosen)


class OperandStrategies:
    """The strategies for one subject and domain: records, versions, stored rows and operands of a law."""

    def __init__(self, subject: Subject, domain: Domain, *, null_orderings: bool = False) -> None:
        """Bind to a schema.

        Args:
            subject: schema, key, ordering fields and properties.
            domain: which versions there are.
            null_orderings: whether an ordering field may be null where its schema allows it.
        """
        self._subject = subject
        self._domain = domain
        self._null_orderings = null_orderings
        self._forms = delete_forms(subject.schema, subject.props)
        fields = subject.ordering_fields
        self._read = list_reader(subject.schema, fields) if fields else lambda _record: NATURAL_ORDER

    def records(self, *, stored: bool = False) -> Strategy:
        """Return records that are no deletes; with common ordering values, as stored rows or incoming versions."""
        deletes = {form.field: form.value for form in self._forms}
        return _in_order(
            {
                field.name: self._ordering(field, stored=stored)
                if field.name in self._subject.ordering_fields
                else self._field(field, deletes)
                for field in self._subject.schema.fields
            }
        )

    def versions(self) -> Strategy:
        """Return the versions of the domain: data, and its deletes in every form that the schema has columns for."""
        data = self.records().map(lambda record: self._version(record, is_delete=False))
        if self._domain is Domain.FLAGGED and self._forms:
            forms = st.sampled_from(self._forms)
            flagged = st.builds(lambda record, form: record | {form.field: form.value}, self.records(), forms)
            return data | flagged.map(lambda record: self._version(record, is_delete=True))
        if self._domain is Domain.EMPTY:
            natural = st.booleans() if not self._subject.ordering_fields else st.just(value=False)
            empty = st.builds(self._empty, self.records(), natural)
            return data | empty
        return data

    def operands(self) -> Strategy:
        """Return the operands of a law: a stored row or none, and up to four versions."""
        version = self.versions()
        versions = st.lists(version, min_size=1, max_size=_MOST) | st.lists(version, min_size=_MOST - 1, max_size=_MOST)
        return st.builds(Operands, st.none() | self.records(stored=True), versions.map(tuple))

    def _version(self, record: Record, *, is_delete: bool) -> Version:
        value = self._read(record)
        return Version(record, NATURAL_ORDER if value is None else value, is_delete)

    def _empty(self, record: Record, natural: bool) -> Version:  # noqa: FBT001 (drawn)
        ordering = NATURAL_ORDER if natural else self._version(record, is_delete=True).ordering
        return Version(None, ordering, is_delete=True)

    def _ordering(self, field: Field, *, stored: bool) -> Strategy:
        if self._subject.sequences:
            return (_STORED_RANKS if stored else _RANKS).map(lambda rank: f"1.{rank + 8}")
        if field.schema.kind == "record" or field.schema.non_null.kind == "union":
            return values(field.schema)
        common = (_STORED_RANKS if stored else _RANKS).map(lambda rank: value_at(field.schema, rank))
        broad = values(field.schema.non_null) if field.schema.nullable else values(field.schema)
        drawn = common | common | common | broad
        return drawn | st.none() if self._null_orderings and field.schema.nullable else drawn

    def _field(self, field: Field, deletes: dict[str, Any]) -> Strategy:
        if field.name in self._subject.key:
            return st.just(value_at(field.schema, 1))
        if field.name in deletes:
            # A value that marks no delete, null first.
            return values(field.schema).filter(lambda value: not _marks(value, deletes[field.name]))
        drawn = values(field.schema)
        if self._subject.markers and field.schema.non_null.kind == "string":
            return drawn | st.just(UNAVAILABLE)
        return drawn


def _marks(value: Any, mark: Any) -> bool:
    if isinstance(value, str) and isinstance(mark, str):
        return value.lower() == mark.lower()
    return bool(value == mark)


class Search:
    """Looks for counterexamples of several laws at once: each example serves all of them.

    Attributes:
        cases: the number of examples that a law could be tried on.
    """

    def __init__(self, laws: tuple[Law, ...], evaluator: Evaluator, strategies: OperandStrategies) -> None:
        """Prepare; `run` looks."""
        self.cases = dict.fromkeys(laws, 0)
        self._laws = laws
        self._evaluator = evaluator
        self._strategy = strategies.operands()
        self._answered: set[Law] = set()
        self._refused: dict[Law, Counterexample] = {}

    def run(self, examples: int, seed: int) -> dict[Law, Counterexample]:
        """Return the smallest counterexample that was found for each law that has one.

        A law whose sides are errors on every example has one of these as its counterexample.
        """
        found: dict[Law, Counterexample] = {}
        settings = hypothesis.settings(
            max_examples=examples,
            deadline=None,
            database=None,
            phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        most = self.cases
        while open_laws := [law for law in self._laws if law not in found]:
            self.cases = dict.fromkeys(self._laws, 0)

            latest: dict[Law, Counterexample] = {}

            def fails(
                operands: Operands,
                open_laws: list[Law] = open_laws,
                latest: dict[Law, Counterexample] = latest,
            ) -> bool:
                broken = self._violations(open_laws, operands)
                if broken:
                    latest.clear()
                    latest |= broken
                return bool(broken)

            try:
                smallest = hypothesis.find(self._strategy, fails, settings=settings, random=random.Random(seed))  # noqa: S311
                found |= self._violations(open_laws, smallest) or latest
            except NoSuchExample:
                break
            except Flaky:
                # A merge that answers at random: what was seen last counts.
                found |= latest
            finally:
                most = {law: max(number, most[law]) for law, number in self.cases.items()}
        self.cases = most
        return found | {law: one for law, one in self._refused.items() if law not in {*self._answered, *found}}

    def _violations(self, laws: list[Law], operands: Operands) -> dict[Law, Counterexample]:
        self._evaluator.forget()
        row = self._evaluator.row(operands.row)
        nodes = [(version, self._evaluator.incoming(version)) for version in operands.versions]
        found = {}
        for law in laws:
            was_tried = False
            for chosen in _choices(law, nodes):
                versions = tuple(version for version, _ in chosen)
                if not law.applies(versions, self._evaluator.algebra.order):
                    continue
                was_tried = True
                bound = (row, *(node for _, node in chosen))
                broken = self._broken(law, Operands(operands.row, versions), bound)
                if broken is not None:
                    found[law] = broken
                    break
            self.cases[law] += was_tried
        return found

    def _broken(self, law: Law, operands: Operands, bound: Bound) -> Counterexample | None:
        evaluator = self._evaluator
        stated = law.stated(len(operands.versions))
        refused = evaluator.refused
        for equation in stated:
            if not evaluator.holds(equation, bound):
                return evaluator.counterexample(equation, operands)
        if evaluator.refused - refused < len(stated):
            self._answered.add(law)
        elif law not in self._refused:
            self._refused[law] = evaluator.counterexample(stated[0], operands)
        return None


def _choices(law: Law, nodes: list[tuple[Version, Node]]) -> Iterator[tuple[tuple[Version, Node], ...]]:
    """Yield the versions that a law is tried on: in the order of arrival, pairs in both orders."""
    fewest, most = law.sizes
    for size in range(fewest, min(most, len(nodes)) + 1):
        choose = itertools.permutations if size <= _PAIR else itertools.combinations
        yield from choose(nodes, size)
