"""The toy merge mode is selected by its name, merges, obeys the laws of a merge mode, and is offered by the verbs."""

from __future__ import annotations

from click.testing import CliRunner

from bridge.cli import main
from bridge.plan import MergePlan
from mergers import RecordMergeMode, buffered_merger
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

report = check_laws(NAME, laws=["associativity", "action"], domain="data", exhaustive=True)
assert {result.verdict for result in report.results} == {Verdict.PROVED}

# A table of the mode, two commits.
plan = MergePlan(merger=NAME, release="1.2", key="id", ordering="ts")
batches = [[{"id": "a", "ts": 2}, {"id": "b", "ts": 2}], [{"id": "a", "ts": 1}, {"id": "b", "ts": 3}]]
snapshots = simulate(batches, struct_of("id string, ts bigint"), plan)
assert sorted((row["id"], row["ts"]) for row in snapshots[2]) == [("a", 1), ("b", 2)]

help_text = CliRunner().invoke(main, ["simulate", "--help"]).output
assert NAME in help_text, help_text
