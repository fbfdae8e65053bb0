"""Hypothesis strategies bound to an Avro schema, and the search for a counterexample with them.

The only module of the packages that loads Hypothesis. Values come from small pools as a rule, so that versions collide
and ties are common, and from the whole range of their type now and then.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from mergers.laws.core import Domain, Operands, Version
from mergers.laws.exhaustive import Trial
from mergers.laws.report import Counterexample
from mergers.laws.universe import delete_forms, value_at
from payloads.builtin.debezium import UNAVAILABLE
from payloads.extract import list_reader
from payloads.ordering import NATURAL_ORDER
from payloads.schema import Branch

if TYPE_CHECKING:
    from collections.abc import Callable

    from mergers.laws.core import Law
    from mergers.laws.evaluate import Bound, Evaluator
    from mergers.laws.universe import Subject
    from payloads.schema import AvroSchema, Field, Record

Strategy = st.SearchStrategy[Any]

_INT, _LONG = 1 << 31, 1 << 63
_DEPTH = 3
_RANKS = st.sampled_from((1, 2, 3))
_STORED_RANKS = st.sampled_from((0, 2, 4))


def values(schema: AvroSchema, depth: int = _DEPTH) -> Strategy:  # noqa: PLR0911 (one a kind)
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
            return st.fixed_dictionaries({field.name: values(field.schema, depth - 1) for field in schema.fields})


def _union(schema: AvroSchema, depth: int) -> Strategy:
    branches = sorted(schema.branches, key=lambda branch: branch.kind != "null")
    if depth <= 0 and schema.nullable:
        return st.none()
    chosen = []
    for branch in branches:
        inner = values(branch, depth)
        if schema.ambiguous and branch.kind != "null":
            inner = inner.map(lambda value, name=branch.name: Branch(name, value))
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
        return st.fixed_dictionaries(
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

    def operands(self, law: Law) -> Strategy:
        """Return the operands of a law: as many versions as it takes, and a stored row where it speaks of one."""
        fewest, most = law.sizes
        versions = st.lists(self.versions(), min_size=fewest, max_size=most).map(tuple)
        rows = st.none() | self.records(stored=True) if law.has_row else st.none()
        return st.builds(Operands, rows, versions)

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


def search(  # noqa: PLR0913 (what a search depends on)
    law: Law,
    domain: Domain,
    subject: Subject,
    evaluator: Evaluator,
    examples: int,
    seed: int,
    *,
    null_orderings: bool = False,
) -> Trial:
    """Look for operands on which a law fails, and shrink them; two errors of one kind say nothing."""
    strategy = OperandStrategies(subject, domain, null_orderings=null_orderings).operands(law)
    equations = {size: law.stated(size) for size in range(law.sizes[0], law.sizes[1] + 1)}
    state = {"cases": 0, "answered": 0}
    refused: list[Operands] = []

    def fails(operands: Operands) -> bool:
        if not law.applies(operands.versions, evaluator.algebra.order):
            return False
        state["cases"] += 1
        fresh = evaluator.fresh()
        bound = fresh.bind(operands)
        for equation in equations[len(operands.versions)]:
            if not fresh.holds(equation, bound):
                return True
        stated = len(equations[len(operands.versions)])
        if fresh.refused == stated:
            refused.append(operands)
        else:
            state["answered"] += 1
        return False

    settings = hypothesis.settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    try:
        found: Operands = hypothesis.find(strategy, fails, settings=settings, random=random.Random(seed))  # noqa: S311
    except NoSuchExample:
        if refused and not state["answered"]:
            return Trial(state["cases"], _counterexample(evaluator, refused[0], equations, any_equation=True), True)
        return Trial(state["cases"])
    return Trial(state["cases"], _counterexample(evaluator, found, equations))


def _counterexample(
    evaluator: Evaluator, operands: Operands, equations: dict[int, Any], *, any_equation: bool = False
) -> Counterexample:
    fresh = evaluator.fresh()
    bound: Bound = fresh.bind(operands)
    fails: Callable[[Any], bool] = lambda equation: any_equation or not fresh.holds(equation, bound)  # noqa: E731
    broken = next(filter(fails, equations[len(operands.versions)]), equations[len(operands.versions)][0])
    return Counterexample(broken, operands, *fresh.sides(broken, bound))
