"""Every row of the support matrix, in each release that some engine claims: run by it, and alike where both do."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from bridge.engines import FIRST, in_driver
from bridge.engines.jvm.merger import with_strategy_id
from bridge.explain import trace_key
from bridge.programs import EngineName, Origin
from bridge.spark.schema import avro_schema
from payloads import HudiRelease
from tests.jvm.both_engines import rows_of, run_in_python, share_merged
from tests.jvm.versions import DATA, tables
from tests.support.support_matrix import claims


def by_row() -> list[Any]:
    """Return the claims: of each row and engines the first and the last release, the ones between are long."""
    found = []
    for _, several in itertools.groupby(claims(), lambda claim: (claim[0].what, claim[2])):
        own = [*several]
        for claim in own:
            marks = () if claim in (own[0], own[-1]) else pytest.mark.long
            found.append(pytest.param(claim, id=f"{claim[0].what}-{claim[1]}", marks=marks))
    return found


CLAIMS = by_row()


@pytest.fixture(scope="session")
def versions(spark):
    return {partitioned: tables(spark, 21, partitioned=partitioned) for partitioned in (False, True)}


@pytest.mark.parametrize("claim", CLAIMS)
def test_what_an_engine_claims_it_runs(both_engines, java_compiler, jar, versions, claim):
    row, release, engines = claim
    # Rows of a key name one partition, but for an index that may move them.
    is_global = row.plan(release, engines[0]).global_index
    found = versions["partition" in row.settings and not is_global]
    in_java = EngineName.JVM in engines
    if in_java:
        # Classes of 1.2 run in 1.1 as well.
        of_release = HudiRelease.V1_0 if release <= HudiRelease.V1_0 else HudiRelease.V1_2
        named = jar if row.merges is None else java_compiler.jar_of(of_release)
        java = row.plan(release, EngineName.JVM, str(named))
        java = with_strategy_id(both_engines.spark, java)
    python = row.plan(release, EngineName.PYTHON)
    if row.program == "explain":
        here = [python, in_driver(java, both_engines.spark)] if in_java else [python]
        traces = [told(plan, found.batches) for plan in here]
        assert traces[0]
        assert all(trace == traces[0] for trace in traces)
        return
    if in_java:
        compared = both_engines.compared(java, python, found, {row.program}, row.written)
        assert compared.differences == []
        outcomes = compared.outcomes
    else:
        outcomes = run_in_python(python, row.program, found, row.written)
    assert share_merged(outcomes) > 1 / 3
    if is_global:
        assert moved(outcomes, found) > 0


def moved(outcomes, found):
    """Return how many keys have rows in several partitions, those before a single write included."""
    rows = rows_of(outcomes)
    before = () if FIRST in rows[0] else found.contested.of((Origin.STORED,)).to_pylist()
    partitions = {row["id"]: {row["name"]} for row in before}
    for row in rows:
        if row["name"] is not None:
            partitions.setdefault(row["id"], set()).add(row["name"])
    return sum(len(own) > 1 for own in partitions.values())


def told(plan, batches):
    """Return what a trace says about the versions of each key, but for what the classes are called."""
    schema, calls = avro_schema(DATA, plan.release), []
    for key in range(3):
        rows = batches.of((Origin.INCOMING,), {key}).to_pylist()
        versions = [(row["_pb_commit"], {name: row[name] for name in DATA.names}) for row in rows]
        trace = trace_key(versions, plan, schema)
        calls += [(call.commit, call.point, call.method, call.older, call.newer, call.result) for call in trace.calls]
        calls.append((trace.rows, trace.error is None))
    return calls
