"""What a payload finds in its properties at each merge point is what real Hudi passes there.

`tests/data/point_props.json` has, by release and table type, what a class of the same shape was handed in real Hudi:
the places, and the properties there that say something of table and write.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import MergePlan
from bridge.merge import LogRow, MergePoint, RecordMerge, StoredRow
from mergers import HoodieKey
from payloads import PayloadRef, parse_schema
from payloads.builtin import DefaultHoodieRecordPayload
from tests.support.schemas import record_schema

FACTS = json.loads((Path(__file__).parents[2] / "data" / "point_props.json").read_text("utf-8"))
SCHEMA = parse_schema(record_schema(id="string", part="string", ts="long", v="int", op="string"))
KEY = HoodieKey("a", "p")
# What differs by what the recording class is called, and what is not passed on here: see the guide.
OWN_NAMES = {"hoodie.datasource.write.payload.class", "hoodie.compaction.payload.class"}
NOT_PASSED = {
    "hoodie.is.update.record.for.mor",
    "hoodie.payload.event.time.field",
    "hoodie.combine.before.upsert",
}
# A default of a query of 0.15, whatever the table's class is; and a key that is passed here beside the table's own.
NOT_IN_QUERY = {"0.15.0": {"hoodie.compaction.payload.class"}, "1.0.2": {"hoodie.payload.ordering.field"}}
SEEN: list[dict[str, str]] = []


class Notes(DefaultHoodieRecordPayload):
    """Notes the properties that it is handed."""

    def pre_combine(self, older, schema=None, props=None):
        SEEN.append(dict(props or {}))
        return self

    def combine_and_get_update_value(self, current, schema, props=None):
        SEEN.append(dict(props or {}))
        return self.record

    def get_insert_value(self, schema, props=None):
        SEEN.append(dict(props or {}))
        return self.record


def row(ts):
    return {"id": "a", "part": "p", "ts": ts, "v": 1, "op": "N"}


def handed(merge, place):
    """Return the properties that the class is handed at a place."""
    SEEN.clear()
    first, last = (merge.incoming(KEY, row(ts), None) for ts in (1, 2))
    base, entries = StoredRow(KEY, row(0), SCHEMA), [LogRow(row(ts), None) for ts in (1, 2)]
    if place in {"query", "compact", "fold"}:
        folded = merge.fold_log(None, KEY, entries[0])
        if place == "fold":
            folded = merge.fold_log(folded, KEY, entries[1])
            # The last call is a compaction's, where there are two.
            return SEEN[-1]
        SEEN.clear()
        merge.reader.read(MergePoint.SNAPSHOT if place == "query" else MergePoint.COMPACT, base, folded)
    else:
        SEEN.clear()
        {
            "batch": lambda: merge.combine_input(first, last),
            "upsert": lambda: merge.upsert(base, last),
            "insert": lambda: merge.insert(last),
            "log": lambda: merge.log_entry(last),
            "tag": lambda: merge.lookup.merged(base, "q", last),
        }[place]()
    return SEEN[0]


PLACES = [
    pytest.param(release, table_type, place, props, id=f"{release}-{table_type}-{place}")
    for release, types in FACTS.items()
    for table_type, groups in types.items()
    for places, props in groups
    for place in places
]


@pytest.mark.parametrize(("release", "table_type", "place", "props"), PLACES)
def test_a_payload_is_handed_what_real_hudi_hands_it(release, table_type, place, props):
    payload = PayloadRef(f"{__name__}:Notes")
    plan = MergePlan(
        payload=payload,
        release=release.rpartition(".")[0],
        table_type=table_type,
        key="id",
        partition="part",
        ordering="ts",
        global_index=place == "tag",
        props={"own.setting": "mine", "hoodie.table.name": "t"},
    )
    found = handed(RecordMerge(plan, SCHEMA), place)
    known = {key for types in FACTS.values() for groups in types.values() for _, one in groups for key in one}
    known -= NOT_PASSED
    known -= NOT_IN_QUERY.get(release, set()) if place == "query" else set()
    expected = {key: value for key, value in props.items() if key in known}
    own = {key: value for key, value in found.items() if key in known}
    for key in OWN_NAMES & own.keys() & expected.keys():
        own[key] = expected[key] = "the class"
    assert own == expected
