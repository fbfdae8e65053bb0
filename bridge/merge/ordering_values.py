"""The ordering values that versions carry, where one column of their rows tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.merge.calls import BatchRule, Carried
from bridge.merge.kept_rows import kept_by
from payloads import NATURAL_ORDER

if TYPE_CHECKING:
    from payloads import AvroSchema
    from payloads.ordering_fields import Reader
    from payloads.rules import DeleteTests, MergeRule

_SAMPLES = {"int": 1, "long": 1, "string": "a"}
"""A value of each type that whole columns are compared in."""
MILLISECONDS = frozenset({"timestamp-millis", "local-timestamp-millis"})
"""Logical types whose columns have microseconds."""


def carried_by(name: str, schema: AvroSchema, read_ordering: Reader) -> Carried | None:
    """Return the ordering values that are read of rows with a value in a column; None if it is no plain one."""
    field = schema.by_name.get(name)
    raw = None if field is None else _SAMPLES.get(field.schema.non_null.kind)
    sample = None if raw is None else read_ordering({name: raw})
    return None if sample is None else Carried(None if sample is NATURAL_ORDER else name, sample)


def carried_in_batch(name: str | None, schema: AvroSchema, read_ordering: Reader) -> Carried | None:
    """Return the ordering values of a batch, whose texts are those of the column; None if it is no plain one.

    Args:
        name: the ordering field; None for none.
        schema: the schema of the rows.
        read_ordering: reads the ordering value of a row, or Integer 0 from each.
    """
    if name is None:
        return Carried(None, NATURAL_ORDER)
    carried = carried_by(name, schema, read_ordering)
    is_plain = carried is not None and schema.by_name[name].schema.non_null.logical not in MILLISECONDS
    return carried if is_plain else None


def batch_rule(rule: MergeRule | None, tests: DeleteTests, carried: Carried) -> BatchRule:
    """Return what a rule of a batch comes to; `tests` tell its deletes."""
    return BatchRule(kept_by(rule, carried.column, of_log=True), tests, carried)
