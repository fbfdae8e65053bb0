"""Writes that real Hudi fails, because a payload gives it nothing to insert, are refused; all others give its rows.

`tests/data/refused_inserts.json` has what the bundles did: class, table type, `op` of the row, case, releases, and the
rows of the table afterwards (key, v, op, and the partition if it is not p); null where the write failed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bridge import MergePlan
from bridge.config import TableMergeConfig
from bridge.merge import MergePointError, RecordMerge
from bridge.programs import WriteOperation
from mergers import HoodieKey
from payloads import PayloadBridgeError, PayloadRef, parse_schema
from tests.conformance.in_process import simulate, struct_of
from tests.support import insert_payloads
from tests.support.schemas import record_schema

FACTS = json.loads((Path(__file__).parents[2] / "data" / "refused_inserts.json").read_text("utf-8"))
COLUMNS = struct_of("id string, part string, ts bigint, v int, op string")
SMALL = {"hoodie.parquet.small.file.limit": "104857600"}
MOVES = {
    "hoodie.global.simple.index.update.partition.path": "true",
    "hoodie.simple.index.update.partition.path": "true",
}


def row(key, ts=1, v=1, op="N", part="p"):
    return {"id": key, "part": part, "ts": ts, "v": v, "op": op}


BASE = [row("a"), row("b")]
CASES = {
    "new-table": ([], lambda op: [row("a"), row("b", op=op)], {}),
    "new-key-new-file": (BASE, lambda op: [row("c", op=op)], {}),
    "new-key-small-file": (BASE, lambda op: [row("a", 2, 2), row("c", op=op)], {"props": SMALL}),
    "existing-key": (BASE, lambda op: [row("a", 2, 2, op)], {}),
    "existing-and-others": (BASE, lambda op: [row("a", 2, 2, op), row("b", 2, 2), row("c", 2, 2)], {}),
    "dup-in-batch-last": (BASE, lambda op: [row("c"), row("c", 2, 2, op)], {}),
    "dup-in-batch-first": (BASE, lambda op: [row("c", op=op), row("c", 2, 2)], {}),
    "insert-op": (BASE, lambda op: [row("c", op=op)], {"operation": WriteOperation.INSERT}),
    "bulk-insert-row": (BASE, lambda op: [row("c", op=op)], {"operation": WriteOperation.BULK_INSERT}),
    "insert-overwrite": (BASE, lambda op: [row("c", op=op)], {"operation": WriteOperation.INSERT_OVERWRITE}),
    "global-moves": (BASE, lambda op: [row("a", 2, 2, op, "q")], {"global_index": True, "props": MOVES}),
    "global-new": (BASE, lambda op: [row("c", 2, 2, op, "q")], {"global_index": True, "props": MOVES}),
    "bucket-new-key": (BASE, lambda op: [row("c", op=op)], {"bucket": True}),
    "bucket-existing-key": (BASE, lambda op: [row("a", 2, 2, op)], {"bucket": True}),
    "not-combined": (BASE, lambda op: [row("c", op=op)], {"combine_before_upsert": False}),
}


def rows_of(name, release, table_type, case, op):
    """Return the rows of the table after the write of a case."""
    stored, batch, settings = CASES[case]
    settings = dict(settings)
    operation = settings.pop("operation", None)
    if settings.pop("bucket", False):
        settings["inserts_to"] = "log"
    plan = MergePlan(
        payload=PayloadRef(f"{insert_payloads.__name__}:{name}"),
        release=release,
        table_type=table_type,
        key="id",
        partition="part",
        ordering="ts",
        **settings,
    )
    batches = [*([stored] if stored else []), batch(op)]
    operations = {} if operation is None else {len(batches): operation}
    found = simulate(batches, COLUMNS, plan, operations=operations)[len(batches)]
    return sorted(f"{one['id']}{one['v']}{one['op']}{'' if one['part'] == 'p' else one['part']}" for one in found)


ANSWERS = [
    pytest.param(
        (name, release.rpartition(".")[0], kind, case, op),
        rows,
        id=f"{name}-{release}-{kind}-{case}-{op}",
    )
    for name, kind, op, case, releases, rows in FACTS
    for release in releases
    if kind == "mor" or not case.startswith("bucket-")  # a plan has no bucket index for a copy-on-write table
]
# A merge-on-read write from 1.0 on that leaves nothing in the log of a file group loses its failure.
IS_LOST = {("mor", "existing-key"), ("mor", "global-moves"), ("mor", "bucket-new-key"), ("mor", "bucket-existing-key")}


@pytest.mark.parametrize(("answer", "rows"), ANSWERS)
def test_a_write_gives_the_rows_of_real_hudi_or_is_refused_where_it_fails(answer, rows):
    _, release, table_type, case, _ = answer
    try:
        found = rows_of(*answer)
    except PayloadBridgeError as error:
        refused = str(error)
    else:
        assert found == (None if rows is None else sorted(rows))
        return
    is_lost = release >= "1.0" and (table_type, case) in IS_LOST
    assert rows is None or (is_lost and "silently loses" in refused), refused


UPGRADED = {
    "hoodie.table.version": "9",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
    "hoodie.table.ordering.fields": "ts",
}


@pytest.mark.parametrize("name", ["Unsaid", "Said"])
def test_a_class_gives_the_rows_of_new_keys_of_a_table_that_merges_by_a_mode(name):
    """As 1.2.0 writes into a copy-on-write table of 0.15.0, which stores no class."""
    plan = MergePlan(
        payload=PayloadRef(f"{insert_payloads.__name__}:{name}"),
        release="1.2",
        key="id",
        ordering="ts",
        table=TableMergeConfig.from_properties(UPGRADED),
    )
    schema = parse_schema(record_schema(id="string", part="string", ts="long", v="int", op="string"))
    merge = RecordMerge(plan, schema)
    key = HoodieKey("c")
    assert merge.insert(merge.incoming(key, row("c"), None)).version.record == row("c")
    with pytest.raises(MergePointError, match="getInsertValue returns nothing"):
        merge.insert(merge.incoming(key, row("c", op="E"), None))


def test_a_compaction_of_a_row_that_only_the_log_has_fails_without_an_insert_value():
    """As 0.15.0: the query leaves the row out, and the compaction ends with "COMPACT failed to write to files"."""
    plan = MergePlan(
        payload=PayloadRef(f"{insert_payloads.__name__}:Vanishes"),
        release="0.15",
        table_type="mor",
        inserts_to="log",
        key="id",
        ordering="ts",
    )
    batches = [[row("b"), row("c", op="X")], [row("c", 2, 2, "X")]]
    assert [one["id"] for one in simulate(batches, COLUMNS, plan)[2]] == ["b"]
    with pytest.raises(PayloadBridgeError, match="getInsertValue returns nothing for a row that only the log has"):
        simulate(batches, COLUMNS, plan, compact_after={2})
