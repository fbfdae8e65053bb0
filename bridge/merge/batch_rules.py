"""The rule of a batch: what one column says of the rows that a key has there, for any writer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge.calls import BatchRule, Carried
from payloads import NATURAL_ORDER
from payloads.builtin import PairRule

if TYPE_CHECKING:
    from payloads import AvroSchema
    from payloads.builtin import DeleteTest
    from payloads.ordering_fields import Reader

_SAMPLES = {"int": 1, "long": 1, "string": "a"}
"""A value of each type that whole columns are compared in."""
MILLISECONDS = frozenset({"timestamp-millis", "local-timestamp-millis"})
"""Logical types whose columns have microseconds."""


def batch_rule(
    schema: AvroSchema,
    ordering: str | None,
    read_ordering: Reader,
    tests: tuple[DeleteTest, ...],
    wins: tuple[bool, bool, bool] | None,
) -> BatchRule | None:
    """Return the rule; None if the ordering value is not what a plain column has.

    Args:
        schema: the schema of the rows.
        ordering: the ordering field; None for none.
        read_ordering: reads the ordering value of a row, or Integer 0 from each.
        tests: the tests for deletes.
        wins: whether the newer row stays, as in `PairRule`; None if that takes a call.
    """
    field = None if ordering is None else schema.by_name.get(ordering)
    if ordering is not None and (field is None or field.schema.non_null.kind not in _SAMPLES):
        return None
    if field is not None and field.schema.non_null.logical in MILLISECONDS:
        return None
    sample = NATURAL_ORDER if field is None else read_ordering({field.name: _SAMPLES[field.schema.non_null.kind]})
    if sample is None:
        return None
    by = None if sample is NATURAL_ORDER else ordering
    return BatchRule(_compared(by, wins), tests, by, sample.java_type)


def carried_by(name: str, schema: AvroSchema, read_ordering: Reader) -> Carried | None:
    """Return the ordering values that are read of rows with a value in a column; None if it is no plain one."""
    field = schema.by_name.get(name)
    raw = None if field is None else _SAMPLES.get(field.schema.non_null.kind)
    sample = None if raw is None else read_ordering({name: raw})
    return None if sample is None else Carried(None if sample is NATURAL_ORDER else name, sample)


def _compared(by: str | None, wins: tuple[bool, bool, bool] | None) -> PairRule | None:
    if wins is None or all(wins):
        return None if wins is None else PairRule(None)
    if by is None:  # all values are equal
        return PairRule(None) if wins[1] else None
    return PairRule(by, wins)
