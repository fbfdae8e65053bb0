"""The toy partial update mode fills rows, obeys the laws of the others, and with `spark` runs under every engine."""

from __future__ import annotations

import sys

from bridge.config import TableMergeConfig
from bridge.plan import MergePlan
from mergers.laws import Verdict, check_laws
from tests.conformance.in_process import simulate, struct_of

NAME, MODE, COLUMNS = "IGNORE_EMPTY", "COMMIT_TIME_ORDERING", "id string, a string, b string"
TABLE = {
    "hoodie.table.version": "9",
    "hoodie.table.type": "COPY_ON_WRITE",
    "hoodie.record.merge.mode": MODE,
    "hoodie.record.merge.strategy.id": "ce9acb64-bde0-424c-9b91-f6ebba25356d",
    "hoodie.table.partial.update.mode": NAME,
}
STORED = [("1", "x", "y"), ("2", "x", None)]
INCOMING = [("1", "", None), ("2", "z", ""), ("3", "u", "v"), ("3", "", "w")]
MERGED = [("1", "x", None), ("2", "z", None), ("3", "u", "w")]

report = check_laws(f"{MODE}/{NAME}", laws=["associativity"], domain="data", exhaustive=True)
assert {result.verdict for result in report.results} == {Verdict.PROVED}

plan = MergePlan(merger=MODE, release="1.2", key="id", table=TableMergeConfig.from_properties(TABLE))
names = [column.split()[0] for column in COLUMNS.split(", ")]
batches = [[dict(zip(names, row, strict=True)) for row in rows] for rows in (STORED, INCOMING)]
snapshots = simulate(batches, struct_of(COLUMNS), plan)
assert sorted(tuple(row[name] for name in names) for row in snapshots[2]) == MERGED

if "spark" in sys.argv[1:]:
    from tests.support.under_engines import check_engines

    found = check_engines(plan, COLUMNS, (STORED, INCOMING), unknown=NAME, without={"native": NAME, "jvm": MODE})
    for point in ("upsert", "snapshot", "compact"):
        assert found[point] == [str(row) for row in MERGED], (point, found[point])
