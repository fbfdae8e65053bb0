"""Random rules: strategies for tests, values of columns and whole rules of any schema; and a schema with its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from payloads import parse_schema
from payloads.rules import (
    DATA,
    Against,
    AllOf,
    AnyOf,
    ByArrival,
    ByColumn,
    ByOrdering,
    Case,
    ColumnIs,
    Concat,
    Constant,
    Default,
    DeleteTests,
    Effect,
    Error,
    ErrorKind,
    FirstNonDefault,
    FirstNonMarker,
    FirstNonNull,
    Greatest,
    How,
    IfElse,
    IsDelete,
    IsEmpty,
    IsListed,
    IsNatural,
    IsUnordered,
    JoinedLists,
    LaterIs,
    Least,
    Letters,
    Marker,
    MergeRule,
    Needs,
    Not,
    Role,
    Sum,
    Take,
    TextIs,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from payloads import AvroSchema

    Strategy = st.SearchStrategy[Any]

ROLES = st.sampled_from(Role)
SIDES = st.sampled_from([Role.OLDER, Role.NEWER])
_BY_COLUMN = st.just(Against.COLUMN)
_ALWAYS: Strategy = st.just(())
FAULTS = st.sampled_from(ErrorKind).map(Error)
USUAL = (
    FirstNonNull((Take(Role.LATER), Take(Role.EARLIER))),
    FirstNonNull((Take(Role.NEWER), Take(Role.OLDER))),
    FirstNonDefault((Take(Role.NEWER), Take(Role.OLDER))),
)
ORDERED = frozenset({"boolean", "int", "long", "float", "double", "string", "bytes"})
_NUMBERS = frozenset({"int", "long", "float", "double"})


def facts(roles: Strategy = ROLES, kinds: Sequence[type] = (IsEmpty, IsDelete, IsNatural, IsUnordered)) -> Strategy:
    """Tests without parts that look at no column."""
    return st.one_of(*(roles.map(kind) for kind in kinds), SIDES.map(LaterIs))


def column_is(values: Mapping[str, Strategy], roles: Strategy = ROLES) -> Strategy:
    """Tests of columns, each with a value of its own; some of texts in other letters."""
    tests = st.sampled_from(sorted(values)).flatmap(
        lambda name: st.builds(ColumnIs, roles, st.just(name), values[name])
    )
    return st.builds(_in_letters, tests, st.none() | st.sampled_from(Letters))


def _in_letters(test: ColumnIs, letters: Letters | None) -> ColumnIs | TextIs:
    if letters is None or not isinstance(test.value, str) or not test.value:
        return test
    cased = {Letters.ANY: str, Letters.UPPER: str.upper, Letters.LOWER: str.lower}[letters]
    text = cased(test.value)
    return test if cased(text) != text else TextIs(test.role, test.column, text, letters)


def compound(leaves: Strategy, *, least: int = 0, most: int = 3, max_leaves: int = 5) -> Strategy:
    """Tests made of others: as many of one node as said, and as many in all."""

    def parts(tests: Strategy) -> Strategy:
        few = st.lists(tests, min_size=least, max_size=most).map(tuple)
        return few.map(AllOf) | few.map(AnyOf) | tests.map(Not)

    return st.recursive(leaves, parts, max_leaves=max_leaves)


def values_of(  # noqa: PLR0913 (what a column may have)
    schema: AvroSchema,
    name: str,
    tests: Strategy,
    *,
    constants: Mapping[str, Strategy],
    markers: Mapping[str, Strategy],
    ordered: Collection[str] = ORDERED,
    max_leaves: int = 4,
) -> Strategy:
    """Values of a column, or of `DATA`, of every node that fits its type."""
    leaves: list[Strategy] = [ROLES.map(Take)]
    if name in constants:
        leaves.append(constants[name].map(Constant))
    if name != DATA:
        kind = schema.by_name[name].schema.non_null
        compared = [Least(), Greatest()] * (kind.kind in ordered)
        added = [Sum()] * (kind.kind in _NUMBERS and kind.logical is None)
        joined = [Concat()] * (kind.kind == "array") + [Union()] * (kind.kind == "map")
        leaves += map(st.just, (*compared, *added, *joined))

    def parts(inner: Strategy) -> Strategy:
        several = st.lists(inner, min_size=1, max_size=3).map(tuple)
        found = several.map(FirstNonNull) | st.builds(FirstNonDefault, several, st.sampled_from(Default))
        if name in markers:
            found |= st.builds(FirstNonMarker, several, markers[name])
        return found | st.builds(IfElse, tests, inner, inner)

    return st.recursive(st.one_of(leaves) | st.sampled_from(USUAL), parts, max_leaves=max_leaves)


def laters(columns: Strategy | None, against: Strategy = _BY_COLUMN, **more: Strategy) -> Strategy:
    """Every way to tell the later version; `columns` are those that compare, `more` what else a comparison says."""
    found = st.just(ByArrival()) | st.builds(ByOrdering, SIDES, st.booleans(), unlike_wins=st.booleans())
    if columns is None:
        return found
    return found | st.builds(ByColumn, columns, against, SIDES, st.booleans(), **more)


def rules_of(  # noqa: PLR0913 (the parts of a rule)
    later: Strategy,
    deletes: Strategy,
    tests: Strategy,
    gives: Strategy,
    columns: Strategy,
    *,
    errors: Strategy = FAULTS,
    otherwise: Strategy | None = None,
    most: int = 3,
    conditions: Strategy = _ALWAYS,
) -> Strategy:
    """Rules of parts; a case may be an error, too."""
    cases = st.lists(st.builds(Case, tests, gives | errors), max_size=most).map(tuple)
    result = st.none() | gives | errors if otherwise is None else otherwise
    return st.builds(MergeRule, later, deletes, cases, result, columns, conditions)


_BOTH = (Take(Role.NEWER), Take(Role.OLDER))
EVERY_NODE = (
    *(ByArrival(), ByOrdering(), ByColumn(("ts",))),
    DeleteTests(flag=True, marker=Marker("Op", "D"), marked=True),
    Case(IsDelete(Role.NEWER), Error(ErrorKind.FAILED)),
    *(kind(Role.NEWER) for kind in (IsEmpty, IsDelete, IsNatural, IsUnordered)),
    *(LaterIs(Role.OLDER), ColumnIs(Role.NEWER, "Op", "D"), TextIs(Role.NEWER, "Op", "D")),
    IsListed(Role.NEWER, "Op", "note"),
    *(of((IsDelete(Role.NEWER), LaterIs(Role.OLDER))) for of in (AllOf, AnyOf)),
    Not(IsDelete(Role.NEWER)),
    *(FirstNonNull(_BOTH), FirstNonDefault(_BOTH), FirstNonMarker(_BOTH, "none")),
    *(Least(), Greatest(), Sum(), Concat(), Union(), JoinedLists(), Constant(1), IfElse(IsDelete(Role.NEWER), *_BOTH)),
    MergeRule(),
)
"""An example of each node."""

# -- a schema, and its rules

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "note", "type": ["null", "string"], "default": None},
            {"name": "hits", "type": ["int", "null"], "default": 0},
            {"name": "raw", "type": ["null", "bytes"], "default": None},
            {"name": "share", "type": ["null", "double"], "default": None},
            {"name": "part", "type": ["float", "null"], "default": 0.1},
            {"name": "yes", "type": ["null", "boolean"], "default": None},
            {"name": "tags", "type": {"type": "array", "items": "string"}},
            {"name": "counts", "type": {"type": "map", "values": "long"}},
            {"name": "parts", "type": ["null", {"type": "array", "items": ["null", "long"]}], "default": None},
            {"name": "shares", "type": ["null", {"type": "map", "values": ["null", "double"]}], "default": None},
        ],
    }
)
VALUES = {
    "id": st.text(max_size=3),
    "ts": st.integers(-(2**63), 2**63 - 1),
    "note": st.none() | st.text(max_size=3),
    "hits": st.none() | st.integers(-(2**31), 2**31 - 1),
    "raw": st.none() | st.binary(max_size=3),
    "yes": st.none() | st.booleans(),
}
FLOATS = st.sampled_from([0.0, -0.0, 0.5, 2.0**100, float("inf"), float("-inf"), float("nan")])
CONSTANTS = VALUES | {  # without NaN and -0.0: rules that are equal print alike
    name: st.none() | st.floats(width=bits, allow_nan=False).map(lambda one: one + 0.0)
    for name, bits in (("share", 64), ("part", 32))
}
KEYS = st.text("abc", max_size=1)
RECORDS = st.fixed_dictionaries(
    {
        **CONSTANTS,
        "ts": st.integers(-2, 2),
        "hits": VALUES["hits"] | st.sampled_from([0, 1, 2**31 - 1, -(2**31)]),
        "share": CONSTANTS["share"] | FLOATS,
        "part": CONSTANTS["part"] | FLOATS,
        "tags": st.lists(st.text(max_size=1), max_size=2),
        "counts": st.dictionaries(KEYS, st.integers(-1, 1), max_size=2),
        "parts": st.none() | st.lists(st.none() | st.integers(-1, 1), max_size=2),
        "shares": st.none() | st.dictionaries(KEYS, st.none() | FLOATS, max_size=3),
    }
)
TESTS = compound(facts() | column_is(VALUES))
_TEXTS = st.text(max_size=3)
_MARKERS = {"note": _TEXTS, "id": _TEXTS, "raw": st.binary(max_size=3)}
COLUMNS = st.fixed_dictionaries(
    {},
    optional={
        name: values_of(SCHEMA, name, TESTS, constants=CONSTANTS, markers=_MARKERS) for name in (DATA, *SCHEMA.by_name)
    },
)
RULES = rules_of(
    laters(
        st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2, unique=True).map(tuple),
        st.sampled_from(Against),
        consistent=st.booleans(),
        refuses_maps=st.booleans(),
    )
    | st.builds(ByOrdering, how=st.sampled_from(How)),
    st.builds(
        DeleteTests, st.booleans(), st.none() | st.builds(Marker, st.just("note"), st.text(max_size=2), st.booleans())
    ),
    TESTS,
    st.sampled_from(Effect),
    COLUMNS,
    conditions=st.sampled_from([(), (Needs.COMPLETE,)]),
)
