from __future__ import annotations

import contextlib

import pytest

import payloads.builtin
from payloads.avro.codec import parse_schema
from payloads.errors import PayloadBridgeError
from payloads.ordering import Ordering
from payloads.release import HudiRelease
from tests.conformance.vector import StageError, load
from tests.support import GOLDEN

DIRECTORIES = {"0.15": "0.15.0", "1.0": "1.0.2", "1.1": "1.1.1", "1.2": "1.2.0"}
OPERATIONS = {"construct", "insert_value", "pre_combine", "combine", "chain"}


def calls(incoming, others, stored, schema, props):
    """Give every call that a merge point can make of `incoming`, as functions without arguments."""
    for arguments in ((schema, props), (schema,)):
        yield lambda a=arguments: incoming.get_insert_value(*a)
        yield lambda a=arguments: incoming.get_indexed_record(*a)
        yield lambda a=arguments: incoming.is_deleted(*a)
        for row in stored:
            yield lambda r=row, a=arguments: incoming.combine_and_get_update_value(r, *a)
    for older in others:
        yield lambda o=older: incoming.pre_combine(o, schema, props)
        yield lambda o=older: incoming.pre_combine(o, None, props)
        yield lambda o=older: incoming.pre_combine(o)
    yield incoming.get_metadata


def payload_or_none(vector, index):
    with contextlib.suppress(StageError):
        return vector.payload(index)
    return None


@pytest.mark.parametrize("release", DIRECTORIES)
def test_no_method_of_a_builtin_changes_a_record_that_it_is_given(release):
    seen = set()
    for vector in load(GOLDEN / DIRECTORIES[release]):
        if vector.op not in OPERATIONS or vector.payload_class is None:
            continue
        indices = range(len(vector.raw["records"]))
        built = [payload_or_none(vector, index) for index in indices]
        versions = [payload for payload in built if payload is not None]
        stored = [row for row in map(vector.give, indices) if row is not None]
        for incoming in versions:
            seen.add(type(incoming).__name__)
            for call in calls(incoming, versions, stored, vector.schema, vector.props):
                with contextlib.suppress(PayloadBridgeError):
                    call()
        assert vector.changed() == [], vector.id
    line = HudiRelease.parse(release)
    shipped = {found.__name__ for found in payloads.builtin_payloads(line)}
    assert seen >= shipped


@pytest.mark.parametrize(("release", "second"), [("0.15", "b"), ("1.0", "b"), ("1.1", "a"), ("1.2", "a")])
def test_postgres_fills_from_the_first_stored_row_for_good_from_1_1_on(release, second):
    schema = parse_schema(
        {
            "type": "record",
            "name": "Row",
            "fields": [{"name": "_event_lsn", "type": "long"}, {"name": "txt", "type": ["null", "string"]}],
        }
    )
    incoming = {"_event_lsn": 5, "txt": "__debezium_unavailable_value"}
    payload_class = payloads.builtin.PostgresDebeziumAvroPayload.for_release(release)
    payload = payload_class(incoming, Ordering("long", 5))
    first = payload.combine_and_get_update_value({"_event_lsn": 1, "txt": "a"}, schema)
    assert first == {"_event_lsn": 5, "txt": "a"}
    assert (first is payload.record) == (second == "a")
    assert payload.combine_and_get_update_value({"_event_lsn": 1, "txt": "b"}, schema)["txt"] == second
    assert incoming == {"_event_lsn": 5, "txt": "__debezium_unavailable_value"}
