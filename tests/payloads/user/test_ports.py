"""Ports of payloads such as public classes are, against tables that real Hudi wrote with the Java classes."""

from __future__ import annotations

import json

import pytest

from tests.conformance.histories import Commit, History, columns_of, outcomes
from tests.conformance.in_process import run_histories
from tests.conformance.record_cases import TABLE_TYPES, WRITE_PAYLOAD
from tests.jvm.ports import DATA, RELEASES, cases

CASES = {case.folder: case for case in cases()}


@pytest.fixture(params=RELEASES)
def recorded(request):
    """Return a release, and the snapshots that it gave by table."""
    return request.param, json.loads((DATA / f"{request.param}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_a_port_writes_the_rows_of_the_compiled_class(recorded, name):
    release, snapshots = recorded
    case, names = CASES[name], list(columns_of(CASES[name].schema_ddl))
    assert len(snapshots[name]) == len(case.batches)
    commits = [
        Commit(
            tuple(dict(zip(names, row, strict=True)) for row in batch.rows),
            tuple(dict(zip(names, row, strict=True)) for row in snapshot),
            number in case.compact_after,
        )
        for number, (batch, snapshot) in enumerate(zip(case.batches, snapshots[name], strict=True), start=1)
    ]
    history = History(
        folder=name,
        release=release,
        payload_class=f"tests.jvm.ported:{case.name}",
        table_type=TABLE_TYPES[case.table_type],
        ordering=("ts",),
        options={key: text for key, text in case.options.items() if key != WRITE_PAYLOAD},
        schema_ddl=case.schema_ddl,
        commits=tuple(commits),
    )
    (outcome,) = outcomes(run_histories([history]), [history])
    assert (outcome.differences, outcome.refusal) == ((), None)


def test_the_tables_are_full_of_merges():
    batches = [batch.rows for batch in CASES["Fields-cow"].batches]
    assert all(len(rows) > len({row[0] for row in rows}) for rows in batches[1:])
    of_columns = list(zip(*(row for rows in batches for row in rows), strict=True))
    assert set(of_columns[6]) == {"put", "delete", None}
    assert set(of_columns[7]) == {False, True, None}
