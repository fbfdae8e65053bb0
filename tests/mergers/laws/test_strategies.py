from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergers.laws.core import Domain
from mergers.laws.strategies import OperandStrategies, values
from mergers.laws.universe import RecordSpec, small_universe
from payloads import parse_schema
from tests.support.schemas import record_schema

KINDS = {
    "null": "null",
    "boolean": "boolean",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "bytes": "bytes",
    "date": {"type": "int", "logicalType": "date"},
    "micros": {"type": "long", "logicalType": "timestamp-micros"},
    "decimal": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
    "fixed": {"type": "fixed", "name": "four", "size": 4},
    "fixed decimal": {
        "type": "fixed",
        "name": "money",
        "size": 5,
        "logicalType": "decimal",
        "precision": 9,
        "scale": 2,
    },
    "enum": {"type": "enum", "name": "color", "symbols": ["RED", "BLUE"]},
    "array": {"type": "array", "items": ["null", "long"]},
    "map": {"type": "map", "values": "string"},
    "nullable": ["null", "string"],
    "several": ["null", "int", "long", "string"],
    "nested": record_schema("inner", a="int", b="int"),
    "list of itself": {
        "type": "record",
        "name": "node",
        "fields": [
            {"name": "next", "type": ["null", "node"]},
            {"name": "all", "type": {"type": "array", "items": "node"}},
        ],
    },
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=settings().max_examples * 30 // 100)
@given(data=st.data())
def test_values_fit_their_schema(kind, data):
    schema = parse_schema(KINDS[kind])
    schema.validate(data.draw(values(schema)))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"null", "list of itself", "map"}])
@pytest.mark.parametrize("domain", Domain)
@settings(max_examples=settings().max_examples * 10 // 100)
@given(data=st.data())
def test_any_column_can_be_data_or_ordering(kind, domain, data):
    schema = parse_schema(
        {
            "type": "record",
            "name": "row",
            "fields": [
                {"name": "id", "type": "string"},
                {"name": "x", "type": KINDS[kind]},
                {"name": "_hoodie_is_deleted", "type": ["null", "boolean"]},
            ],
        }
    )
    for fields in ((), () if kind == "several" else ("x",)):
        subject = RecordSpec(schema, ("id",), fields)
        universe = small_universe(subject, domain, lambda version: version.is_delete)
        drawn = data.draw(OperandStrategies(subject, domain).operands())
        records = [version.record for version in (*universe.incoming, *drawn.versions)]
        for record in (*records, *universe.rows, drawn.row):
            if record is not None:
                schema.validate(record)
                assert list(record) == ["id", "x", "_hoodie_is_deleted"]
        assert (None in records) <= (domain is Domain.EMPTY)
        if domain is Domain.FLAGGED:
            assert any(version.is_delete for version in universe.incoming)
        assert len(universe.incoming) + len(universe.rows) - 1 <= 16
