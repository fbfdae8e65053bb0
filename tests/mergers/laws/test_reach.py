from __future__ import annotations

import datetime
import enum
import functools
import re

import pytest

from mergers.laws import check_laws
from mergers.laws.constants import constants_of
from tests.mergers.laws import planted
from tests.support.schemas import nullable, record_schema

SCHEMA = record_schema(
    id="string",
    ts="long",
    status=nullable("string"),
    note=nullable("string"),
    code="int",
    n=nullable("long"),
    x=nullable("double"),
    tags={"type": "array", "items": "string"},
    _hoodie_is_deleted=nullable("boolean"),
)
SETTINGS = {"schema": SCHEMA, "key": ["id"], "ordering_fields": ["ts"]}


@pytest.mark.parametrize(
    "odd",
    [
        planted.MixedUnits,
        planted.NumberBound,
        planted.Helper,
        pytest.param(planted.ManyLiterals, marks=pytest.mark.long),
    ],
    ids=lambda odd: odd.__name__,
)
def test_what_misbehaves_for_special_values_is_found(odd):
    report = check_laws(odd, **SETTINGS, laws=["action"], domain="data", exhaustive=False)
    assert not report.ok, str(report)


@pytest.mark.parametrize(
    ("odd", "constant"),
    [
        (planted.Global, "ARCHIVED"),
        (planted.GlobalSet, "SETTLED"),
        (planted.OtherModule, "FROZEN"),
        (planted.Enumerated, "RETIRED"),
        (planted.Nested, "nested-deep"),
        (planted.Helper, "BLOCKED"),
        (planted.ClassAttribute, "HIDDEN"),
        (planted.ManyLiterals, "CODE_29"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_constant_is_among_those_that_are_tried(odd, constant):
    assert constant in constants_of(odd)
    assert constant not in constants_of(planted.LongList)


@pytest.mark.parametrize(
    ("odd", "field", "values"),
    [
        (planted.LongText, "status", [(None, "00000")]),
        (planted.LongList, "tags", [([], ["", "", ""])]),
        (planted.FloatColumn, "n", [(None, 2**53 + 1)]),
        (planted.FloatOrder, "ts", [(2**53 + 1, 2**53)]),
        (planted.Literal, "status", [(None, "ARCHIVED")]),
        (planted.NumberLiteral, "code", [(0, 7919)]),
        (planted.Length, "status", [(None, "x" * 121)]),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_the_counterexample_is_the_smallest(odd, field, values):
    (found,) = check_laws(odd, **SETTINGS, laws=["action"], domain="data", exhaustive=False).violations
    row, versions = found.counterexample.operands
    assert row is None
    assert [tuple(version.record[field] for version in versions)] == values
    others = {"status": None, "note": None, "code": 0, "n": None, "x": None, "tags": []}
    for version in versions:
        assert {name: version.record[name] for name in others if name != field}.items() <= others.items()


class Color(enum.Enum):
    RED = "red"


OF_MODULE = "of the module"
UNUSED = "unused"


def decorated(function):
    limit = 77

    @functools.wraps(function)
    def wrapper(*arguments):
        return function(*arguments) > limit

    return wrapper


class Example:
    """A docstring is not a constant."""

    attribute = re.compile("pattern")
    since = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)

    @property
    def late(self):
        return datetime.date(1970, 1, 11) if OF_MODULE else Color.RED

    @staticmethod
    @decorated
    def inner(value, default=31):
        """Nor is this."""
        return next((one for one in (value,) if one == "in a generator"), default)


def test_constants_are_those_that_code_refers_to():
    found = constants_of(Example)
    assert {"pattern", "of the module", "in a generator", "red", 31, 77, 1970, 11} <= set(found)
    assert {1_704_067_200, 1_704_067_200_000, 1_704_067_200_000_000} <= set(found)
    assert not {"unused", Example.__doc__, "Nor is this."} & set(found)
