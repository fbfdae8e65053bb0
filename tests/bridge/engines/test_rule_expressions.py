"""Rules as Spark's expressions against `payloads.records`: random rules on pairs of versions, many pairs a job."""

from __future__ import annotations

import collections
import datetime
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from py4j.protocol import Py4JJavaError
from pyspark.sql import functions as sf

from bridge.engines.native.ordering import kind_of
from bridge.engines.native.rule_merge import MergedPair, RuleExpressions
from bridge.engines.native.unsupported import lacking, looks_at_ordering
from bridge.engines.native.versioned import (
    COPIED,
    DELETED,
    MADE,
    NATURAL,
    NEWER_STAYS,
    OLDER_STAYS,
    TYPED,
    UNORDERED,
    RuleOn,
)
from bridge.spark import PySparkException, spark_schema
from payloads import NATURAL_ORDER, Ordering, PayloadBridgeError, parse_schema
from payloads.avro import same_record
from payloads.records import RuleVersion, outcome_of
from payloads.rules import DeleteTests, Effect, MergeRule, check_rule
from tests.payloads.rules.drawn import ORDERED, column_is, compound, facts, laters, rules_of, values_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS: dict[str, Any] = {
    "id": "string",
    "ts": "long",
    "note": "string",
    "hits": "int",
    "total": "long",
    "part": "float",
    "share": "double",
    "raw": "bytes",
    "yes": "boolean",
    "day": {"type": "int", "logicalType": "date"},
    "tags": {"type": "array", "items": "string"},
    "counts": {"type": "map", "values": "long"},
    "_hoodie_is_deleted": "boolean",
}
SCHEMA = parse_schema(
    {
        "type": "record",
        "name": "row",
        "fields": [
            {"name": name, "type": kind} if name == "id" else {"name": name, "type": ["null", kind], "default": None}
            for name, kind in KINDS.items()
        ],
    }
)
STRUCT = spark_schema(SCHEMA)
NAN, INFINITE = float("nan"), float("inf")
POOLS: dict[str, tuple[Any, ...]] = {
    "ts": (None, 0, 1, 2, -(2**63), 2**63 - 1),
    "note": (None, "", "x", "y", "\uffff", "\U0001f600"),
    "hits": (None, 0, 1, 2**31 - 1, -(2**31)),
    "total": (None, 0, 5, 2**63 - 1, -(2**63)),
    "part": (None, 0.0, -0.0, 1.5, 3.4028234663852886e38, NAN, -INFINITE),
    "share": (None, 0.0, -0.0, 0.1, 1.7976931348623157e308, NAN, INFINITE),
    "raw": (None, b"", b"x", b"\x80", b"\x00\xff"),
    "yes": (None, False, True),
    "tags": (None, [], ["a"], ["b", "c"]),
    "counts": (None, {}, {"a": 1}, {"a": 2, "b": 3}),
    "_hoodie_is_deleted": (None, None, False, True),
}
CONSTANTS = {name: st.sampled_from(POOLS[name]) for name in ("note", "hits", "total", "raw", "yes")}
ORDERINGS = (Ordering("long", 1), Ordering("long", 2), Ordering("long", -(2**63)), NATURAL_ORDER, None)
PAIRS = 150
TESTS = compound(facts() | column_is(CONSTANTS), most=2, max_leaves=4)
_MARKERS = {"note": st.just("x"), "raw": st.just(b"x")}
RULES = rules_of(
    laters(st.sampled_from(["ts", "note", "hits", "share", "yes", "part"]).map(lambda name: (name,))),
    st.builds(DeleteTests, st.booleans(), marked=st.booleans()),
    TESTS,
    st.sampled_from(sorted(set(Effect) - {Effect.CHANGED, Effect.EDITED}, key=repr)),
    st.fixed_dictionaries(
        {},
        optional={
            name: values_of(SCHEMA, name, TESTS, constants=CONSTANTS, markers=_MARKERS, ordered=ORDERED - {"bytes"})
            for name in POOLS
            if name != "_hoodie_is_deleted"
        },
    ),
    most=2,
)


def versions(chance):
    """Return one version: a row with values of the pools, or a delete without one."""
    record = {"id": "key", "day": 3} | {name: chance.choice(values) for name, values in POOLS.items()}
    ordering = chance.choice(ORDERINGS if chance.random() < 0.3 else ORDERINGS[:2])
    if chance.random() < 0.15:
        return RuleVersion(None, ordering, marked=True)
    return RuleVersion(record, ordering, record["_hoodie_is_deleted"] is True)


