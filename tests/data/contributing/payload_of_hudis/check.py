"""A class that overrides a method of Hudi's is called, in the engines that compare whole columns for Hudi's, too."""

from __future__ import annotations

import sys

from bridge.plan import MergePlan
from payloads import parse_schema, resolve_payload
from payloads.rules import Point

NAME, RELEASE = "LongestNameAvroPayload", "0.15"
COLUMNS = "id string, ts bigint, name string"
STORED = [("a", 20, "long"), ("b", 20, "long"), ("c", 20, "old")]
INCOMING = [("a", 30, "new"), ("b", 10, "longer"), ("c", 30, "newer"), ("d", 1, "x")]
MERGED = [("a", 30, "long"), ("b", 20, "longer"), ("c", 30, "newer"), ("d", 1, "x")]

schema = parse_schema({"type": "record", "name": "Row", "fields": [{"name": "name", "type": "string"}]})
payload_class = resolve_payload(NAME, RELEASE)
assert [payload_class.rule(point, schema, {}) for point in Point] == [None] * len(Point)

if "spark" in sys.argv[1:]:
    from tests.support.under_engines import check_engines

    plan = MergePlan(payload=NAME, release=RELEASE, key="id", ordering="ts")
    found = check_engines(
        plan, COLUMNS, (STORED, INCOMING), unknown="payload class", without={"native": "payload class"}
    )
    for point in ("upsert", "snapshot", "compact"):
        assert found[point] == [str(row) for row in MERGED], (point, found[point])
