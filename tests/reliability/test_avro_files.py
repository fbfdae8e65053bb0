"""Damaged Avro files, header and schema included: rows, or one sentence without words of Python or of libraries."""

from __future__ import annotations

import io
import random

from payloads import PayloadBridgeError
from payloads.avro import read_container
from tests.reliability.contents import FAULTS, data_of, some_rows
from tests.reliability.outcomes import GOOD, of_call

FILES = 2000
KINDS = ("bits", "bits", "bits", "cut", "zeros", "noise", "twice", "empty")


def damaged(number):
    draw = random.Random(number)  # noqa: S311 (no secret)
    return FAULTS[draw.choice(KINDS)](data_of(some_rows(draw, 4), "avro"), draw, "avro")


def test_what_is_no_avro_file_is_told_in_one_sentence():
    found = {}
    for number in range(FILES):
        data = damaged(number)
        outcome = of_call(lambda data=data: list(read_container(io.BytesIO(data))[1]), takes=True)
        if outcome.kind not in GOOD or "fastavro" in outcome.told or "{'" in outcome.told:
            found[number] = outcome
    assert found == {}


def test_a_schema_that_is_none_is_told_as_such():
    whole = data_of([{"id": "a", "ts": 1, "v": "x"}], "avro")
    for old, new in ((b'"name"', b'"nome"'), (b'"record"', b'"recerd"'), (b'"string"', b'"strung"')):
        stream = io.BytesIO(whole.replace(old, new))
        outcome = of_call(lambda stream=stream: read_container(stream), takes=False)
        told = "not a readable Avro container file: its header has no valid schema; check how it was written"
        assert outcome == ("refused", told)


def test_the_errors_are_those_of_the_project():
    kinds = set()
    for number in range(200):
        try:
            list(read_container(io.BytesIO(damaged(number)))[1])
        except PayloadBridgeError as error:
            kinds.add(type(error).__name__)
    assert kinds == {"SchemaError"}