def expected(rule, older, newer):
    """Return the number of what a rule gives and the row that it makes, or the error."""
    try:
        found = outcome_of(rule, older, newer, SCHEMA)
    except PayloadBridgeError as error:
        return error
    numbers = {Effect.CURRENT: OLDER_STAYS, Effect.SENTINEL: OLDER_STAYS, Effect.INCOMING: NEWER_STAYS}
    numbers |= {Effect.NEW: MADE, Effect.COPY: COPIED, Effect.DELETE: DELETED}
    made = found.gives in {Effect.NEW, Effect.COPY}
    return numbers[found.gives], found.version.record if made else None


def evaluated(spark: SparkSession, rule: MergeRule, pairs: list[tuple[RuleVersion, RuleVersion]]) -> list[Any]:
    """Return what the expressions of a rule give for pairs of versions: the number and the row."""
    kind = f"row {STRUCT.simpleString()}, dead boolean, class tinyint, value bigint, made boolean"
    data = []
    for number, pair in enumerate(pairs):
        sides = [
            (one.record and _spark_row(one.record), one.marked or one.record is None, *_ordered(one.ordering), False)
            for one in pair
        ]
        data.append((number, *sides))
    frame = spark.createDataFrame(data, f"number int, older struct<{_typed(kind)}>, newer struct<{_typed(kind)}>")
    types = frame.schema["older"].dataType["row"].dataType  # type: ignore[index]  # a struct
    on = RuleOn(rule, SCHEMA, types, kind_of(SCHEMA, "ts") if looks_at_ordering(rule) else None)
    sides = [
        sf.struct(
            *(sf.col(f"{side}.{name}").alias(name) for name in ("row", "dead", "class")),
            *([sf.col(f"{side}.value").alias("value_0")] * on.number),
            sf.col(f"{side}.made").alias("made"),
        )
        for side in ("older", "newer")
    ]

    def result(pair: MergedPair):
        return sf.struct(pair.gives.alias("gives"), pair.row.alias("row"))

    def raised(reason):
        return sf.raise_error(reason if not isinstance(reason, str) else sf.lit(reason)).cast("boolean")

    merged = RuleExpressions(on).merged(*sides, raised, result).alias("merged")
    rows = frame.select("number", merged).sort("number").collect()
    return [(row.merged.gives, None if row.merged.row is None else _record(row.merged.row)) for row in rows]


def _typed(columns: str) -> str:
    return ", ".join(f"{name}: {kind}" for name, _, kind in (one.partition(" ") for one in _split(columns)))


def _split(columns: str) -> list[str]:
    head, _, rest = columns.partition(", dead")
    return [head, *f"dead{rest}".split(", ")]


def _ordered(ordering: Ordering | None) -> tuple[int, int | None]:
    if ordering is None:
        return UNORDERED, None
    return (NATURAL, None) if ordering.is_default else (TYPED, ordering.value)


def _spark_row(record: dict[str, Any]) -> tuple[Any, ...]:
    day = datetime.date(1970, 1, 1) + datetime.timedelta(record["day"])
    return tuple(({**record, "day": day})[name] for name in KINDS)


def _record(row: Any) -> dict[str, Any]:
    found = row.asDict(recursive=False)
    found["raw"] = None if found["raw"] is None else bytes(found["raw"])
    found["day"] = found["day"] and (found["day"] - datetime.date(1970, 1, 1)).days
    return found


def agree(spark: SparkSession, rule: MergeRule, seed: int) -> collections.Counter[str]:
    """Compare random pairs; return how many had which outcome."""
    chance = random.Random(seed)  # noqa: S311 (the seed repeats it)
    pairs = [(versions(chance), versions(chance)) for _ in range(PAIRS)]
    wanted = [expected(rule, *pair) for pair in pairs]
    tried = [(pair, want) for pair, want in zip(pairs, wanted, strict=True) if not isinstance(want, Exception)]
    null_key = [one for one in tried if one[1][0] == MADE and one[1][1]["id"] is None]
    tried = [one for one in tried if one not in null_key]
    found = evaluated(spark, rule, [pair for pair, _ in tried]) if tried else []
    for (pair, want), got in zip(tried, found, strict=True):
        assert got[0] == want[0], (rule, pair, want, got)
        same = (got[1] is None) is (want[1] is None) and (got[1] is None or same_record(got[1], want[1]))
        assert same, (rule, pair, want, got)
    failing = [pair for pair, want in zip(pairs, wanted, strict=True) if isinstance(want, Exception)]
    for pair in [*failing[:1], *(pair for pair, _ in null_key[:1])]:
        with pytest.raises((PySparkException, Py4JJavaError)):
            evaluated(spark, rule, [pair])
    return collections.Counter({"alike": len(tried), "failing": len(failing)})


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(RULES, st.integers(0, 1000))
def test_random_rules_are_what_records_say(spark: SparkSession, rule: MergeRule, seed: int) -> None:
    check_rule(rule, SCHEMA)
    assert lacking(rule, SCHEMA, STRUCT) == ()
    agree(spark, rule, seed)
