"""Ports of payloads such as public classes are, against tables that real Hudi wrote with the Java classes."""

from __future__ import annotations

import json

import pytest

from payloads import HudiRelease
from tests.conformance.histories import Commit, History, columns_of, outcomes
from tests.conformance.in_process import run_histories
from tests.conformance.record_cases import TABLE_TYPES, WRITE_PAYLOAD
from tests.jvm.ports import DATA, RELEASES, SHAPES, cases

RECORDED = {release: json.loads((DATA / f"{release}.json").read_text("utf-8")) for release in RELEASES}
"""What a snapshot query found after each commit, by release and table."""
TABLES = [(release, name) for release, tables in RECORDED.items() for name in tables]


def case_of(release, name):
    return next(case for case in cases(release) if case.folder == name)


@pytest.mark.parametrize(("release", "name"), TABLES)
def test_a_port_writes_the_rows_of_the_compiled_class(release, name):
    case, snapshots = case_of(release, name), RECORDED[release][name]
    names = list(columns_of(case.schema_ddl))
    assert len(snapshots) == len(case.batches)
    commits = [
        Commit(
            tuple(dict(zip(names, row, strict=True)) for row in batch.rows),
            tuple(dict(zip(names, row, strict=True)) for row in snapshot),
            number in case.compact_after,
        )
        for number, (batch, snapshot) in enumerate(zip(case.batches, snapshots, strict=True), start=1)
    ]
    history = History(
        folder=name,
        release=HudiRelease.parse(release),
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
    batches = [batch.rows for batch in case_of("0.15.0", "Hooks-cow").batches]
    assert all(len(rows) > len({row[0] for row in rows}) for rows in batches[1:])
    of_columns = list(zip(*(row for rows in batches for row in rows), strict=True))
    assert set(of_columns[6]) == {"put", "delete", None}
    assert set(of_columns[7]) == {False, True, None}


def test_each_shape_was_recorded_with_both_releases():
    assert {name.partition("-")[0] for _, name in TABLES} == set(SHAPES)
    assert all(f"{shape}-{kind}" in RECORDED["0.15.0"] for shape in SHAPES for kind in TABLE_TYPES)
