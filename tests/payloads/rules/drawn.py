"""Random rules for a schema, and the schema."""

from __future__ import annotations

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
    IfElse,
    IsDelete,
    IsEmpty,
    IsNatural,
    IsUnordered,
    LaterIs,
    Least,
    Marker,
    MergeRule,
    Needs,
    Not,
    Role,
    Sum,
    Take,
    Union,
)

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
            {"name": "tags", "type": {"type": "array", "items": "string"}},
            {"name": "counts", "type": {"type": "map", "values": "long"}},
        ],
    }
)
VALUES = {
    "id": st.text(max_size=3),
    "ts": st.integers(-(2**63), 2**63 - 1),
    "note": st.none() | st.text(max_size=3),
    "hits": st.none() | st.integers(-(2**31), 2**31 - 1),
    "raw": st.none() | st.binary(max_size=3),
}
SIDES = st.sampled_from(Role)


def _tests(tests):
    few = st.lists(tests, max_size=3).map(tuple)
    return few.map(AllOf) | few.map(AnyOf) | tests.map(Not)


COLUMN_IS = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.builds(ColumnIs, SIDES, st.just(name), VALUES[name])
)
TESTS = st.recursive(
    st.one_of(*(SIDES.map(kind) for kind in (IsEmpty, IsDelete, IsNatural, IsUnordered)), COLUMN_IS)
    | st.sampled_from([LaterIs(Role.OLDER), LaterIs(Role.NEWER)]),
    _tests,
    max_leaves=5,
)


def columns(name, leaves=()):
    """Return nodes that fit a column; `leaves` are further ones without parts."""
    fitting = [SIDES.map(Take), *leaves]
    if name in VALUES:
        fitting += [VALUES[name].map(Constant), st.just(Least()), st.just(Greatest())]

    def parts(inner):
        values = st.lists(inner, min_size=1, max_size=3).map(tuple)
        found = values.map(FirstNonNull) | st.builds(FirstNonDefault, values, st.sampled_from(Default))
        markers = {"note": st.text(max_size=3), "id": st.text(max_size=3), "raw": st.binary(max_size=3)}
        if name in markers:
            found |= st.builds(FirstNonMarker, values, markers[name])
        return found | st.builds(IfElse, TESTS, inner, inner)

    return st.recursive(st.one_of(fitting), parts, max_leaves=4)


COLUMNS = st.fixed_dictionaries(
    {},
    optional={
        DATA: st.recursive(SIDES.map(Take), lambda inner: st.lists(inner, min_size=1).map(tuple).map(FirstNonNull)),
        "hits": columns("hits", [st.just(Sum())]),
        "tags": columns("tags", [st.just(Concat())]),
        "counts": columns("counts", [st.just(Union())]),
        **{name: columns(name) for name in ("id", "ts", "note", "raw")},
    },
)
TIES = st.sampled_from([Role.OLDER, Role.NEWER])
LATER = (
    st.just(ByArrival())
    | st.builds(ByOrdering, TIES, st.booleans())
    | st.builds(
        ByColumn,
        st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2, unique=True).map(tuple),
        st.sampled_from(Against),
        TIES,
        st.booleans(),
        consistent=st.booleans(),
        refuses_maps=st.booleans(),
    )
)
GIVES = st.sampled_from(Effect) | st.sampled_from(ErrorKind).map(Error)
DELETES = st.builds(
    DeleteTests, st.booleans(), st.none() | st.builds(Marker, st.just("note"), st.text(max_size=2), st.booleans())
)
RULES = st.builds(
    MergeRule,
    LATER,
    DELETES,
    st.lists(st.builds(Case, TESTS, GIVES), max_size=3).map(tuple),
    st.none() | GIVES,
    COLUMNS,
    st.sampled_from([(), (Needs.COMPLETE,)]),
)
