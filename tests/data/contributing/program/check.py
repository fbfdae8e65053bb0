"""The toy program runs in the python engine: on sorted Arrow rows in this process, and with `spark` on DataFrames."""

from __future__ import annotations

import sys

import pyarrow as pa

from bridge.engines import Job
from bridge.engines.python.worker import merged
from bridge.pipeline import new_keys
from bridge.plan import MergePlan
from bridge.programs import Origin
from payloads import parse_schema

PLAN = MergePlan(payload="DefaultHoodieRecordPayload", release="1.2", key="id", ordering="ts")
FIELDS = [{"name": "id", "type": "string"}, {"name": "ts", "type": "long"}]
STORED = [("a", 1)]
INCOMING = [("a", 2), ("b", 3), ("b", 4)]

versions = sorted(
    [(*row, origin) for origin, rows in ((Origin.STORED, STORED), (Origin.INCOMING, INCOMING)) for row in rows]
)
columns = {
    "id": pa.array([version[0] for version in versions]),
    "ts": pa.array([version[1] for version in versions], pa.int64()),
    "_pb_origin": pa.array([int(version[2]) for version in versions], pa.int8()),
}
job = Job(PLAN, parse_schema({"type": "record", "name": "Row", "fields": FIELDS}), ("id", "ts"), "new_keys", {})
outcomes = [row for batch in merged(job, pa.table(columns).to_batches()) for row in batch.to_pylist()]
assert [(row["id"], row["ts"]) for row in outcomes] == [("b", 4)], outcomes

if "spark" in sys.argv[1:]:
    from bridge import local_session

    spark = local_session(cores=1)
    stored, incoming = (
        spark.createDataFrame(rows, "id string not null, ts long not null") for rows in (STORED, INCOMING)
    )
    assert [tuple(row) for row in new_keys(stored, incoming, PLAN).collect()] == [("b", 4)]
    spark.stop()
