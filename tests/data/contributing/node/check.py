"""The toy node prints, goes through JSON, is checked and merges; with `spark` it runs under every engine.

The native engine has no expression for it: it refuses the node by its name, and `auto` leaves it to Python.
"""

from __future__ import annotations

import sys

import pytest

from bridge.plan import MergePlan
from mergers.laws import Verdict, check_laws
from payloads import SchemaError, parse_schema
from payloads.records import RuleVersion, merged
from payloads.rules import Longest, MergeRule, check_rule, rule_from_json, rule_to_json
from tests.conformance.in_process import simulate, struct_of

MERGER, COLUMNS = "tests.support.longest_names:LongestName", "id string, ts bigint, name string"
SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": "id", "type": "string"},
            {"name": "ts", "type": "long"},
            {"name": "name", "type": "string"},
        ],
    }
)
STORED = [("a", 2, "Jo"), ("b", 1, "Max")]
INCOMING = [("a", 3, "Joanna"), ("b", 2, "M"), ("c", 2, "U"), ("c", 1, "Ute")]
MERGED = [("a", 3, "Joanna"), ("b", 2, "Max"), ("c", 2, "Ute")]

rule = MergeRule(columns={"name": Longest()})
assert repr(rule) == "MergeRule(columns={'*': Take(role=LATER), 'name': Longest()})"
assert rule_from_json(rule_to_json(rule)) == rule
check_rule(rule, SCHEMA)
with pytest.raises(SchemaError, match=r"Longest\(\) measures texts.*'ts' of type long"):
    check_rule(MergeRule(columns={"ts": Longest()}), SCHEMA)
older, newer = (RuleVersion(dict(zip(SCHEMA.by_name, row, strict=True)), None) for row in (STORED[1], INCOMING[1]))
found = merged(rule, older, newer, SCHEMA)
assert found is not None
assert found.version is not None
assert found.version.record == {"id": "b", "ts": 2, "name": "Max"}

laws = ["idempotence"]
report = check_laws(
    MERGER, schema=SCHEMA, key=["id"], ordering_fields=["ts"], laws=laws, domain="data", exhaustive=True
)
assert {result.verdict for result in report.results} == {Verdict.PROVED}

plan = MergePlan(merger=MERGER, release="1.2", key="id", ordering="ts")
batches = [[dict(zip(SCHEMA.by_name, row, strict=True)) for row in rows] for rows in (STORED, INCOMING)]
snapshots = simulate(batches, struct_of(COLUMNS), plan)
assert sorted(tuple(row[name] for name in SCHEMA.by_name) for row in snapshots[2]) == MERGED

if "spark" in sys.argv[1:]:
    from tests.support.under_engines import check_engines

    node = r"Longest()"
    found_rows = check_engines(
        plan, COLUMNS, (STORED, INCOMING), unknown=node, without={"native": r"Longest\(\)", "jvm": "jvm"}
    )
    for point in ("upsert", "snapshot", "compact"):
        assert found_rows[point] == [str(row) for row in MERGED], (point, found_rows[point])
