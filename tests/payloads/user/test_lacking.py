"""Records that lack fields of the schema: null, or refused where Hudi fails."""

from __future__ import annotations

import pytest

from payloads import SENTINEL, SchemaError, parse_schema
from payloads.user import adapt

SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "city", "type": ["null", "string"], "default": None},
            {"name": "kind", "type": ["string", "null"], "default": "x"},
            {"name": "note", "type": ["null", "string"], "default": None},
        ],
    }
)
WHOLE = {"id": "a", "city": "Oslo", "kind": "k", "note": "n"}


class Leaves:
    """Leaves out of its answers what the class names."""

    out = "note"

    def __init__(self, record, ordering_value=None):
        self.record = record

    def _narrow(self):
        return {name: value for name, value in self.record.items() if name != self.out}

    def pre_combine(self, older):
        return self

    def combine_and_get_update_value(self, current, schema, props):
        return self._narrow()

    def get_insert_value(self, schema, props):
        return self._narrow()


class DeletesColumn(Leaves):
    def combine_and_get_update_value(self, current, schema, props):
        del current[self.out]
        return current


def answers(user_class, release):
    """Return what the class makes of a merge, one payload and many pairs, and of an insert."""
    bound = adapt(user_class, release).for_schema(SCHEMA)
    payload, calls = bound(dict(WHOLE)), bound.user_calls(SCHEMA, {})
    yield payload.get_insert_value(SCHEMA, {})
    yield calls.insert_value(calls.build(WHOLE, None), WHOLE)
    yield payload.combine_and_get_update_value(dict(WHOLE), SCHEMA, {})
    yield calls.merge(calls.build(WHOLE, None), WHOLE, dict(WHOLE))
    yield calls.merge_lent(calls.build(WHOLE, None), WHOLE, dict(WHOLE))


def test_a_nullable_column_is_null_until_1_0():
    for release in ("0.15", "1.0"):
        assert [*answers(Leaves, release)] == [{**WHOLE, "note": None}] * 5


@pytest.mark.parametrize("release", ["1.1", "1.2"])
def test_a_merge_needs_every_field_from_1_1_on(release):
    found = answers(Leaves, release)
    assert [next(found), next(found)] == [{**WHOLE, "note": None}] * 2
    with pytest.raises(SchemaError, match=rf"Leaves.combine_and_get_update_value .* 'note'; Hudi {release} reads"):
        next(found)


def test_a_column_with_another_default_is_refused():
    kind = type("Kind", (Leaves,), {"out": "kind"})
    with pytest.raises(SchemaError, match=r"Kind\.get_insert_value .* 'kind', which has no default null"):
        next(answers(kind, "0.15"))


def test_a_column_taken_out_of_the_stored_row_counts_as_lacking():
    *_, merged, _ = answers(DeletesColumn, "0.15")
    assert merged == {**WHOLE, "note": None}
    assert merged is not SENTINEL
