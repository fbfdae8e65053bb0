"""What a call of a compiled class from Python costs, by the number of merges in one round trip.

Decides whether Java needs its own copy of commits, small files and upgrades (`architecture.md`, "Two engines, one
behaviour"): at 3 microseconds a call it would not.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from bridge import local_session
from bridge.engines.jvm.calls import PayloadCalls, base64_of, decoded
from payloads import HudiRelease, Ordering, PayloadRef
from payloads.avro import decode, encode, parse_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bridge.engines.jvm.calls import CallStep
    from payloads import Record

_NAME = "org.apache.hudi.common.model.DefaultHoodieRecordPayload"
_COLUMNS = 6
_MERGES = 20_000
_IN_ONE_TRIP = (1, 10, 100, 1_000, 10_000)


def measure(runs: int) -> Iterator[str]:
    """Yield a line a number of merges in a trip: the best of several runs, in microseconds a merge.

    A merge builds a payload and calls `combineAndGetUpdateValue` with a stored row of six columns: two steps.
    """
    spark = local_session()
    calls = PayloadCalls(spark, PayloadRef("DefaultHoodieRecordPayload"), HudiRelease.V0_15)
    fields = [{"name": f"c{i}", "type": ["null", "long" if i % 2 else "string"]} for i in range(_COLUMNS)]
    schema = parse_schema({"type": "record", "name": "row", "fields": fields})
    props = {"hoodie.payload.ordering.field": "c1"}
    older, newer = ({f"c{i}": ts + i if i % 2 else f"text {i}" for i in range(_COLUMNS)} for ts in (1, 2))

    def steps() -> list[CallStep]:
        number = calls.number_for(_Owner())
        return [
            calls.make_step(number, _NAME, newer, Ordering("long", 3), schema),
            {"op": "combine", "id": number, **calls.call_fields(schema, props), **calls.stored(schema, older)},
        ]

    def merged(in_one: int) -> None:
        for _ in range(max(1, _MERGES // in_one)):
            answers = calls.run([step for _ in range(in_one) for step in steps()])
            rows: list[Record | None] = [calls.record_of(answer) for answer in answers[1::2]]
            assert rows[-1] == newer

    def coded() -> None:
        for _ in range(_MERGES):
            encode(schema, newer)
            encode(schema, older)
            decode(schema, coded_row)

    def texts() -> None:
        for _ in range(_MERGES):
            json.loads(json.dumps([base64_of(schema, newer), base64_of(schema, older)]))
            decoded(schema, text_of_row)

    coded_row, text_of_row = encode(schema, newer), base64_of(schema, newer)
    for in_one in _IN_ONE_TRIP:
        yield f"{in_one:>6,} merges in a trip  {_best(lambda count=in_one: merged(count), runs):6.1f} us a merge"
    yield f"Avro in Python alone: two rows out, one in  {_best(coded, runs):6.1f} us a merge"
    yield f"the same as base64 in JSON  {_best(texts, runs):6.1f} us a merge"
    spark.stop()


class _Owner:
    """What a payload's number belongs to: Java forgets the payload with it."""


def _best(work: Callable[[], None], runs: int) -> float:
    seconds = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds) / _MERGES * 1e6
