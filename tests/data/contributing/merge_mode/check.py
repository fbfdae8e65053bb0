"""The toy merge mode is selected by its name, merges, obeys the laws of a merge mode, and is offered by the verbs.

With `spark` it runs under every engine: one that lacks a node of its rule refuses it by that node.
"""

from __future__ import annotations

import sys

import pytest
from click.testing import CliRunner

from bridge.cli import main
from bridge.engines.jvm.job import modes_unknown_to_java
from bridge.plan import MergePlan
from mergers import MergerConfigError, RecordMergeMode, buffered_merger
from mergers.laws import Verdict, check_laws
from mergers.record import HoodieAvroIndexedRecord, HoodieKey
from mergers.selection import strategy_id
from mergers.strategies import ReverseTimeMerger
from payloads import Ordering, parse_schema
from tests.conformance.in_process import simulate, struct_of

NAME = "REVERSE_TIME_ORDERING"
SCHEMA = parse_schema(
    {"type": "record", "name": "Row", "fields": [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}]}
)
PROPS = {"hoodie.table.ordering.fields": "ts"}

merger = buffered_merger(NAME, SCHEMA, PROPS)
assert isinstance(merger, ReverseTimeMerger)
early, late = (
    HoodieAvroIndexedRecord(HoodieKey("a", ""), {"id": "a", "ts": ts}, SCHEMA, None, Ordering("long", ts))
    for ts in (1, 2)
)
assert merger.final_merge(early, late) is early
assert merger.final_merge(late, early) is early
assert strategy_id(NAME) == strategy_id(RecordMergeMode[NAME])

for given in ("IGNORE_DEFAULTS", "FILL_UNAVAILABLE"):
    with pytest.raises(MergerConfigError, match=f"{NAME} with the partial update mode {given}"):
        buffered_merger(NAME, SCHEMA, PROPS, partial_update_mode=given)

report = check_laws(NAME, laws=["associativity", "action"], domain="data", exhaustive=True)
assert {result.verdict for result in report.results} == {Verdict.PROVED}

# A table of the mode, two commits.
plan = MergePlan(merger=NAME, release="1.2", key="id", ordering="ts")
batches = [[{"id": "a", "ts": 2}, {"id": "b", "ts": 2}], [{"id": "a", "ts": 1}, {"id": "b", "ts": 3}]]
snapshots = simulate(batches, struct_of("id string, ts bigint"), plan)
assert sorted((row["id"], row["ts"]) for row in snapshots[2]) == [("a", 1), ("b", 2)]

assert modes_unknown_to_java(plan) == (), "Java merges by the rule that the mode states"

help_text = CliRunner().invoke(main, ["simulate", "--help"]).output
assert NAME in help_text, help_text

if "spark" in sys.argv[1:]:
    from tests.support.under_engines import check_engines

    found = check_engines(
        plan,
        "id string, ts bigint",
        ([("a", 20), ("b", 20)], [("a", 30), ("b", 10), ("c", 2), ("c", 1)]),
        unknown="ByOrdering(reverse=True)",
        without={"native": r"ByOrdering\(reverse=True\)", "jvm": NAME},
    )
    assert found["combine_input"] == [
        "('a', 30, False, Row(type='long', value='30'))",
        "('b', 10, False, Row(type='long', value='10'))",
        "('c', 1, False, Row(type='long', value='1'))",
    ]
    for point in ("upsert", "snapshot", "compact"):
        assert found[point] == ["('a', 20)", "('b', 10)", "('c', 1)"], (point, found[point])
