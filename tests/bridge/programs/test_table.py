from __future__ import annotations

import pytest

from bridge.merge import Action, RecordMerge
from bridge.plan import MergePlan
from bridge.programs import Arrival, Origin, Table
from mergers import HoodieKey
from payloads import parse_schema

FIELDS = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}]
SCHEMA = parse_schema({"type": "record", "name": "Row", "fields": FIELDS})


def spans_of(table_type, release, *orderings):
    """Return which ordering values a query sees, from which commit to which, where each commit writes one version."""
    plan = MergePlan(
        payload="DefaultHoodieRecordPayload", release=release, key="id", ordering="ts", table_type=table_type
    )
    table = Table(RecordMerge(plan, SCHEMA), commits=len(orderings), log_updates=table_type == "mor")
    seen = []

    def emit(action, row, first, last):
        assert action is Action.KEEP
        seen.append((row.record["ts"], first, last))

    table.start(HoodieKey("a"))
    for commit, ts in enumerate(orderings, start=1):
        table.accept(Arrival(Origin.INCOMING, commit, {"id": "a", "ts": ts}, None), emit)
    table.finish(emit)
    return seen


@pytest.mark.parametrize("release", ["0.15", "1.2"])
@pytest.mark.parametrize("table_type", ["cow", "mor"])
def test_a_row_that_is_kept_is_one_row(table_type, release):
    assert spans_of(table_type, release, 5, 3, 7) == [(5, 1, 2), (7, 3, 3)]


@pytest.mark.parametrize("release", ["0.15", "1.2"])
def test_a_row_of_equal_values_is_another_row(release):
    assert spans_of("cow", release, 5, 5) == [(5, 1, 1), (5, 2, 2)]
