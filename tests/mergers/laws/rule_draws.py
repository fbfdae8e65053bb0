"""Rules, rows and versions to try laws on: drawn at random, and judged by folding with the interpreter alone."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

from mergers.laws import Domain, Version
from mergers.laws.core import Act, Incoming, Merge, Row
from mergers.laws.equality import canonical
from mergers.laws.rule_universe import StatedRules
from payloads import NATURAL_ORDER, parse_schema
from payloads.records import RuleVersion, merged
from payloads.rules import (
    DATA,
    Against,
    Case,
    ColumnIs,
    DeleteTests,
    Effect,
    Error,
    ErrorKind,
    IsDelete,
    IsEmpty,
    IsNatural,
    Marker,
    MergeRule,
    Role,
)
from tests.payloads.rules.drawn import SIDES, compound, facts, laters, rules_of, values_of

OLDER, NEWER, LATER, EARLIER = Role.OLDER, Role.NEWER, Role.LATER, Role.EARLIER


def schema_of(ordering="long"):
    """Return a schema with a column of each kind of value, ordered by a type."""
    fields = [
        ("id", "string"),
        ("ts", ["null", *(ordering if isinstance(ordering, list) else [ordering])]),
        ("note", ["null", "string"]),
        ("plain", "string"),
        ("hits", ["null", "int"]),
        ("count", "long"),
        ("score", ["null", "double"]),
        ("ok", ["null", "boolean"]),
        ("tags", ["null", {"type": "array", "items": "string"}]),
        ("flags", {"type": "array", "items": "boolean"}),
        ("counts", {"type": "map", "values": "long"}),
        ("_hoodie_is_deleted", ["null", "boolean"]),
    ]
    defaults = {"count": 5, "plain": "none"}
    return parse_schema(
        {
            "type": "record",
            "name": "row",
            "fields": [
                {"name": name, "type": kind, **({"default": None} if isinstance(kind, list) else {})}
                | ({"default": defaults[name]} if name in defaults else {})
                for name, kind in fields
            ],
        }
    )


VALUES: dict[str, tuple[Any, ...]] = {
    "note": (None, "", "a", "b", "x", "X"),
    "plain": ("none", "p", "q", "x"),
    "hits": (None, 0, 1, 5, -3, 2**31 - 1),
    "count": (5, 0, 1, 7, 2**63 - 1),
    "score": (None, 0.0, -0.0, 0.1, 0.2, 0.3, float("nan"), 1e16),
    "ok": (None, True, False),
    "tags": (None, [], ["a"], ["b", "a"]),
    "flags": ([], [True], [False, True]),
    "counts": ({}, {"k": 1}, {"k": 2}, {"k": 3, "m": 1}),
    "_hoodie_is_deleted": (None, False, True),
}
RANKS = {"long": (1, 2, 3), "int": (-1, 0, 1, 2), "string": ("1", "10", "2"), "double": (-0.0, 0.0, float("nan"))}

# -- rules

TESTS = compound(
    facts(SIDES, (IsDelete, IsEmpty, IsNatural))
    | st.sampled_from(
        [
            ColumnIs(NEWER, "note", "x"),
            ColumnIs(LATER, "note", None),
            ColumnIs(OLDER, "ok", value=True),
            ColumnIs(NEWER, "hits", 5),
        ]
    ),
    least=1,
    most=2,
    max_leaves=3,
)
_MARKERS = dict.fromkeys(("note", "plain"), st.sampled_from(["x", "a"]))
_CONSTANTS = {
    name: st.sampled_from(values)
    for name, values in {
        "note": ["c", None],
        "plain": ["c"],
        "hits": [5],
        "count": [5],
        "score": [0.1],
        "ok": [True],
    }.items()
}
COLUMNS = st.dictionaries(
    st.sampled_from([DATA, *_CONSTANTS, "tags", "flags", "counts"]), st.none(), max_size=2
).flatmap(
    lambda names: st.fixed_dictionaries(
        {
            name: values_of(schema_of(), name, TESTS, constants=_CONSTANTS, markers=_MARKERS, max_leaves=3)
            for name in names
        }
    )
)
LATERS = laters(st.sampled_from([("ts",), ("hits",)]), st.sampled_from(Against))
GIVES = st.sampled_from([one for one in Effect if one is not Effect.SENTINEL])
DELETES = st.sampled_from(
    [DeleteTests(), DeleteTests(flag=True), DeleteTests(marker=Marker("note", "x", ignore_case=True))]
)
MADE = st.none() | st.sampled_from([Effect.NEW, Effect.FILLED, Effect.CHANGED, Effect.EDITED, Effect.INCOMING])
MERGE_RULES = rules_of(
    LATERS, DELETES, TESTS, GIVES, COLUMNS, errors=st.just(Error(ErrorKind.FAILED)), otherwise=MADE, most=2
) | st.builds(MergeRule, LATERS, columns=COLUMNS)
ORDERINGS = st.sampled_from(
    [("long", ()), ("long", ("ts",)), ("int", ("ts",)), ("string", ("ts",)), ("double", ("ts",))]
)


@st.composite
def stated(draw):
    """Draw the rules of a class: often one rule at all points."""
    kind, fields = draw(ORDERINGS)
    batch = draw(MERGE_RULES)
    stored = draw(st.just(batch) | MERGE_RULES)
    alone = draw(
        st.sampled_from([MergeRule(), MergeRule(cases=(Case(IsDelete(NEWER), Effect.DELETE),), deletes=batch.deletes)])
    )
    marks = draw(st.booleans())
    return StatedRules(
        schema_of(kind),
        batch,
        stored,
        None if marks else alone,
        ordering_fields=fields,
        fixed={"id": "key"},
        marks=marks,
        null_orderings=draw(st.booleans()),
    )


# -- versions


def some_version(rules, domain, chance):
    """Return a version of a domain at random."""
    record = some_record(rules, chance)
    while rules.deletes(record):
        if domain is Domain.FLAGGED:
            return rules.version(record, is_delete=True)
        record = some_record(rules, chance)
    if domain is Domain.EMPTY and chance.random() < 0.3:
        carried = chance.choice([NATURAL_ORDER, rules.version(record).ordering])
        return Version(None, carried, is_delete=True)
    return rules.version(record, is_delete=domain is Domain.FLAGGED and rules.marks and chance.random() < 0.3)


def some_record(rules, chance):
    """Return a record at random, a delete or not."""
    kind = rules.schema.by_name["ts"].schema.non_null.kind
    record = {"id": "key", "ts": chance.choice(RANKS[kind])}
    if chance.random() < 0.2 and (rules.null_orderings or not rules.ordering_fields):
        record["ts"] = None
    return record | {name: chance.choice(values) for name, values in VALUES.items()}


# -- laws, by the interpreter alone

ERROR = "error"


def value(rules, expr, row, versions):
    """Return a side of an equation as comparable data: of a version, of a row, or an error; None is no version."""
    match expr:
        case Incoming(position):
            return rules.seen(versions[position])
        case Row():
            return row
        case Merge(older, newer):
            sides = [value(rules, one, row, versions) for one in (older, newer)]
            return next((one for one in sides if one == ERROR), None) or _merged(rules, *sides)
        case Act(stored, newer):
            sides = [value(rules, one, row, versions) for one in (stored, newer)]
            return next((one for one in sides if one == ERROR), None) or _acted(rules, *sides)
    raise AssertionError(expr)


def _merged(rules, older, newer):
    found = merged(rules.batch, older, newer, rules.schema)
    return ERROR if isinstance(found.gives, Error) else found.version or "no version"


def _acted(rules, row, newer):
    if row is None and rules.marks:
        return None if newer.marked else newer.record
    older = RuleVersion(None, NATURAL_ORDER) if row is None else RuleVersion(row, rules.carried(row))
    found = merged(rules.alone if row is None else rules.stored, older, newer, rules.schema)
    if isinstance(found.gives, Error):
        return ERROR
    if found.gives is Effect.SENTINEL:
        return row
    made = found.version
    return None if made is None or (rules.marks and made.marked) else made.record


def shown(side, schema):
    """Return what is observable of a side."""
    if isinstance(side, RuleVersion):
        return shown(side.record, schema), repr(side.ordering), side.marked
    return canonical(side, schema) if isinstance(side, dict) else side


def differs(rules, law, row, versions):
    """Whether a law does not hold on these operands; `applies` is looked at."""
    if not law.applies(tuple(versions), lambda left, right: (left > right) - (left < right)):
        return False
    for equation in law.stated(len(versions)):
        sides = [shown(value(rules, side, row, versions), rules.schema) for side in equation]
        if sides[0] != sides[1]:
            return True
    return False


def refuting(rules, law, domain, *, seed=0, tries=300):
    """Return operands on which a law does not hold, of 1 to 5 versions at random; None if none were found."""
    chance = random.Random(seed)  # noqa: S311 (the seed repeats it)
    largest = law.sizes[1] + (law.condition is None and law.sizes[1] > 1)
    for _ in range(tries):
        size = chance.randint(law.sizes[0], largest)
        row = None if chance.random() < 0.3 else some_record(rules, chance)
        row = None if row is not None and rules.deletes(row) else row
        versions = [some_version(rules, domain, chance) for _ in range(size)]
        if differs(rules, law, row, versions):
            return row, versions
    return None
