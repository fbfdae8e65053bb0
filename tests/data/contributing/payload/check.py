"""The toy payload is found by its name, merges, is listed, and obeys the laws that it should.

With `spark` it runs under every engine that runs ports: the native one does not know it.
"""

from __future__ import annotations

import sys

from click.testing import CliRunner

from bridge.cli import main
from bridge.plan import MergePlan
from mergers.laws import Verdict, check_laws
from payloads import NATURAL_ORDER, SENTINEL, parse_schema, resolve_payload
from tests.conformance.in_process import simulate, struct_of

NAME = "FirstWriteAvroPayload"
SCHEMA = parse_schema({"type": "record", "name": "Row", "fields": [{"name": "id", "type": "long"}]})

payload_class = resolve_payload(NAME, "1.2")
first, second = (payload_class({"id": number}, NATURAL_ORDER) for number in (1, 2))
assert second.pre_combine(first, SCHEMA) is first
assert second.combine_and_get_update_value({"id": 0}, SCHEMA) is SENTINEL
assert second.get_insert_value(SCHEMA) == {"id": 2}

report = check_laws(NAME, laws=["associativity", "action"], domain="data", exhaustive=True)
assert {result.verdict for result in report.results} == {Verdict.PROVED}

for words in (["payloads"], ["payloads", NAME]):
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert NAME in result.output

# A table of the class, two commits.
plan = MergePlan(payload=NAME, release="1.2", key="id")
snapshots = simulate([[{"id": 1, "name": "a"}], [{"id": 1, "name": "b"}]], struct_of("id int, name string"), plan)
assert [row["name"] for row in snapshots[2]] == ["a"]

if "spark" in sys.argv[1:]:
    from tests.support.under_engines import check_engines

    found = check_engines(
        plan,
        "id int, name string",
        ([(1, "a")], [(1, "b"), (2, "c"), (2, "d")]),
        unknown="payload class",
        without={"native": "payload class"},
    )
    for point in ("upsert", "snapshot", "compact"):
        assert found[point] == ["(1, 'a')", "(2, 'c')"], (point, found[point])
