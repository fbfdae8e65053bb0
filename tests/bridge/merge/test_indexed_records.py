"""What a writer from 1.1 on merges of a row is the record that its payload gives: of a class of the interface alone,
the insert value.

`tests/data/indexed_records.json` has what the bundles did: class, table type, `op` of the rows, case, releases, and the
rows of the table afterwards (key, v, op, and the partition if it is not p); null where the write failed.
"""

from __future__ import annotations

import pytest

from bridge import MergePlan
from payloads import PayloadBridgeError, PayloadRef
from tests.conformance.in_process import simulate, struct_of
from tests.support import indexed_payloads
from tests.support.indexed_cases import CASES, COLUMNS, FACTS, LOST, shown

ANSWERS = [
    pytest.param((name, release.rpartition(".")[0], kind, case, op), rows, id=f"{name}-{release}-{kind}-{case}-{op}")
    for name, kind, op, case, releases, rows in FACTS
    for release in releases
    # A class in Python keeps values, none of which is a record that has lost its schema. Until 1.0 there is no
    # getIndexedRecord, and a warning says so.
    if (name != "Holds" or not case.startswith("dup-existing") or case.endswith("late") or release < "1.1")
    and (name != "Gives" or release >= "1.1")
]


def plan_of(name, release, table_type, case):
    payload = PayloadRef(f"{indexed_payloads.__name__}:{'Alone' if name == 'Holds' else name}")
    settings = {"key": "id", "partition": "part", "ordering": "ts", **CASES[case].settings}
    return MergePlan(payload=payload, release=release, table_type=table_type, **settings)


@pytest.mark.parametrize(("answer", "rows"), ANSWERS)
def test_a_merge_gets_what_real_hudi_asks_for_or_the_write_is_refused(answer, rows):
    name, release, table_type, case, op = answer
    try:
        found = simulate(CASES[case].batches(op), struct_of(COLUMNS), plan_of(name, release, table_type, case))
    except PayloadBridgeError as error:
        refused = str(error)
    else:
        assert shown(found[max(found)]) == rows
        return
    if rows == LOST:
        assert table_type == "mor" and "silently loses" in refused  # noqa: PT018 (which of them is plain)
    elif rows is None and op == "S" and "new-key" not in case and release >= "1.1":
        assert case == "small-file" or "returns SENTINEL for a row that meets another of its key" in refused
    else:
        assert rows is None or (case == "small-file" and "calls it twice" in refused), refused
