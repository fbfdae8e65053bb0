"""Errors on both sides of a law agree where they are of one kind, and only there."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mergers.laws import Verdict, check_laws
from mergers.laws.equality import Failed, Observed, error_kind, same_answer, same_bytes
from payloads import NullOrderingError, Ordering, OrderingTypeError, PayloadFailedError, SchemaError
from tests.mergers.laws.test_defects import SETTINGS
from tests.mergers.tables import RIDES, ride


def failed(kind, cause=None):
    error = kind("message")
    error.__cause__ = cause
    return Failed(error)


def agree(left, right):
    found = same_answer(left, right, RIDES, same_bytes)
    assert found == same_answer(right, left, RIDES, same_bytes)
    return found


KINDS = [NullOrderingError, OrderingTypeError, SchemaError, PayloadFailedError, ValueError, KeyError]


@pytest.mark.parametrize("left", KINDS)
@pytest.mark.parametrize("right", KINDS)
def test_errors_agree_by_their_class(left, right):
    assert agree(failed(left), failed(right)) == (left is right)


def test_errors_of_users_code_differ_by_kind():
    one, same, other = (failed(PayloadFailedError, cause) for cause in (KeyError("a"), KeyError("b"), ValueError("a")))
    assert agree(one, same)
    assert not agree(one, other)
    assert error_kind(one.error) != error_kind(other.error)


def test_an_error_of_a_compiled_class_has_no_python_class_beneath():
    assert agree(failed(PayloadFailedError), failed(PayloadFailedError, KeyError("a")))


def test_the_cause_of_an_error_of_ours_does_not_matter():
    assert agree(failed(SchemaError, KeyError("a")), failed(SchemaError, ValueError("a")))


@pytest.mark.parametrize(
    "answer",
    [Observed(ride(1), Ordering("long", 1), is_delete=False), Observed(None, None, is_delete=True)],
)
def test_an_error_agrees_with_no_answer(answer):
    assert not agree(failed(ValueError), answer)
    assert not agree((answer, failed(ValueError)), (answer, answer))
    assert agree((answer, failed(ValueError)), (answer, failed(ValueError)))


ROW, FIVE = ride(1), Ordering("long", 5)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Observed(ride(1), Ordering("long", 5), is_delete=False), True),
        (Observed(ride(1), Ordering("long", 5), is_delete=True), False),
        (Observed(ride(1), Ordering("int", 5), is_delete=False), False),
        (Observed(ride(1), Ordering("long", 6), is_delete=False), False),
        (Observed(ride(1), None, is_delete=False), False),
        (Observed(ride(2), Ordering("long", 5), is_delete=False), False),
        (Observed(None, Ordering("long", 5), is_delete=False), False),
    ],
)
def test_answers_agree_by_record_ordering_value_and_delete(other, same):
    assert agree(Observed(ROW, FIVE, is_delete=False), other) == same


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (Ordering("decimal", Decimal("1.0")), Ordering("decimal", Decimal("1.00")), False),
        (Ordering("double", float("nan")), Ordering("double", float("nan")), True),
        (Ordering("double", 0.0), Ordering("double", -0.0), False),
        (Ordering("array", (None, FIVE)), Ordering("array", (None, Ordering("long", 5))), True),
        (Ordering("array", (None, FIVE)), Ordering("array", (FIVE, FIVE)), False),
        (FIVE, None, False),
    ],
)
def test_ordering_values_agree_by_value_and_class_also_where_they_do_not_compare(left, right, same):
    assert agree(*(Observed(ROW, one, is_delete=False) for one in (left, right))) == same


class FailsByPlace:
    """Two versions that are far apart fail in one way where the older is the greater one, else in another."""

    how = ValueError, KeyError

    def __init__(self, record, ordering=None):
        self.record = record
        self.ordering = ordering

    def pre_combine(self, older):
        if abs(older.record["ts"] - self.record["ts"]) <= self.near:
            return older if older.record["ts"] > self.record["ts"] else self
        raise self.how[older.record["ts"] < self.record["ts"]]

    near = 1

    def combine_and_get_update_value(self, current, schema):
        return self.record

    def get_insert_value(self, schema):
        return self.record


class FailsAnywhere(FailsByPlace):
    """Fails in one way, so that only operands count on which it does not."""

    how = ValueError, ValueError

    def pre_combine(self, older):
        if {older.record["n"], self.record["n"]} & {2, None}:
            raise ValueError
        return self


class FailsMostly(FailsByPlace):
    """Fails in two ways, and on nearly all versions."""

    near = 0


@pytest.mark.parametrize(
    ("payload", "verdict"),
    [
        (FailsByPlace, Verdict.VIOLATED),
        (FailsAnywhere, Verdict.PROVED),
        (FailsMostly, Verdict.NOT_CHECKED),
    ],
)
def test_versions_that_fail_decide_only_where_most_do_not(payload, verdict):
    """(a·b)·c compares a with b first, a·(b·c) compares b with c."""
    (result,) = check_laws(
        f"{__name__}:{payload.__name__}", **SETTINGS, laws=["associativity"], domain="data", exhaustive=True
    ).results
    assert result.verdict is verdict, str(result)
    assert ("Error" in result.detail) == (verdict is not Verdict.VIOLATED)
