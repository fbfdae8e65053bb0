"""A class in Java against the same class in Python, through both engines, on random rows, at every merge point."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest
from pyspark.sql.types import ArrayType, StringType, StructType

from bridge import MergePlan
from payloads import HudiRelease, PayloadRef
from tests.jvm.direct import InJava, in_python, job_of, versions_of
from tests.jvm.java_compiler import compiled

SOURCE = Path(__file__).parent / "java" / "Twins.java"
DATA = (
    StructType()
    .add("id", "integer")
    .add("ts", "long")
    .add("name", "string")
    .add("v", "string")
    .add("n", "long")
    .add("tags", ArrayType(StringType()))
    .add("op", "string")
    .add("_hoodie_is_deleted", "boolean")
)
STORED, LOG, INCOMING = range(3)
SIDES = {
    "combine_input": (INCOMING,),
    "upsert": (STORED, INCOMING),
    "append": (STORED, INCOMING),
    "snapshot": (STORED, LOG),
    "compact": (STORED, LOG),
}
PROPS = {"acme.step": "7"}
MARKER = {"hoodie.payload.delete.field": "v", "hoodie.payload.delete.marker": "x"}
KEYS = 25


@pytest.fixture(scope="session")
def twins(bundles, tmp_path_factory):
    sources = {SOURCE.name: SOURCE.read_text("utf-8")}
    return compiled(bundles, sources, HudiRelease.V0_15, tmp_path_factory.mktemp("twins"))


def row(chance, key, *, gaps):
    """Return a row of few values and many deletes, so that every rule has its turn."""
    return (
        key,
        chance.choice([0, 1, 2, 3, *gaps]),
        chance.choice(["a", "b", "é", "😀", *gaps]),
        chance.choice(["x", "y", None]),
        chance.choice([1, 2, None]),
        chance.choice([["p"], ["q", "r"], [], None]),
        chance.choice(["put", "put", "put", "keep", "delete", "ignore", None]),
        chance.choice([False, False, False, None, True]),
    )


def bare(key):
    return (key, *[None] * (len(DATA.fields) - 1))


def entry_ordering(chance, gaps):
    """Return an ordering value as a delete entry or a combined batch has it: of the column's class or another."""
    return chance.choice(
        [
            {"type": "int", "value": "0"},
            {"type": "long", "value": str(chance.randrange(4))},
            {"type": "string", "value": chance.choice("abc")},
            *gaps,
        ]
    )


def in_batches(chance, gaps):
    """Return the rows of four batches, by arrival."""
    return [
        (*row(chance, chance.randrange(KEYS), gaps=gaps), INCOMING, commit, None, None)
        for commit in range(1, 5)
        for _ in range(KEYS)
    ]


def contested(chance, gaps):
    """Give the versions of keys that are stored, logged and in a batch that was combined before, or is not."""
    for key in range(KEYS):
        if chance.random() < 0.8:
            yield (*row(chance, key, gaps=gaps), STORED, None, None, None)
        for origin in (LOG, INCOMING):
            for commit in range(chance.randrange(4)):
                deletes = chance.random() < 0.3
                data = bare(key) if deletes else row(chance, key, gaps=gaps)
                yield (*data, origin, commit + 1, deletes, entry_ordering(chance, gaps) if deletes else None)


@pytest.fixture(scope="session")
def tables(request, spark):
    """Return rows for programs of one commit, and batches for those of several; ordering values may be null or not."""
    chance, gaps = random.Random(20), request.param  # noqa: S311 (test data)
    batches = in_batches(chance, gaps)
    one, by_arrival = versions_of(spark, DATA, list(contested(chance, gaps))), versions_of(spark, DATA, batches)
    return one, by_arrival, versions_of(spark, DATA, sorted(batches, key=lambda row: (row[0], row[9])))


SETTINGS = [
    pytest.param({"ordering": "ts", "props": PROPS}, id="bigint"),
    pytest.param({"ordering": "name", "props": {**PROPS, **MARKER}}, id="text-and-marker"),
    pytest.param({"props": PROPS}, id="no-ordering"),
    pytest.param({"ordering": ("ts", "name"), "props": PROPS}, id="list"),
]
# Until 1.0 a payload itself decides whether its ordering value may be null, each in its way.
CASES = [
    pytest.param((name, release, *settings.values), gaps, id=f"{name}-{release}-{settings.id}-{label}")
    for label, gaps in {"full": (), "gaps": (None,)}.items()
    for name in ("Latest", "Sum", "Tags")
    for release in (("1.1", "1.2") if gaps else ("0.15", "1.0", "1.1", "1.2"))
    for settings in (SETTINGS if release > "1.0" else SETTINGS[:3])
]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "tables"), CASES, indirect=["tables"])
def test_both_engines_answer_alike(bundles, twins, tables, case):
    (name, release, settings), (contested, by_arrival, by_key) = case, tables
    compiled_class = PayloadRef(f"com.acme.Twins${name}", jar=str(twins))
    java = MergePlan(payload=compiled_class, release=release, key="id", **settings)
    python = dataclasses.replace(java, payload=PayloadRef(f"tests.jvm.twins:{name}"))
    engine, seen = InJava(bundles, java), []

    def compare(versions, program, **arguments):
        jobs = (job_of(plan, DATA, program, **arguments) for plan in (java, python))
        mine, reference = engine.run(next(jobs), versions), in_python(next(jobs), versions)
        assert mine == reference, (program, versions.batch.to_pylist())
        seen.append(mine != "failed")

    for versions in contested.by_key():
        for program, origins in SIDES.items():
            compare(versions.only(*origins), program)
    for versions in by_key.by_key():
        for log_updates in (False, True):
            compare(versions, "simulate", commits=4, compact_after=(3,) if log_updates else (), log_updates=log_updates)
    if release != "0.15":
        compare(by_arrival, "simulate_small_files", commits=4, compact_after=(3,), candidates=1)
    assert sum(seen) > len(seen) / 3  # most rows merge; the others fail in both
